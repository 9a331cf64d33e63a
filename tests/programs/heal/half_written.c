/*
 * claim: who reads between two writes that belong together sees what nobody should, and waits under block: a section
 *        that does not allow reads keeps out also those who do nothing but read
 * build: -O1
 * build: -O2
 * alone: fails
 * sections: infer --all
 * certain: block
 * runs: 10
 * heals: phase
 */
#include "crowd.h"

enum { CHANGES = 20000, FIRST = 100, READY = 1, CHANGING = 2 };

static volatile int phase = READY;
static volatile int is_over;
static _Atomic long seen, changes;

static void *writer(void *arg)
{
    crowd_begin();
    for (int i = 0; i < CHANGES; i++) {
        phase = CHANGING;
        dawdle(200);
        phase = READY;
        dawdle(200);
        changes++;
    }
    is_over = 1;
    return arg;
}

static void *reader(void *arg)
{
    crowd_begin();
    while (changes < FIRST) /* a read that is on its way when the very first section is entered is not kept out */
        sched_yield();
    while (!is_over) {
        if (phase == CHANGING)
            seen++;
        dawdle(50);
    }
    return arg;
}

int main(void)
{
    couple(writer, reader);
    if (!seen)
        return 0;
    fprintf(stderr, "seen %ld times\n", (long)seen);
    return 1;
}
