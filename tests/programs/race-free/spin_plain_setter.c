/*
 * claim: data behind an atomic flag is ordered, also if code that darn has not compiled sets the flag
 * plain: plain_flag.c
 * build: -O0
 * build: -O2
 * run: x 20
 * run: --budget=max x 20
 * expect: none
 * tsan: no
 */
#include <pthread.h>
#include <unistd.h>

void plain_flag_set(int *flag);

static int flag;
static long data[64];

static void *work(void *arg)
{
    for (int i = 0; i < 64; i++)
        data[i] = i;
    plain_flag_set(&flag);
    return arg;
}

int main(void)
{
    pthread_t thread;
    long sum = 0;

    pthread_create(&thread, NULL, work, NULL);
    while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
        continue;
    for (int i = 0; i < 64; i++)
        sum += data[i];
    pthread_join(thread, NULL);
    return sum != 63 * 32;
}
