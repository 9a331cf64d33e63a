/*
 * claim: a flag that is a plain variable may be reported, the data that it orders never
 * tsan: racy
 * build: -O0
 * build: -O1
 * build: -O2
 * run: --budget=max --noise=random:100/50 x 8
 * run: --budget=max --noise=var:flag:500/200 x 8
 * run: x 4
 * predict: hb
 * expect: none
 * allow: data-race on flag
 * never: data
 */
#include <pthread.h>
#include <sched.h>

enum { ROUNDS = 60 };

static int flag;
static long data;

/* The compiler must not cache the flag nor move the data: x86 keeps the rest in order. */
#define COMPILER_BARRIER() __asm__ volatile("" ::: "memory")
#if defined(__x86_64__) || defined(__i386__)
#define ORDER() COMPILER_BARRIER()
#else
#define ORDER() __sync_synchronize()
#endif

static void *partner(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        while (flag != 1) {
            sched_yield();
            COMPILER_BARRIER();
        }
        ORDER();
        data += 2;
        ORDER();
        flag = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, partner, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        while (flag != 0) {
            sched_yield();
            COMPILER_BARRIER();
        }
        ORDER();
        data++;
        ORDER();
        flag = 1;
    }
    pthread_join(thread, NULL);
    return data != 3 * ROUNDS;
}
