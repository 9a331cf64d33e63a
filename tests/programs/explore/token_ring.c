/*
 * claim: stations that lock but do not wait for their turn: one passes on what it has not got yet
 * build: -O1 -DN=3
 * build: -O1 -DN=6
 * bug: assert
 * within: 50
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
#endif
static int token[N + 1] = {1}; /* station i takes token[i] and hands on token[i + 1] */

static void *station(void *arg)
{
    int me = (int)(long)arg;
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (token[me] == 0)
        pthread_cond_wait(&passed, &lock);
#endif
    token[me + 1] = token[me] + 1;
#ifdef FIXED
    pthread_cond_broadcast(&passed);
#endif
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++) {
        pthread_create(&threads[i], NULL, station, (void *)i);
        usleep(30000); /* usually it is through by then */
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(token[N] == N + 1);
    return 0;
}
