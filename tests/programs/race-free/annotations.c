/*
 * claim: races that darn.h declares benign, or tells to ignore, are not reported
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:1000/100 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <darn.h>
#include <pthread.h>

enum { ROUNDS = 30 };

static pthread_barrier_t start;
static long benign, in_region, in_function;

DARN_IGNORE_FUNCTION static void count_carelessly(void)
{
    in_function++;
}

static void *work(void *arg)
{
    pthread_barrier_wait(&start);
    for (int i = 0; i < ROUNDS; i++) {
        benign++;
        DARN_IGNORE_BEGIN();
        in_region++;
        DARN_IGNORE_END();
        count_carelessly();
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    DARN_BENIGN_RACE(&benign, sizeof(benign));
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
