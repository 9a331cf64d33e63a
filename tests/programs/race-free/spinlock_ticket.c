/*
 * claim: data behind a hand-made ticket lock is never reported
 * build: -O1
 * build: -O3
 * run: --budget=max --noise=random:20/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { ROUNDS = 500 };

static atomic_uint next_ticket, now_serving;
static struct {
    unsigned counter;
    unsigned char digits[4];
} guarded;

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
        while (atomic_load_explicit(&now_serving, memory_order_acquire) != mine)
            sched_yield();
        guarded.counter++;
        for (int digit = 0; digit < 4; digit++)
            guarded.digits[digit] = (unsigned char)(guarded.counter >> 8 * digit);
        atomic_store_explicit(&now_serving, mine + 1, memory_order_release);
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
    return guarded.counter != 3 * ROUNDS || guarded.digits[0] != (3 * ROUNDS & 255);
}
