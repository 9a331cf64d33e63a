/*
 * claim: a loop that waits for another thread where nobody sees it loses its turn
 * build: -O1
 * build: -O1 -DOTHERS
 * schedules: 8
 * ends: exit 0
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
#ifdef OTHERS
static atomic_int other;
#endif

/* No access that darn knows of, and no call. */
__attribute__((noinline)) static int look(const void *at)
{
    int value;

    __asm__ volatile("movl (%1), %0" : "=r"(value) : "r"(at) : "memory");
    return value;
}

static int (*volatile looks)(const void *at) = look;

static void *wait_for_it(void *none)
{
    while (!looks(&flag))
        ;
    return none;
}

static void *set_it(void *none)
{
#ifdef OTHERS
    while (atomic_load(&other) < 20)
        atomic_fetch_add(&other, 1);
#endif
    atomic_store(&flag, 1);
    return none;
}

int main(void)
{
    pthread_t waiter, setter;

    pthread_create(&waiter, NULL, wait_for_it, NULL);
    pthread_create(&setter, NULL, set_it, NULL);
    while (!looks(&flag))
        ;
    pthread_join(waiter, NULL);
    pthread_join(setter, NULL);
    return 0;
}
