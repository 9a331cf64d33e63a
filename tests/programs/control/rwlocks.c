/*
 * claim: readers are inside together, a writer alone; what is busy says so
 * build: -O1
 * build: -O1 -DWRITERS_FIRST
 * ends: exit 0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

#ifdef WRITERS_FIRST
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#endif
static pthread_barrier_t both_inside;
static int low, high, errors;

static void *read_together(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    pthread_barrier_wait(&both_inside);
    if (pthread_rwlock_trywrlock(&lock) != EBUSY)
        __atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED);
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *read_pair(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    if (low != high)
        __atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED);
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *write_pair(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    low++;
    if (pthread_rwlock_tryrdlock(&lock) == 0)
        __atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED);
    high++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    void *(*const work[])(void *) = {write_pair, read_pair, write_pair, read_pair};
    pthread_t threads[4];
    pthread_barrier_init(&both_inside, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, read_together, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return errors != 0 || low != 2 || high != 2;
}
