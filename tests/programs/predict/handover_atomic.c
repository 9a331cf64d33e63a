/*
 * claim: what is handed over by C11 atomics is never predicted: release and acquire, and a counter
 * build: -O0
 * build: -O2
 * predict: hb
 * predict: hybrid
 * predict: deadlock,notify
 * expect: none
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { WORKERS = 3, CELLS = 12 };

struct result {
    long cells[CELLS];
    int owner;
};

static _Atomic(struct result *) results[WORKERS];
static atomic_int finished;
static long parts[WORKERS], total;

static void *work(void *arg)
{
    long self = (long)arg;
    struct result *result = malloc(sizeof *result);
    for (int i = 0; i < CELLS; i++)
        result->cells[i] = self + i;
    result->owner = self;
    parts[self] = self;
    atomic_store_explicit(&results[self], result, memory_order_release);
    /* The last one sums up: everybody else has come by. */
    if (atomic_fetch_add_explicit(&finished, 1, memory_order_acq_rel) == WORKERS - 1) {
        for (int w = 0; w < WORKERS; w++) {
            struct result *other = atomic_load_explicit(&results[w], memory_order_acquire);
            total += parts[w] + other->owner + other->cells[CELLS - 1];
            free(other);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    return total != 3 + 3 + 3 + WORKERS * (CELLS - 1);
}
