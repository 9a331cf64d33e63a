/*
 * claim: what is handed over by condition variables that are waited for is never predicted
 * build: -O0
 * build: -O2
 * predict: hb
 * predict: hybrid
 * predict: deadlock,notify
 * expect: none
 */
#include <pthread.h>
#include <unistd.h>

enum { READERS = 3, CELLS = 8 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t written = PTHREAD_COND_INITIALIZER, read_by_all = PTHREAD_COND_INITIALIZER;
static int ready, waiting, readers;
static long cells[CELLS], sums[READERS];

static void *reader(void *arg)
{
    long self = (long)arg;
    pthread_mutex_lock(&mutex);
    waiting++;
    while (!ready)
        pthread_cond_wait(&written, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < CELLS; i++)
        sums[self] += cells[i];
    pthread_mutex_lock(&mutex);
    if (++readers == READERS)
        pthread_cond_signal(&read_by_all);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static int all_wait(void)
{
    pthread_mutex_lock(&mutex);
    int count = waiting;
    pthread_mutex_unlock(&mutex);
    return count == READERS;
}

int main(void)
{
    pthread_t threads[READERS];
    long sum = 0;
    for (long i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, reader, (void *)i);
    while (!all_wait())
        usleep(1000);
    for (int i = 0; i < CELLS; i++)
        cells[i] = i;
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_broadcast(&written);
    while (readers < READERS)
        pthread_cond_wait(&read_by_all, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < READERS; i++)
        sum += sums[i];
    return sum != READERS * CELLS * (CELLS - 1) / 2;
}
