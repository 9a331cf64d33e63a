/*
 * claim: a lock and a flag made of futexes by hand: whoever waits in the kernel lets others go on
 * build: -O1
 * ends: exit 0
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FREE, TAKEN, WANTED, THREADS = 3 };

static atomic_int word, go;
static int counter;

static void wait_while(atomic_int *at, int value)
{
    syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void lock(void)
{
    int expected = FREE;
    if (atomic_compare_exchange_strong(&word, &expected, TAKEN))
        return;
    while (atomic_exchange(&word, WANTED) != FREE)
        wait_while(&word, WANTED);
}

static void unlock(void)
{
    if (atomic_exchange(&word, FREE) == WANTED)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *work(void *arg)
{
    while (!atomic_load(&go))
        wait_while(&go, 0);
    lock();
    counter++;
    unlock();
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    atomic_store(&go, 1);
    syscall(SYS_futex, &go, FUTEX_WAKE_PRIVATE, THREADS, NULL, NULL, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return counter != THREADS;
}
