/*
 * claim: a reader that fetches the pointer before it counts itself in reads a reclaimed object
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct version {
    int value;
};

static struct version versions[2] = {{1}, {2}};
static struct version *_Atomic current = &versions[0];
static atomic_int readers;

static void *read_it(void *arg)
{
    struct version *seen;
#ifdef FIXED
    atomic_fetch_add(&readers, 1);
    seen = atomic_load(&current);
#else
    seen = atomic_load(&current);
    atomic_fetch_add(&readers, 1);
#endif
    assert(seen->value != 0);
    atomic_fetch_sub(&readers, 1);
    return arg;
}

static void *update(void *arg)
{
    struct version *old = atomic_load(&current);
    atomic_store(&current, &versions[1]);
    while (atomic_load(&readers) != 0)
        sched_yield();
    old->value = 0; /* from here on it is somebody else's */
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, read_it, NULL);
    pthread_create(&threads[1], NULL, update, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
