/* Jumps of all kinds, and values that live across them. */
#include <setjmp.h>
#include <stdio.h>

enum { PUSH, ADD, MUL, DUP, LESS, BRANCH, HALT };

static const int program[] = {PUSH, 1,    PUSH, 3,    MUL,    PUSH, 1,   ADD,
                              DUP,  PUSH, 500,  LESS, BRANCH, 2,    HALT};
int stack[16], top, steps;
jmp_buf outer, inner;
volatile int tries;
char to[40];

static int interpret(void)
{
    static void *const labels[] = {&&push, &&add, &&mul, &&dup, &&less, &&branch, &&halt};
    const int *pc = program;

#define NEXT goto *labels[(steps++, *pc++)]
    NEXT;
push:
    stack[top++] = *pc++;
    NEXT;
add:
    top--;
    stack[top - 1] += stack[top];
    NEXT;
mul:
    top--;
    stack[top - 1] *= stack[top];
    NEXT;
dup:
    stack[top] = stack[top - 1];
    top++;
    NEXT;
less:
    top--;
    stack[top - 1] = stack[top - 1] < stack[top];
    NEXT;
branch:
    if (stack[--top])
        pc = program + *pc;
    else
        pc++;
    NEXT;
halt:
    return stack[--top];
}

/* Duff's device */
static void copy(char *out, const char *in, int n)
{
    int rounds = (n + 3) / 4;

    switch (n % 4) {
    case 0:
        do {
            *out++ = *in++;
            __attribute__((fallthrough));
        case 3:
            *out++ = *in++;
            __attribute__((fallthrough));
        case 2:
            *out++ = *in++;
            __attribute__((fallthrough));
        case 1:
            *out++ = *in++;
        } while (--rounds > 0);
    }
}

static void fail(jmp_buf where, int level)
{
    tries++;
    if (level)
        fail(where, level - 1);
    else
        longjmp(where, tries);
}

static int retry(int n)
{
    if (setjmp(inner) == 0)
        fail(inner, n);
    return tries + n;
}

int main(void)
{
    volatile int sum = 0;

    if (setjmp(outer) < 12) {
        sum = sum + retry(2);
        fail(outer, 1);
    }
    copy(to, "how many bytes are these?", 26);
    printf("%d %d %d %d\n", sum, tries, interpret(), steps);
    puts(to);
    return 0;
}
