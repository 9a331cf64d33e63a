/*
 * claim: a copy of a structure that races with its change is torn in most runs, and never when both accesses are healed
 * build: -O1
 * build: -O2
 * alone: fails
 * sections: races
 * race: COPY read on shared at memcpy
 * race: CHANGE write on shared at memcpy
 * certain: block lock
 * runs: 10
 * heals: shared
 */
#include "crowd.h"

#include <string.h>

enum { WORDS = 4096, ROUNDS = 300 };

struct table {
    long words[WORDS];
};

static struct table shared;
static int torn;

/* The size is known at run time only: the copy is a call. */
static volatile size_t size = sizeof(struct table);

static int is_torn(const struct table *table)
{
    for (int i = 1; i < WORDS; i++)
        if (table->words[i] != table->words[0])
            return 1;
    return 0;
}

static void *copies(void *arg)
{
    static struct table mine;
    crowd_begin_apart((long)arg);
    for (int i = 0; i < ROUNDS; i++) {
        memcpy(&mine, &shared, size); /* race: COPY */
        torn |= is_torn(&mine);
    }
    return arg;
}

static void *changes(void *arg)
{
    static struct table mine;
    crowd_begin_apart((long)arg);
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < WORDS; k++)
            mine.words[k] = i;
        memcpy(&shared, &mine, size); /* race: CHANGE */
    }
    return arg;
}

int main(void)
{
    couple(copies, changes);
    return torn;
}
