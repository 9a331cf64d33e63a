/*
 * claim: both orders, kept apart by a semaphore: predicted, for only fork, join and barriers count
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: deadlock on a, b at INNER and INNER
 */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t through;
static int count;

static void both(pthread_mutex_t *outer, pthread_mutex_t *inner)
{
    pthread_mutex_lock(outer);
    pthread_mutex_lock(inner); /* lock: INNER */
    count++;
    pthread_mutex_unlock(inner);
    pthread_mutex_unlock(outer);
}

static void *first(void *arg)
{
    both(&a, &b);
    sem_post(&through);
    return arg;
}

static void *second(void *arg)
{
    while (sem_wait(&through) != 0)
        continue;
    both(&b, &a);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&through, 0, 0);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return count != 2;
}
