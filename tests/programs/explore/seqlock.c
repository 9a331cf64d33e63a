/*
 * claim: a reader that looks whether the count has changed, not whether it was odd: a torn pair
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int low, high;

static void *update(void *arg)
{
    atomic_fetch_add(&sequence, 1);
    atomic_store(&low, 1);
    atomic_store(&high, 1);
    atomic_fetch_add(&sequence, 1);
    return arg;
}

static void *read_pair(void *arg)
{
    unsigned before;
    int seen_low, seen_high;
    for (;;) {
        before = atomic_load(&sequence);
        seen_low = atomic_load(&low);
        seen_high = atomic_load(&high);
#ifdef FIXED
        if (before % 2 == 0 && atomic_load(&sequence) == before)
#else
        if (atomic_load(&sequence) == before)
#endif
            break;
        sched_yield();
    }
    assert(seen_low == seen_high);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, update, NULL);
    pthread_create(&threads[1], NULL, read_pair, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
