/*
 * claim: threads that create threads, and join them
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>

enum { DEPTH = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *grow(void *arg)
{
    long depth = (long)arg;
    pthread_t threads[2];
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    if (depth == 0)
        return NULL;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, grow, (void *)(depth - 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return NULL;
}

int main(void)
{
    grow((void *)(long)DEPTH);
    return counter != (1 << (DEPTH + 1)) - 1;
}
