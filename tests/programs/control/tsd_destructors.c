/*
 * claim: destructors of thread-specific data that lock, and set their value once more
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>

enum { THREADS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int calls;

/* The value counts down: the second call comes in the next round of destructors. */
static void destroy(void *value)
{
    pthread_mutex_lock(&lock);
    calls++;
    pthread_mutex_unlock(&lock);
    if ((long)value > 1)
        pthread_setspecific(key, (void *)((long)value - 1));
}

static void *work(void *arg)
{
    pthread_setspecific(key, (void *)2L);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    if (arg == NULL)
        pthread_exit(NULL);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_key_create(&key, destroy);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, i == 0 ? NULL : &key);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return calls != 2 * THREADS;
}
