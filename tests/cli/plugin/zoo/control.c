/* Ways for control to go that a pass which splits blocks and adds calls must not disturb. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int shared, table[16];
jmp_buf env;
int tail(int n);

int asm_goto(int x)
{
    asm goto("testl %0,%0; jne %l1" : : "r"(x) : "cc" : out);
    shared = 1;
out:
    return shared;
}

void inline_asm(void)
{
    asm volatile("lock; incl %0" : "+m"(shared));
    asm volatile("" ::: "memory");
    table[1] = shared;
}

int computed_goto(const unsigned char *code)
{
    static void *const ops[] = {&&inc, &&dec, &&halt};

    goto *ops[*code];
inc:
    shared++;
    goto *ops[*++code];
dec:
    shared--;
    goto *ops[*++code];
halt:
    return shared;
}

int jumps(void)
{
    if (setjmp(env))
        return shared;
    shared++;
    if (shared < 5)
        longjmp(env, 1);
    return table[2];
}

int variadic(int n, ...)
{
    va_list list, copy;
    int sum = 0;

    va_start(list, n);
    va_copy(copy, list);
    while (n--)
        sum += va_arg(list, int) + table[n & 15] + (int)va_arg(copy, long);
    va_end(list);
    va_end(copy);
    return sum;
}

int variable_length(int n, int (*matrix)[n])
{
    int a[n], sum = 0;

    memset(a, 0, sizeof(a));
    for (int i = 0; i < n; i++)
        a[i] = table[i & 15];
    for (int i = 0; i < n; i++)
        sum += a[i];
    matrix[1][2] = sum;
    return sum;
}

int on_stack(size_t n)
{
    char *p = __builtin_alloca(n);

    memset(p, 1, n);
    shared = p[n / 2];
    return shared;
}

#define CASES(n)                                                                                   \
    case n:                                                                                        \
        return table[(n)&15] + shared;                                                             \
    case (n) + 100:                                                                                \
        table[(n)&15] = n;                                                                         \
        break;                                                                                     \
    case (n) + 200:                                                                                \
        shared ^= n;                                                                               \
        break
#define FIVE(n)                                                                                    \
    CASES(n);                                                                                      \
    CASES(n + 1);                                                                                  \
    CASES(n + 2);                                                                                  \
    CASES(n + 3);                                                                                  \
    CASES(n + 4)
#define TEN(n)                                                                                     \
    FIVE(n);                                                                                       \
    FIVE(n + 5)

int huge_switch(int x)
{
    switch (x) {
        TEN(0);
        TEN(10);
        TEN(20);
        TEN(30);
        TEN(40);
        TEN(50);
        TEN(60);
        TEN(70);
        TEN(80);
        TEN(90);
    default:
        return shared;
    }
    return x;
}

static void handler(int number)
{
    shared = number;
}

void signals(void)
{
    signal(SIGUSR1, handler);
}

int recursion(int n)
{
    return n ? recursion(n - 1) + table[n & 15] : shared;
}

int must_tail(int n)
{
    shared++;
    __attribute__((musttail)) return tail(n);
}

_Noreturn void no_return(void)
{
    shared = 1;
    abort();
}

int undefined(int *p)
{
    *p = 1;
    __builtin_unreachable();
}

void endless(void)
{
    for (;;)
        shared++;
}

int choice(int *a, int *b, int c)
{
    return *(c ? a : b) = c;
}

int null_pointer(void)
{
    return *(volatile int *)0;
}
