/* Hands a value over by an atomic that darn never sees, from a thread of its own to main: compiled
 * by the plain compiler. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

void compiled_put(long value);
long compiled_get(void);

enum { ROUNDS = 50 };

static atomic_int turn;

static void await(int round)
{
    while (atomic_load_explicit(&turn, memory_order_acquire) != round)
        sched_yield();
}

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        await(2 * i);
        compiled_put(i);
        atomic_store_explicit(&turn, 2 * i + 1, memory_order_release);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    int wrong = 0;

    pthread_create(&thread, NULL, work, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        await(2 * i + 1);
        wrong += compiled_get() != i;
        atomic_store_explicit(&turn, 2 * i + 2, memory_order_release);
    }
    pthread_join(thread, NULL);
    return wrong;
}
