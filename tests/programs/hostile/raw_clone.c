/*
 * claim: threads that libc does not know, and a process that shares all memory with its parent
 * build: -O1
 * modes: run max record hunt explore heal only
 * stdout: a raw thread has counted
 * stdout: a raw process has counted
 */
#include "hostile.h"
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { ROUNDS = 100, STACK = 64 * 1024 };

static atomic_int counter;
static atomic_int alive; /* the kernel clears it, and wakes us, when the thread is gone */
static long plain;       /* of the raw thread until it has ended, then ours */

/* Calls nothing of the C library: it has no thread-local storage of its own. */
static int count(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        atomic_fetch_add(&counter, 1);
        plain++;
    }
    (void)arg;
    return 0;
}

static char *stack(void)
{
    char *area =
        mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    must(area != MAP_FAILED);
    return area;
}

static void run_thread(void)
{
    int value,
        flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    char *area = stack();
    atomic_store(&alive, 1);
    must(clone(count, area + STACK, flags | CLONE_CHILD_CLEARTID, NULL, NULL, NULL, &alive) > 0);
    while ((value = atomic_load(&alive)) != 0)
        syscall(SYS_futex, &alive, FUTEX_WAIT, value, NULL, NULL, 0);
    must(munmap(area, STACK) == 0);
}

static void run_process(void)
{
    char *area = stack();
    pid_t child = clone(count, area + STACK, CLONE_VM | CLONE_FILES | SIGCHLD, NULL);
    must(status_of(child) == 0);
    must(munmap(area, STACK) == 0);
}

int main(void)
{
    two_threads_count();
    run_thread();
    two_threads_count();
    must(atomic_load(&counter) == ROUNDS && plain == ROUNDS);
    say("a raw thread has counted");
    run_process();
    must(atomic_load(&counter) == 2 * ROUNDS && plain == 2 * ROUNDS);
    two_threads_count();
    say("a raw process has counted");
    return 0;
}
