/*
 * claim: a mutex that is initialised again while a thread holds it or waits for it is reported
 * build: -O0
 * build: -O2
 * run: x 2
 * expect: sync-misuse on mutex at HELD and TAKEN with reason=initialised-while-held
 * expect: sync-misuse at AWAITED and WAIT with reason=initialised-while-awaited
 * tsan: no
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t filled;
    int count;
};

static pthread_mutex_t mutex;
static sem_t taken, done;

static void *use(void *argument)
{
    struct queue *queue = argument;

    pthread_mutex_lock(&mutex); /* lock: TAKEN */
    pthread_mutex_lock(&queue->mutex);
    sem_post(&taken);
    while (!queue->count)
        pthread_cond_wait(&queue->filled, &queue->mutex); /* wait: WAIT */
    pthread_mutex_unlock(&queue->mutex);
    sem_wait(&done);
    return NULL;
}

int main(void)
{
    struct queue *queue = calloc(1, sizeof(*queue));
    pthread_t thread;

    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->filled, NULL);
    sem_init(&taken, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, use, queue);
    sem_wait(&taken);
    pthread_mutex_lock(&queue->mutex); /* it waits now */
    pthread_mutex_unlock(&queue->mutex);
    pthread_mutex_init(&queue->mutex, NULL); /* lock: AWAITED */
    pthread_mutex_lock(&queue->mutex);
    queue->count++;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->mutex);
    pthread_mutex_init(&mutex, NULL); /* lock: HELD */
    sem_post(&done);
    pthread_join(thread, NULL);
    free(queue);
    return 0;
}
