/* What runs before and after main, and the exit status. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static char order[16];
static atomic_int places;
static _Thread_local int mine = 3;
extern int elsewhere __attribute__((weak));

static void note(char c)
{
    order[atomic_fetch_add(&places, 1)] = c;
}

__attribute__((constructor(300))) static void first(void)
{
    note('a');
}

__attribute__((constructor)) static void second(void)
{
    note('b');
}

static void at_exit(void)
{
    note('d');
    fprintf(stdout, "%s\n", order);
}

__attribute__((destructor)) static void last(void)
{
    note('e');
    fprintf(stdout, "%s %d\n", order, mine);
}

int main(int argc, char **argv)
{
    int expected = 2;

    atexit(at_exit);
    mine += argc;
    note(atomic_compare_exchange_strong(&places, &expected, 2) ? 'c' : 'x');
    printf("%d %d %d\n", argv[argc] == NULL, &elsewhere == NULL, atomic_load(&places));
    exit(order[0] == 'a' ? 42 : 1);
}
