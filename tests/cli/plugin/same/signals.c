/* Signal handlers that interrupt, return, and jump away; on a stack of their own, too. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

volatile sig_atomic_t got, nested;
int plain, order[8], count;
sigjmp_buf back;
char *page;

static void note(int number)
{
    got = number;
    plain += number;
    order[count++ & 7] = number;
    if (number == SIGUSR1 && !nested) {
        nested = 1;
        raise(SIGUSR2);
        order[count++ & 7] = -number;
    }
}

static void jump(int number)
{
    plain++;
    siglongjmp(back, number);
}

static void with_info(int number, siginfo_t *info, void *context)
{
    (void)context;
    order[count++ & 7] = number + (info->si_code == SI_TKILL ? 1000 : 0);
}

static void on_own_stack(int number)
{
    char space[2000];

    memset(space, number, sizeof(space));
    plain += space[1999];
}

int main(void)
{
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    struct sigaction action = {.sa_handler = note};
    int caught;

    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR1);
    printf("%d %d %d %d\n", got, plain, nested, count);
    action = (struct sigaction){.sa_sigaction = with_info, .sa_flags = SA_SIGINFO};
    sigaction(SIGHUP, &action, NULL);
    raise(SIGHUP);
    action = (struct sigaction){.sa_handler = jump};
    sigaction(SIGSEGV, &action, NULL);
    caught = sigsetjmp(back, 1);
    if (!caught) {
        plain = 100;
        *(volatile char *)page = 1;
        puts("not reached");
    }
    printf("%d %d\n", caught == SIGSEGV, plain);
    sigaltstack(&stack, NULL);
    action = (struct sigaction){.sa_handler = on_own_stack, .sa_flags = SA_ONSTACK};
    sigaction(SIGINT, &action, NULL);
    raise(SIGINT);
    printf("%d", plain);
    for (int i = 0; i < count; i++)
        printf(" %d", order[i]);
    puts("");
    free(stack.ss_sp);
    return 0;
}
