/*
 * claim: only if two threads take turns at every step does one reach the largest Fibonacci number
 * build: -O1 -DN=2
 * build: -O1 -DN=3
 * build: -O1 -DN=5
 * bug: assert
 * within: 200
 * within: 500
 * within: 5000
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int i = 1, j = 1;

static void *add_j(void *arg)
{
    for (int k = 0; k < N; k++) {
        pthread_mutex_lock(&lock);
        i += j;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *add_i(void *arg)
{
    for (int k = 0; k < N; k++) {
        pthread_mutex_lock(&lock);
        j += i;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

/* What i or j can become: the Fibonacci number after 2 N steps in turn. */
static int largest(void)
{
    int a = 1, b = 1;
    for (int k = 0; k < 2 * N; k++) {
        int sum = a + b;
        a = b;
        b = sum;
    }
    return b;
}

int main(void)
{
    pthread_t threads[2];
    int bound = largest();
#ifdef FIXED
    bound++;
#endif
    pthread_create(&threads[0], NULL, add_j, NULL);
    pthread_create(&threads[1], NULL, add_i, NULL);
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    assert(i < bound && j < bound);
    return 0;
}
