/*
 * claim: a barrier that is a count alone: who begins the next round locks the others into this one
 * build: -O1
 * bug: deadlock
 * within: 100
 * fixed: yes
 */
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 2, ROUNDS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_there = PTHREAD_COND_INITIALIZER;
static int count;
#ifdef FIXED
static int generation;
#endif

static void barrier(void)
{
    pthread_mutex_lock(&lock);
#ifdef FIXED
    int mine = generation;
    if (++count == THREADS) {
        count = 0;
        generation++;
        pthread_cond_broadcast(&all_there);
    }
    while (generation == mine)
        pthread_cond_wait(&all_there, &lock);
#else
    if (++count == THREADS) {
        count = 0;
        pthread_cond_broadcast(&all_there);
    }
    while (count != 0)
        pthread_cond_wait(&all_there, &lock);
#endif
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        barrier();
        usleep(30000); /* the work of a round: usually everybody has left the barrier by then */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
