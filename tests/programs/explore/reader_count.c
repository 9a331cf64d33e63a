/*
 * claim: a reader that leaves without the lock spoils the count: a writer comes in beside another
 * build: -O1
 * bug: assert
 * within: 2000
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* The first reader takes the room, the last one gives it back; the writer only tries. */
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static volatile int readers;
static atomic_int room, reading, writing;

static void begin(void)
{
    pthread_mutex_lock(&counting);
    if (readers++ == 0)
        atomic_store(&room, 1);
    pthread_mutex_unlock(&counting);
}

static void end(void)
{
#ifdef FIXED
    pthread_mutex_lock(&counting);
#endif
    int left = readers - 1;
    readers = left;
    if (left == 0)
        atomic_store(&room, 0);
#ifdef FIXED
    pthread_mutex_unlock(&counting);
#endif
}

static void *read_it(void *arg)
{
    begin();
    atomic_fetch_add(&reading, 1);
    assert(atomic_load(&writing) == 0);
    atomic_fetch_sub(&reading, 1);
    end();
    return arg;
}

static void *write_it(void *arg)
{
    pthread_mutex_lock(&counting); /* keeps new readers out */
    if (atomic_load(&room) == 0) {
        atomic_store(&writing, 1);
        assert(atomic_load(&reading) == 0);
        atomic_store(&writing, 0);
    }
    pthread_mutex_unlock(&counting);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, i < 2 ? read_it : write_it, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
