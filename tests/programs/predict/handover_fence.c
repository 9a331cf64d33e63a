/*
 * claim: what is handed over by relaxed atomics with fences is never predicted
 * build: -O0
 * build: -O2
 * predict: hb
 * predict: hybrid
 * predict: deadlock,notify
 * expect: none
 * tsan: no
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ROUNDS = 12, CELLS = 6 };

static atomic_int turn;
static long cells[CELLS];

static void *work(void *arg)
{
    long self = (long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load_explicit(&turn, memory_order_relaxed) % 2 != self)
            sched_yield();
        atomic_thread_fence(memory_order_acquire);
        for (int k = 0; k < CELLS; k++)
            cells[k] += self + 1;
        usleep(100);
        atomic_thread_fence(memory_order_release);
        atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return cells[CELLS - 1] != 3 * ROUNDS;
}
