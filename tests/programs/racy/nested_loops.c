/*
 * claim: a loop in a loop, with bounds that others could write, waits for nobody
 * build: -O0
 * build: -O1
 * build: -O2
 * run: x 20
 * expect: data-race on cells or cells[] at CELL and CELL
 */
#include <pthread.h>
#include "../unseen.h"

static int rows = 4, columns = 4;
static int cells[16];

static void fill(void)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++)
            cells[i * 4 + j] += 1; /* race: CELL */
    }
}

static void *work(void *arg)
{
    fill();
    unseen_tell();
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
    unseen_wait(); /* the other one is done by then */
    fill();
    pthread_join(thread, NULL);
    return cells[0] < 1;
}
