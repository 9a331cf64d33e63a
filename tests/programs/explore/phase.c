/*
 * claim: who is the last of a phase is decided by a second look, outside the lock: two are
 * build: -O1 -DN=2
 * build: -O1 -DN=4
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next_phase = PTHREAD_COND_INITIALIZER;
static int arrived, phase;

static void *work(void *arg)
{
    bool last;
    pthread_mutex_lock(&lock);
    arrived++;
#ifdef FIXED
    last = arrived == N;
    pthread_mutex_unlock(&lock);
#else
    pthread_mutex_unlock(&lock);
    last = arrived == N;
#endif
    pthread_mutex_lock(&lock);
    if (last) {
        phase++;
        assert(phase == 1);
        pthread_cond_broadcast(&next_phase);
    }
    while (phase == 0)
        pthread_cond_wait(&next_phase, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
