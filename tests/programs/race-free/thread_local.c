/*
 * claim: thread-local variables, also when reused by later threads, are never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>

enum { ROUNDS = 200 };

static __thread long counter;
static _Thread_local struct {
    int values[4];
} block;
__thread long exported;

static void bump(long *where)
{
    ++*where;
}

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        counter++;
        block.values[i % 4]++;
        bump(&exported);
    }
    return (void *)(counter + block.values[0] + exported);
}

int main(void)
{
    for (int round = 0; round < 3; round++) {
        pthread_t threads[3];
        for (int i = 0; i < 3; i++)
            pthread_create(&threads[i], NULL, work, NULL);
        for (int i = 0; i < 3; i++) {
            void *sum;
            pthread_join(threads[i], &sum);
            if ((long)sum != ROUNDS + ROUNDS / 4 + ROUNDS)
                return 1;
        }
    }
    return counter != 0;
}
