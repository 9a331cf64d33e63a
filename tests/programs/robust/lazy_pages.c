/*
 * claim: a program that maps pages on demand, in its SIGSEGV handler, keeps working
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:500/100 x 5
 * run: x 3
 * expect: none
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 20 };

static char *area;

static void map_page(int number, siginfo_t *info, void *context)
{
    char *page = (char *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1));
    (void)number, (void)context;
    if (page < area || page >= area + 2 * PAGES * PAGE)
        _exit(9);
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static void *work(void *arg)
{
    char *mine = arg;
    for (int i = 0; i < PAGES; i++) {
        mine[i * PAGE + 7] = (char)i; /* an unmapped page is met by a write, */
        if (mine[i * PAGE + 8] != 0)
            return NULL;
        i++;
        if (mine[i * PAGE] != 0) /* or by a read */
            return NULL;
    }
    return arg;
}

int main(void)
{
    struct sigaction action;
    pthread_t threads[2];
    int failed = 0;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = map_page;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
    area = mmap(NULL, 2 * PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, area + i * PAGES * PAGE);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        failed += result == NULL;
    }
    return failed;
}
