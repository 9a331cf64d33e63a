/*
 * claim: a table and its "empty" flag, each right by itself: a flush in between makes them differ
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static atomic_int entries;
static atomic_bool empty = true;

static void *insert(void *arg)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    atomic_fetch_add(&entries, 1);
    atomic_store(&empty, false);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

static void *flush(void *arg)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    atomic_store(&entries, 0);
    atomic_store(&empty, true);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, insert, NULL);
    pthread_create(&threads[1], NULL, flush, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&empty) == (atomic_load(&entries) == 0));
    return 0;
}
