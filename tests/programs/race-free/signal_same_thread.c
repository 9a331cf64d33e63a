/*
 * claim: what a signal handler changes under the feet of its own thread is never reported
 * tsan: no
 * plain: plain_handler.c
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:300/300 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

enum { ROUNDS = 200 };

extern volatile sig_atomic_t plain_hits; /* written by a handler that darn did not compile */
void plain_handler(int number);

static volatile sig_atomic_t hits;
static atomic_int atomic_hits;
static __thread volatile sig_atomic_t thread_hits;
static atomic_int done;

static void handler(int number)
{
    (void)number;
    hits++;
    atomic_hits++;
    thread_hits++;
}

/* The target only looks at what its own handlers write; signals reach no other thread. */
static void *target(void *arg)
{
    sigset_t signals;
    long sum = 0;
    (void)arg;
    sigemptyset(&signals);
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
    while (!atomic_load(&done))
        sum += hits + plain_hits + thread_hits;
    sigfillset(&signals); /* none may come between the two halves of the comparison */
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
    return (void *)(long)(hits == atomic_hits && hits == thread_hits && sum >= 0);
}

int main(void)
{
    struct sigaction action;
    sigset_t signals;
    pthread_t thread;
    void *right;
    memset(&action, 0, sizeof(action));
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, NULL);
    action.sa_handler = plain_handler;
    sigaction(SIGUSR2, &action, NULL);
    sigfillset(&signals);
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
    pthread_create(&thread, NULL, target, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        struct timespec pause = {.tv_nsec = 50000};
        pthread_kill(thread, i % 2 ? SIGUSR1 : SIGUSR2);
        nanosleep(&pause, NULL);
    }
    atomic_store(&done, 1);
    pthread_join(thread, &right);
    return right == NULL;
}
