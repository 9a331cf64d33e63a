/*
 * claim: two thousand threads, at most 64 at a time, then five hundred at once on small stacks
 * build: -O1
 * modes: run max record hunt explore heal only
 * stdout: 2000 threads came and went
 * stdout: 500 threads were there at once
 */
#include "hostile.h"

enum { IN_ALL = 2000, AT_ONCE = 64, CROWD = 500, STACK = 64 * 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t together;
static int detached; /* how many of these are there now */
static long came;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    came++;
    if (arg == NULL) {
        detached--;
        pthread_cond_signal(&left);
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *work_together(void *arg)
{
    pthread_barrier_wait(&together);
    return work(arg);
}

static void start_detached(pthread_attr_t *attr)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    while (detached == AT_ONCE / 2)
        pthread_cond_wait(&left, &lock);
    detached++;
    pthread_mutex_unlock(&lock);
    must(pthread_create(&thread, attr, work, NULL) == 0);
}

static void come_and_go(void)
{
    pthread_t joined[AT_ONCE / 2];
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < IN_ALL / 2; i++) {
        pthread_t *place = &joined[i % (AT_ONCE / 2)];
        if (i >= AT_ONCE / 2)
            join(*place);
        *place = start(work, &lock);
        start_detached(&attr);
    }
    for (int i = 0; i < AT_ONCE / 2; i++)
        join(joined[i]);
    pthread_mutex_lock(&lock);
    while (detached > 0)
        pthread_cond_wait(&left, &lock);
    must(came == IN_ALL);
    pthread_mutex_unlock(&lock);
}

static void be_a_crowd(void)
{
    static pthread_t crowd[CROWD];
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    must(pthread_attr_setstacksize(&attr, STACK) == 0);
    pthread_barrier_init(&together, NULL, CROWD);
    for (int i = 0; i < CROWD; i++)
        must(pthread_create(&crowd[i], &attr, work_together, &lock) == 0);
    for (int i = 0; i < CROWD; i++)
        join(crowd[i]);
    must(came == IN_ALL + CROWD);
}

int main(void)
{
    come_and_go();
    say("2000 threads came and went");
    be_a_crowd();
    say("500 threads were there at once");
    return 0;
}
