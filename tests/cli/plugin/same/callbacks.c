/* Calls back from code that was not compiled by darn, and tables of functions. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

struct record {
    int key;
    char name[12];
};

struct record records[200];
int comparisons, visited;
static unsigned long seed = 1;

static unsigned next(void)
{
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(seed >> 33);
}

static int by_key(const void *a, const void *b)
{
    const struct record *x = a, *y = b;

    comparisons++;
    return (x->key > y->key) - (x->key < y->key);
}

static int by_name(const void *a, const void *b)
{
    const char *x = ((const struct record *)a)->name, *y = ((const struct record *)b)->name;

    while (*x && *x == *y)
        x++, y++;
    return (unsigned char)*x - (unsigned char)*y;
}

static void visit(const void *node, VISIT order, int depth)
{
    if (order == postorder || order == leaf)
        visited += depth * (*(struct record *const *)node)->key;
}

static long plus(long a, long b)
{
    return a + b;
}

static long minus(long a, long b)
{
    return a - b;
}

static long times(long a, long b)
{
    return a * b % 1000003;
}

static long (*const operations[])(long, long) = {plus, minus, times};

int main(void)
{
    struct record wanted = {.key = 0};
    void *tree = NULL;
    long value = 1;

    for (int i = 0; i < 200; i++) {
        records[i].key = (int)(next() % 100000);
        snprintf(records[i].name, sizeof(records[i].name), "n%u", next() % 1000);
    }
    qsort(records, 200, sizeof(records[0]), by_name);
    printf("%s %s\n", records[0].name, records[199].name);
    qsort(records, 200, sizeof(records[0]), by_key);
    wanted.key = records[77].key;
    printf(
        "%d %d\n", records[0].key,
        (int)((struct record *)bsearch(&wanted, records, 200, sizeof(wanted), by_key) - records));
    for (int i = 0; i < 200; i += 7)
        tsearch(&records[i * 13 % 200], &tree, by_key);
    twalk(tree, visit);
    for (int i = 0; i < 1000; i++)
        value = operations[next() % 3](value, records[i % 200].key);
    printf("%d %ld %d\n", visited, value, comparisons > 1000);
    return 0;
}
