/*
 * claim: two threads that the same one has cancelled come after it, and in no order with each other
 * build: -O0
 * build: -O2
 * run: x 20
 * predict: hb x 3
 * expect: data-race on cleaned at CLEAN and CLEAN
 * never: reason
 */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static int cleaned, reason;
static sem_t begun;

static void clean_up(void *arg)
{
    (void)arg;
    cleaned += reason; /* race: CLEAN */
}

static void *work(void *arg)
{
    pthread_cleanup_push(clean_up, NULL);
    sem_post(&begun);
    for (;;)
        pause();
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    pthread_t threads[2];

    sem_init(&begun, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        sem_wait(&begun);
    reason = 1;
    for (int i = 0; i < 2; i++)
        pthread_cancel(threads[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return cleaned < 1;
}
