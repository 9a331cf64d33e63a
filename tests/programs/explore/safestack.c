/*
 * claim: Vyukov's lock-free stack: two of three threads own an element, if preempted often enough
 * build: -O1
 * build: -O1 -DWALK
 * bug: assert
 * within: 100000
 * within: 20000
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

enum { THREADS = 3, ELEMENTS = 3, ROUNDS = 2, NONE = -1 };

static atomic_int next[ELEMENTS] = {1, 2, NONE};
static volatile int owner[ELEMENTS]; /* whoever took the element is the only one to touch it */

#ifdef FIXED

/* The head has a version, so that a head that has come back is seen to be another one. */
static _Atomic uint64_t head;

static uint64_t with(uint64_t old, int element)
{
    return (((old >> 32) + 1) << 32) | (uint32_t)element;
}

static int pop(void)
{
    uint64_t old = atomic_load(&head);
    int element;
    do {
        element = (int)(uint32_t)old;
        if (element == NONE)
            return NONE;
    } while (!atomic_compare_exchange_strong(&head, &old, with(old, atomic_load(&next[element]))));
    return element;
}

static void push(int element)
{
    uint64_t old = atomic_load(&head);
    do
        atomic_store(&next[element], (int)(uint32_t)old);
    while (!atomic_compare_exchange_strong(&head, &old, with(old, element)));
}

#else

static atomic_int head, count = ELEMENTS;

/* Whoever takes the head's successor out with the exchange keeps all others from popping that
 * element; it puts the successor back when the head was another one by then. It may put back what
 * is not true any more. The last element is never popped. */
static int pop(void)
{
    while (atomic_load(&count) > 1) {
        int old = atomic_load(&head);
        int successor = atomic_exchange(&next[old], NONE);
        int expected = old;
        if (successor < 0) {
            sched_yield(); /* somebody else is about to pop it, or it has been popped */
            continue;
        }
        if (atomic_compare_exchange_strong(&head, &expected, successor)) {
            atomic_fetch_sub(&count, 1);
            return old;
        }
        atomic_exchange(&next[old], successor);
    }
    return NONE;
}

static void push(int element)
{
    int old = atomic_load(&head);
    do
        atomic_store(&next[element], old);
    while (!atomic_compare_exchange_strong(&head, &old, element));
    atomic_fetch_add(&count, 1);
}

#endif

static void *work(void *arg)
{
    int number = (int)(long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        int element;
        while ((element = pop()) == NONE)
            sched_yield();
        owner[element] = number;
        assert(owner[element] == number);
        push(element);
    }
    return NULL;
}

/* An exhaustive search in a model of this program says how many preemptions it takes at least:
 * seven for two owners at once, of which five spoil the stack (this is the one that is known to be
 * hard); four for a spoilt stack that all have left, which only -DWALK looks at. */
#ifdef WALK
static void walk(void)
{
    int found[ELEMENTS] = {0};
    int element = (int)(uint32_t)atomic_load(&head);
    for (int i = 0; i < ELEMENTS; i++) {
        assert(element != NONE && found[element]++ == 0);
        element = atomic_load(&next[element]);
    }
    assert(element == NONE);
}
#endif

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
#ifdef WALK
    walk();
#endif
    return 0;
}
