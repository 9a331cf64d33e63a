/*
 * claim: a counter that two functions guard with different locks loses an update
 * build: -O1 -DN=2
 * build: -O1 -DN=8
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t data_lock = PTHREAD_MUTEX_INITIALIZER;
#ifndef FIXED
static pthread_mutex_t other_lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static int data;

static void *add_one(void *arg)
{
    pthread_mutex_lock(&data_lock);
    data = data + 1;
    pthread_mutex_unlock(&data_lock);
    return arg;
}

static void *add_one_wrong(void *arg)
{
#ifdef FIXED
    pthread_mutex_t *lock = &data_lock;
#else
    pthread_mutex_t *lock = &other_lock;
#endif
    pthread_mutex_lock(lock);
    data = data + 1;
    pthread_mutex_unlock(lock);
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, i == N / 2 ? add_one_wrong : add_one, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(data == N);
    return 0;
}
