/*
 * claim: N threads each fill the next free cell: two take the same one, and the sum is wrong
 * build: -O1 -DN=2
 * build: -O1 -DN=16
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 16
#endif

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static int cells[N + 1];
static volatile int next_free;

static void *fill(void *arg)
{
    int mine;
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    mine = next_free;
    next_free = mine + 1;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    cells[mine] = 1;
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    int sum = 0;
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, fill, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++)
        sum += cells[i];
    assert(sum == N);
    return 0;
}
