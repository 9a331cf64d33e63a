/*
 * claim: data ordered by an asymmetric fence (membarrier) is never reported
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:50/20 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FAST = 3000, SLOW = 60 };

static atomic_int fast_inside, slow_wants;
static long counter;
static int barrier_command;

/* The frequent side pays a compiler barrier only; the rare side pays for both. */
static void *fast(void *arg)
{
    (void)arg;
    for (int i = 0; i < FAST;) {
        atomic_store_explicit(&fast_inside, 1, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        if (!atomic_load_explicit(&slow_wants, memory_order_acquire)) {
            counter++;
            i++;
        }
        atomic_store_explicit(&fast_inside, 0, memory_order_release);
        if (atomic_load_explicit(&slow_wants, memory_order_relaxed))
            sched_yield();
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    barrier_command = MEMBARRIER_CMD_PRIVATE_EXPEDITED;
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
        return 0; /* this kernel has none */
    pthread_create(&thread, NULL, fast, NULL);
    for (int i = 0; i < SLOW; i++) {
        atomic_store_explicit(&slow_wants, 1, memory_order_relaxed);
        syscall(SYS_membarrier, barrier_command, 0, 0);
        while (atomic_load_explicit(&fast_inside, memory_order_acquire))
            sched_yield();
        counter++;
        atomic_store_explicit(&slow_wants, 0, memory_order_release);
        sched_yield();
    }
    pthread_join(thread, NULL);
    return counter != FAST + SLOW;
}
