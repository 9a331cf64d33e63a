/*
 * claim: SIGSEGV and SIGBUS as a way of life: probes, guard pages, cut files, stack overflows
 * build: -O1
 * modes: run max record hunt explore heal only
 * stdout: jumped out of 4 x 40 faults
 * stdout: opened 4 x 16 guard pages
 * stdout: survived 4 overflows
 */
#include "hostile.h"
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

enum { THREADS = 4, FAULTS = 40, PAGES = 16, PAGE = 4096, STACK = 256 * 1024, ROOM = 64 * 1024 };

static __thread sigjmp_buf back;
static __thread char *volatile fault,
    *volatile guarded; /* of pages that the handler opens instead of leaving */
static __thread volatile int opened;

static void handle(int number, siginfo_t *info, void *context)
{
    char *page = (char *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1));
    (void)number, (void)context;
    if (guarded != NULL && page >= guarded && page < guarded + PAGES * PAGE) {
        must(mprotect(page, PAGE, PROT_READ | PROT_WRITE) == 0);
        opened = opened + 1;
        return; /* to the same access once more */
    }
    fault = info->si_addr;
    siglongjmp(back, 1);
}

static int can_write(volatile char *where)
{
    if (sigsetjmp(back, 1) != 0)
        return 0;
    *where = 1;
    return 1;
}

/* A file that is shorter than its mapping: SIGBUS. */
static char *map_cut_file(void)
{
    int file = memfd_create("cut", 0);
    must(file >= 0 && ftruncate(file, PAGE) == 0);
    char *map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    must(map != MAP_FAILED && ftruncate(file, 0) == 0);
    close(file);
    return map;
}

static void *probe(void *arg)
{
    char *closed = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
         *cut = map_cut_file();
    must(closed != MAP_FAILED);
    for (int i = 0; i < FAULTS / 2; i++) {
        must(!can_write(closed + i) && fault == closed + i);
        must(!can_write(cut + i) && fault == cut + i);
    }
    must(munmap(closed, PAGE) == 0 && munmap(cut, PAGE) == 0);
    return arg;
}

static void *open_guards(void *arg)
{
    char *pages = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(pages != MAP_FAILED);
    guarded = pages;
    for (int i = 0; i < PAGES; i++)
        ++*(volatile long *)(pages + i * PAGE);
    must(opened == PAGES);
    for (int i = 0; i < PAGES; i++)
        must(*(volatile long *)(pages + i * PAGE) == 1);
    guarded = NULL;
    must(munmap(pages, PAGES * PAGE) == 0);
    return arg;
}

/* Much for each call, and something left to do after it: no loop, and the end of the stack comes
 * soon. */
__attribute__((noinline)) static long dive(long depth)
{
    volatile char much[2048];
    much[depth % 2048] = (char)depth;
    if (depth > STACK)
        return 0; /* never: the stack is at its end before */
    return dive(depth + 1) + much[(depth + 1) % 2048];
}

static void *overflow(void *arg)
{
    stack_t stack;
    memset(&stack, 0, sizeof(stack));
    stack.ss_size = ROOM;
    stack.ss_sp = malloc(ROOM);
    must(stack.ss_sp != NULL && sigaltstack(&stack, NULL) == 0);
    if (sigsetjmp(back, 1) == 0)
        must(dive(0) == -1);
    stack.ss_flags = SS_DISABLE;
    must(sigaltstack(&stack, NULL) == 0);
    free(stack.ss_sp);
    return arg;
}

static void each(void *(*work)(void *), const char *what)
{
    pthread_t threads[THREADS];
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    must(pthread_attr_setstacksize(&attr, STACK) == 0);
    for (int i = 0; i < THREADS; i++)
        must(pthread_create(&threads[i], &attr, work, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        join(threads[i]);
    two_threads_count();
    say(what);
}

int main(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    must(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGBUS, &action, NULL) == 0);
    each(probe, "jumped out of 4 x 40 faults");
    each(open_guards, "opened 4 x 16 guard pages");
    each(overflow, "survived 4 overflows");
    return 0;
}
