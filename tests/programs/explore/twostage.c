/*
 * claim: two values that belong together have a lock each: a reader comes between the two stages
 * build: -O1 -DN=2
 * build: -O1 -DN=100
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>

/* N threads: one reads, all others write the same. */
#ifndef N
#define N 2
#endif

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *write_both(void *arg)
{
    pthread_mutex_lock(&first_lock);
    first = 1;
#ifndef FIXED
    pthread_mutex_unlock(&first_lock);
#endif
    pthread_mutex_lock(&second_lock);
    second = first + 1;
    pthread_mutex_unlock(&second_lock);
#ifdef FIXED
    pthread_mutex_unlock(&first_lock);
#endif
    return arg;
}

static void *read_both(void *arg)
{
    int one, two;
    pthread_mutex_lock(&first_lock);
    one = first;
    pthread_mutex_unlock(&first_lock);
    if (one == 0)
        return arg;
    pthread_mutex_lock(&second_lock);
    two = second;
    pthread_mutex_unlock(&second_lock);
    assert(two == one + 1);
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, i < N - 1 ? write_both : read_both, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
