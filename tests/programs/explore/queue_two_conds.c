/*
 * claim: a queue that signals only when it was empty: of two consumers one sleeps beside its item
 * build: -O1
 * bug: deadlock
 * within: 500
 * fixed: yes
 */
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

enum { CAPACITY = 2, ITEMS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int count;

static void *put(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (count == CAPACITY)
            pthread_cond_wait(&not_full, &lock);
        count++;
#ifdef FIXED
        pthread_cond_signal(&not_empty);
#else
        if (count == 1)
            pthread_cond_signal(&not_empty);
#endif
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *take(void *arg)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, put, NULL);
    usleep(30000); /* usually nobody has to wait for an item */
    pthread_create(&threads[1], NULL, take, NULL);
    pthread_create(&threads[2], NULL, take, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return count;
}
