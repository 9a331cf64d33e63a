/*
 * claim: handlers that touch memory, in the middle of windows and of locks, do no harm
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:200/100 x 6
 * run: x 4
 * modes: record explore heal only
 * expect: none
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>

enum { ROUNDS = 150 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;
static atomic_long ticks;
static __thread long own_ticks, own_trail[4];

static void tick(int number)
{
    (void)number;
    atomic_fetch_add(&ticks, 1);
    own_trail[own_ticks++ % 4] = number;
}

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    struct sigaction action;
    pthread_t threads[3];
    memset(&action, 0, sizeof(action));
    action.sa_handler = tick;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    setitimer(ITIMER_PROF, &never, NULL);
    return counter != 3 * ROUNDS;
}
