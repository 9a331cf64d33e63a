/*
 * claim: lanes that a masked vector access leaves out are never reported
 * build: -O1
 * build: -O3 -march=native
 * run: --budget=max --noise=random:50/30 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>

enum { CELLS = 128, ROUNDS = 40 };

static unsigned values[CELLS];
static unsigned char owner[CELLS]; /* read-only once the threads run */

/* Vectorized with masks: only the own cells are read or written. */
static void *work(void *arg)
{
    unsigned char me = (unsigned char)(long)arg;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CELLS; i++)
            if (owner[i] == me)
                values[i] = values[i] * 3 + me;
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < CELLS; i++)
        owner[i] = (unsigned char)((i * 7 + i / 5) % 3);
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < CELLS; i++) {
        unsigned expected = 0;
        for (int round = 0; round < ROUNDS; round++)
            expected = expected * 3 + owner[i];
        if (values[i] != expected)
            return 1;
    }
    return 0;
}
