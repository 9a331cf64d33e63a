/*
 * claim: data behind a lock of a library that was not recompiled is never reported
 * tsan: no
 * plain: plain_lock.c
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb x 2
 * expect: none
 */
#include <pthread.h>

enum { ROUNDS = 800 };

void plain_lock(void);
void plain_unlock(void);

static long counter, squares;

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        plain_lock();
        squares += counter * counter;
        counter++;
        plain_unlock();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    long n = 2 * ROUNDS;
    return counter != n || squares != (n - 1) * n * (2 * n - 1) / 6;
}
