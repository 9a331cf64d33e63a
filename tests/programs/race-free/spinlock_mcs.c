/*
 * claim: data behind a hand-made MCS queue lock, whose nodes live on stacks, is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:20/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { ROUNDS = 400 };

struct node {
    _Atomic(struct node *) next;
    atomic_int waiting;
};

static _Atomic(struct node *) tail;
static long counter;

static void lock(struct node *me)
{
    atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&me->waiting, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
    if (before == NULL)
        return;
    atomic_store_explicit(&before->next, me, memory_order_release);
    while (atomic_load_explicit(&me->waiting, memory_order_acquire))
        sched_yield();
}

static void unlock(struct node *me)
{
    struct node *after = atomic_load_explicit(&me->next, memory_order_acquire);
    struct node *self = me;
    if (after == NULL) {
        if (atomic_compare_exchange_strong_explicit(&tail, &self, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return;
        while ((after = atomic_load_explicit(&me->next, memory_order_acquire)) == NULL)
            sched_yield();
    }
    atomic_store_explicit(&after->waiting, 0, memory_order_release);
}

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct node me;
        lock(&me);
        counter++;
        unlock(&me);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return counter != 3 * ROUNDS;
}
