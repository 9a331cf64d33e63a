/*
 * claim: signals rain on threads that begin, work and end: none is lost, no thread is made up
 * build: -O1
 * modes: run max record hunt explore heal only
 * schedules: 3
 * stdout: 200 threads in the storm
 */
#include "hostile.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

enum { IN_ALL = 200, AT_ONCE = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    pthread_t thread;
    int alive; /* it was not joined yet: signals may be sent to it */
} slots[AT_ONCE];
static long counter;
static atomic_long caught;
static atomic_int stop;
static __thread long own, trail[4];

static void tick(int number)
{
    int kept = errno;
    atomic_fetch_add(&caught, 1);
    trail[own++ % 4] = number;
    errno = kept;
}

static void *work(void *arg)
{
    must(raise(SIGUSR1) == 0); /* at least one, whatever the weather */
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    must(own > 0);
    return arg;
}

static void *rain(void *arg)
{
    while (!atomic_load(&stop)) {
        pthread_mutex_lock(&lock);
        for (int i = 0; i < AT_ONCE; i++)
            if (slots[i].alive)
                must(pthread_kill(slots[i].thread, SIGUSR1) == 0);
        pthread_mutex_unlock(&lock);
        usleep(50);
    }
    return arg;
}

static void take_out(int slot)
{
    pthread_mutex_lock(&lock);
    int alive = slots[slot].alive;
    slots[slot].alive = 0;
    pthread_mutex_unlock(&lock);
    if (alive)
        join(slots[slot].thread);
}

static void put_in(int slot)
{
    pthread_mutex_lock(&lock);
    slots[slot].thread = start(work, NULL);
    slots[slot].alive = 1;
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = tick;
    action.sa_flags = SA_RESTART;
    must(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGALRM, &action, NULL) == 0);
    must(setitimer(ITIMER_REAL, &often, NULL) == 0);
    pthread_t cloud = start(rain, NULL);
    for (int i = 0; i < IN_ALL; i++) {
        take_out(i % AT_ONCE);
        put_in(i % AT_ONCE);
    }
    for (int i = 0; i < AT_ONCE; i++)
        take_out(i);
    atomic_store(&stop, 1);
    join(cloud);
    must(setitimer(ITIMER_REAL, &never, NULL) == 0);
    must(counter == 5 * IN_ALL && atomic_load(&caught) >= IN_ALL);
    say("200 threads in the storm");
    return 0;
}
