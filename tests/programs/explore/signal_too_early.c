/*
 * claim: a signal before the change that it announces: the waiter looks in between and waits again
 * build: -O1
 * bug: deadlock
 * within: 20
 * fixed: yes
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int number;

static void *fill(void *arg)
{
    pthread_mutex_lock(&lock);
    while (number > 0)
        pthread_cond_wait(&emptied, &lock);
#ifdef FIXED
    number++;
    pthread_cond_signal(&filled);
#else
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    number++;
#endif
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *empty(void *arg)
{
    pthread_mutex_lock(&lock);
    while (number == 0)
        pthread_cond_wait(&filled, &lock);
    number--;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, fill, NULL);
    pthread_create(&threads[1], NULL, empty, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return number;
}
