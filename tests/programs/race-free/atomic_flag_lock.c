/*
 * claim: data behind a hand-made atomic_flag lock is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { ROUNDS = 600 };

static atomic_flag busy = ATOMIC_FLAG_INIT;
static long counter, history[16];

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
            sched_yield();
        history[counter % 16] = counter;
        counter++;
        atomic_flag_clear_explicit(&busy, memory_order_release);
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
    return counter != 3 * ROUNDS || history[(counter - 1) % 16] != counter - 1;
}
