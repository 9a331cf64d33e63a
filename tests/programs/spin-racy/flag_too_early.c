/*
 * claim: what a thread writes after it has set the flag races, what it wrote before does not
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * predict: hb
 * predict: hybrid
 * expect: data-race on data[1] or data[] at LATE and READ
 * spin: WAIT from SET
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "../spin/order.h"

static VAR int done;
static long before[4];
static long data[2];

static void *writer(void *arg)
{
    usleep(2000);
    for (int i = 0; i < 4; i++)
        before[i] = i;
    data[0] = 6;
    data[1] = 5;
    ORDER();
    done = 1; /* spin: SET */
    ORDER();
    data[1] = 6; /* race: LATE */
    return arg;
}

static void *reader(void *arg)
{
    long *result = arg;
    while (!done) { /* spin: WAIT */
        sched_yield();
        ORDER();
    }
    ORDER();
    for (int i = 0; i < 4; i++)
        *result += before[i];
    *result += data[0];
    *result += data[1]; /* race: READ */
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    long result = 0;
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, &result);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return result != 17 && result != 18;
}
