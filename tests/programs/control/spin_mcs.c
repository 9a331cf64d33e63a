/*
 * claim: an MCS lock: each thread spins on a word of its own, also who leaves
 * build: -O1
 * build: -O1 -DYIELD
 * ends: exit 0
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef YIELD
#define PAUSE() sched_yield()
#else
#define PAUSE() ((void)0)
#endif

enum { THREADS = 3, ROUNDS = 2 };

struct node {
    struct node *_Atomic next;
    atomic_int waits;
};

static struct node *_Atomic tail;
static int counter;

static void lock(struct node *mine)
{
    struct node *before;
    atomic_store(&mine->next, NULL);
    atomic_store(&mine->waits, 1);
    before = atomic_exchange(&tail, mine);
    if (before == NULL)
        return;
    atomic_store(&before->next, mine);
    while (atomic_load(&mine->waits))
        PAUSE();
}

static void unlock(struct node *mine)
{
    struct node *expected = mine, *next = atomic_load(&mine->next);
    if (next == NULL) {
        if (atomic_compare_exchange_strong(&tail, &expected, NULL))
            return;
        while ((next = atomic_load(&mine->next)) == NULL)
            PAUSE();
    }
    atomic_store(&next->waits, 0);
}

static void *count(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct node mine;
        lock(&mine);
        counter++;
        unlock(&mine);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return counter != THREADS * ROUNDS;
}
