/*
 * claim: a program that probes memory and catches SIGSEGV keeps working, with the right address
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:500/100 x 5
 * run: x 3
 * expect: none
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum { PROBES = 40, PAGE = 4096 };

static __thread sigjmp_buf back;
static __thread void *volatile fault;
static char *hole; /* two pages are mapped, the two behind them are not */

static void handle(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    fault = info->si_addr;
    siglongjmp(back, 1);
}

static int readable(volatile char *where)
{
    if (sigsetjmp(back, 1) != 0)
        return 0;
    return *where == 0;
}

static int writable(volatile char *where)
{
    if (sigsetjmp(back, 1) != 0)
        return 0;
    *where = 0;
    return 1;
}

static void *probe(void *arg)
{
    long page = (long)arg * PAGE;
    int wrong = 0;
    for (int i = 0; i < PROBES; i++) {
        wrong += !readable(hole + page + i) || !writable(hole + page + i);
        wrong += readable(hole + 2 * PAGE + i) || fault != hole + 2 * PAGE + i;
        wrong += writable(hole + 2 * PAGE + i) || fault != hole + 2 * PAGE + i;
        wrong += readable(NULL) || fault != NULL;
    }
    return wrong ? &hole : NULL;
}

int main(void)
{
    struct sigaction action;
    pthread_t threads[2];
    int failed = 0;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
    hole = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(hole + 2 * PAGE, 2 * PAGE);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, probe, (void *)i);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        failed += result != NULL;
    }
    return failed;
}
