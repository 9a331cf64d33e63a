/*
 * claim: memory that is only read while it is shared is never reported
 * build: -O0
 * build: -O3 -march=native
 * run: --budget=max --noise=random:50/20 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <string.h>

static int table[64];
static const char *const names[] = {"one", "two", "three"};
static char text[64];

static void *work(void *arg)
{
    long sum = 0;
    (void)arg;
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 64; i++)
            sum += table[i];
        sum += (long)strlen(names[round % 3]) + (long)strlen(text);
    }
    return (void *)sum;
}

int main(void)
{
    pthread_t threads[3];
    void *sums[3];
    for (int i = 0; i < 64; i++)
        table[i] = i;
    memset(text, 'x', 63);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], &sums[i]);
    table[0] = 1; /* after the join: not shared any more */
    return sums[0] != sums[1] || sums[1] != sums[2];
}
