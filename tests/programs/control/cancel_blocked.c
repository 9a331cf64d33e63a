/*
 * claim: a thread that waits is cancelled there: its cleanup runs, and whoever joins it is told
 * build: -O1 -DWHERE=CONDITION
 * build: -O1 -DWHERE=SEMAPHORE
 * build: -O1 -DWHERE=SLEEP
 * build: -O1 -DWHERE=READ
 * build: -O1 -DWHERE=JOIN
 * build: -O1 -DWHERE=TEST
 * ends: exit 0
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

enum { CONDITION, SEMAPHORE, SLEEP, READ, JOIN, TEST };

#ifndef WHERE
#define WHERE CONDITION
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t started, never_posted;
static int ends[2], cleaned;
static pthread_t main_thread;

static void clean_up(void *arg)
{
    cleaned++;
    pthread_mutex_unlock(arg);
}

static void wait_for_ever(void)
{
    char byte;
    switch (WHERE) {
    case CONDITION:
        for (;;)
            pthread_cond_wait(&never, &lock);
    case SEMAPHORE:
        sem_wait(&never_posted);
        break;
    case SLEEP:
        for (;;)
            sleep(1000);
    case READ:
        (void)!read(ends[0], &byte, 1);
        break;
    case JOIN:
        pthread_join(main_thread, NULL);
        break;
    case TEST:
        for (;;) {
            pthread_testcancel();
            sched_yield();
        }
    }
}

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(clean_up, &lock);
    sem_post(&started);
    wait_for_ever();
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    void *result;
    main_thread = pthread_self();
    sem_init(&started, 0, 0);
    sem_init(&never_posted, 0, 0);
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, work, NULL);
    sem_wait(&started);
    if (pthread_cancel(thread) != 0)
        return 2;
    pthread_mutex_lock(&lock); /* free after the cleanup, or while it waits for the condition */
    pthread_mutex_unlock(&lock);
    pthread_join(thread, &result);
    return result != PTHREAD_CANCELED || cleaned != 1;
}
