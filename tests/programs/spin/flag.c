/*
 * claim: what a flag announces is ordered by it (Tian, figure 1a)
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: WAIT from SET
 * tsan: racy without _Atomic
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "order.h"

enum { READERS = 3, CELLS = 64 };

struct shape {
    int cells;
    double scale;
};

static VAR int done;
static struct shape shape;
static int table[CELLS];
static long checksum;
static double results[READERS];

static void *writer(void *arg)
{
    usleep(2000); /* the readers are waiting by now */
    for (int i = 0; i < CELLS; i++) {
        table[i] = i * i;
        checksum += i * i;
    }
    shape = (struct shape){CELLS, 0.5};
    ORDER();
    done = 1; /* spin: SET */
    return arg;
}

static void *reader(void *arg)
{
    double *result = arg;
    long sum = 0;
    while (!done) { /* spin: WAIT */
        sched_yield();
        ORDER();
    }
    ORDER();
    for (int i = 0; i < shape.cells; i++)
        sum += table[i];
    *result = sum == checksum ? sum * shape.scale : -1;
    return NULL;
}

int main(void)
{
    pthread_t threads[READERS + 1];
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, reader, &results[i]);
    pthread_create(&threads[READERS], NULL, writer, NULL);
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < READERS; i++)
        if (results[i] != 42672.0) /* half of the sum of squares up to 63 */
            return 1;
    return 0;
}
