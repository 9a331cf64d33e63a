/*
 * claim: memory that is freed inside its section, or lies on a stack that is gone, is anybody's again
 * build: -O1
 * alone: right
 * bound: 20000
 * heals: box->count
 */
#include "crowd.h"

enum { ROUNDS = 200 };

struct box {
    volatile long count;
    long other;
};

/* Leaves the section by freeing it. */
__attribute__((noinline)) static void put_away(struct box *box)
{
    if (box->count > 0) {
        if (box->other < 0)
            box->count = 0;
        free(box);
    }
}

__attribute__((noinline)) static void fill(struct box *box)
{
    box->count = box->count + 1;
}

static void *rounds(void *arg)
{
    crowd_begin();
    for (int i = 0; i < ROUNDS; i++) {
        struct box *box = calloc(1, sizeof *box), local = {0, 0};
        if (box == NULL)
            abort();
        fill(&local);
        fill(box);
        if (box->count != 1 || local.count != 1)
            abort();
        put_away(box);
    }
    return arg;
}

int main(void)
{
    crowd(4, rounds);
    return 0;
}
