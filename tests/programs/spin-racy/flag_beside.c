/*
 * claim: a race beside a flag that is right is predicted, and the flag is not
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * predict: hb
 * predict: hybrid
 * expect: data-race on hits at HIT and HIT
 * spin: WAIT from SET
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "../spin/order.h"

enum { READERS = 3, CELLS = 32 };

static VAR int done;
static int table[CELLS];
static long checksum;
static int hits; /* what was forgotten */

static void *writer(void *arg)
{
    usleep(2000);
    for (int i = 0; i < CELLS; i++) {
        table[i] = i;
        checksum += i;
    }
    ORDER();
    done = 1; /* spin: SET */
    return arg;
}

static void *reader(void *arg)
{
    long sum = 0;
    while (!done) { /* spin: WAIT */
        sched_yield();
        ORDER();
    }
    ORDER();
    for (int i = 0; i < CELLS; i++)
        sum += table[i];
    if (sum == checksum)
        hits++; /* race: HIT */
    return arg;
}

int main(void)
{
    pthread_t threads[READERS + 1];
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    pthread_create(&threads[READERS], NULL, writer, NULL);
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], NULL);
    return hits < 1 || hits > READERS;
}
