/*
 * claim: of N threads all but one store to a, then to b; that one looks between the first two
 * build: -O1 -DN=3
 * build: -O1 -DN=4
 * build: -O1 -DN=10
 * build: -O1 -DN=20
 * build: -O1 -DN=100
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define ENTER() pthread_mutex_lock(&lock)
#define LEAVE() pthread_mutex_unlock(&lock)
#else
#define ENTER() ((void)0)
#define LEAVE() ((void)0)
#endif

static volatile int a, b;

static void *set(void *arg)
{
    ENTER();
    a = 1;
    b = -1;
    LEAVE();
    return arg;
}

static void *check(void *arg)
{
    int seen_a, seen_b;
    ENTER();
    seen_a = a;
    seen_b = b;
    LEAVE();
    assert((seen_a == 0 && seen_b == 0) || (seen_a == 1 && seen_b == -1));
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, i < N - 1 ? set : check, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
