/*
 * claim: data behind a lock in inline assembly, which no instrumentation sees, is never reported
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb x 2
 * expect: none
 */
#include <pthread.h>
#include <sched.h>

enum { ROUNDS = 800 };

static int busy;
static long counter;

static int swap(int value)
{
#ifdef __x86_64__
    __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(busy) : : "memory");
    return value;
#else
    return __atomic_exchange_n(&busy, value, __ATOMIC_SEQ_CST);
#endif
}

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        while (swap(1))
            sched_yield();
        counter++;
        swap(0);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counter != 2 * ROUNDS;
}
