/*
 * claim: a lock that is one statement of assembly, with no branch the compiler sees, is respected
 * tsan: no
 * build: -O0
 * build: -O1
 * build: -O3
 * run: --budget=max --noise=random:50/20 x 8
 * run: x 4
 * predict: hb x 2
 * expect: none
 */
#include <pthread.h>

enum { ROUNDS = 600 };

static int busy;
static long own[2], counter, squares;

#ifdef __x86_64__
#define LOCK()                                                                                     \
    __asm__ volatile("1: movl $1, %%eax\n"                                                         \
                     "   xchgl %%eax, %0\n"                                                        \
                     "   testl %%eax, %%eax\n"                                                     \
                     "   jz 2f\n"                                                                  \
                     "   movl $24, %%eax\n"                                                        \
                     "   syscall\n" /* sched_yield */                                              \
                     "   jmp 1b\n"                                                                 \
                     "2:"                                                                          \
                     : "+m"(busy)                                                                  \
                     :                                                                             \
                     : "rax", "rcx", "r11", "memory", "cc")
#define UNLOCK() __asm__ volatile("movl $0, %0" : "=m"(busy) : : "memory")
#else
#define LOCK()                                                                                     \
    do {                                                                                           \
    } while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
#define UNLOCK() __atomic_store_n(&busy, 0, __ATOMIC_RELEASE)
#endif

/* One basic block: a check of the guarded accesses must not move in front of the lock. */
static void *work(void *arg)
{
    long *mine = arg;
    for (int i = 0; i < ROUNDS; i++) {
        *mine += 1;
        LOCK();
        counter++;
        squares += counter * counter;
        UNLOCK();
        *mine += 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    long n = 2 * ROUNDS;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &own[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counter != n || squares != n * (n + 1) * (2 * n + 1) / 6 || own[0] != n || own[1] != n;
}
