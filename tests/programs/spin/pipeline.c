/*
 * claim: a pipeline whose stages hand over by flags is ordered by them, in both directions
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: FULL from FILL
 * spin: EMPTY from DRAIN
 * tsan: racy without _Atomic
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "order.h"

enum { STAGES = 4, ITEMS = 40, PARTS = 4 };

/* One place between two stages; the flag says whose it is. */
struct place {
    VAR int full;
    long serial;
    long parts[PARTS];
};

static struct place places[STAGES - 1];
static long result;

static void put(struct place *place, long serial, const long *parts)
{
    while (place->full) { /* spin: EMPTY */
        sched_yield();
        ORDER();
    }
    ORDER();
    place->serial = serial;
    for (int i = 0; i < PARTS; i++)
        place->parts[i] = parts[i];
    ORDER();
    place->full = 1; /* spin: FILL */
}

static long take(struct place *place, long *parts)
{
    while (!place->full) { /* spin: FULL */
        sched_yield();
        ORDER();
    }
    ORDER();
    long serial = place->serial;
    for (int i = 0; i < PARTS; i++)
        parts[i] = place->parts[i];
    ORDER();
    place->full = 0; /* spin: DRAIN */
    return serial;
}

static void *stage(void *arg)
{
    long self = (long)arg;
    for (int item = 0; item < ITEMS; item++) {
        long parts[PARTS] = {item, item, item, item}, serial = item;
        if (item % 8 == self)
            usleep(300); /* the stages before find their places full, those after theirs empty */
        if (self > 0)
            serial = take(&places[self - 1], parts);
        for (int i = 0; i < PARTS; i++)
            parts[i] += self;
        if (self < STAGES - 1)
            put(&places[self], serial, parts);
        else
            result += parts[0] + parts[PARTS - 1] + serial;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[STAGES];
    for (long i = 0; i < STAGES; i++)
        pthread_create(&threads[i], NULL, stage, (void *)i);
    for (int i = 0; i < STAGES; i++)
        pthread_join(threads[i], NULL);
    return result != 3 * ITEMS * (ITEMS - 1) / 2 + 2 * ITEMS * 6;
}
