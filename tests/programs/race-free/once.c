/*
 * claim: data made by pthread_once is never reported
 * build: -O1
 * run: --budget=max --noise=random:300/100 x 15
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[64], calls;

static void make_table(void)
{
    calls++;
    for (int i = 0; i < 64; i++)
        table[i] = i * i;
}

static void *work(void *arg)
{
    long sum = 0;
    (void)arg;
    pthread_once(&once, make_table);
    for (int i = 0; i < 64; i++)
        sum += table[i];
    return (void *)sum;
}

int main(void)
{
    pthread_t threads[4];
    long sum = 0;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    return sum != 4 * 85344 || calls != 1;
}
