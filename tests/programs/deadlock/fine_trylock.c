/*
 * claim: threads that try, and step back if they do not succeed, are not reported
 * build: -O0
 * build: -O2
 * run: x 3
 * expect: none
 */
#include <pthread.h>
#include <sched.h>

enum { ROUNDS = 200 };

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int count;

static void *work(void *arg)
{
    long self = (long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&locks[self]);
        while (pthread_mutex_trylock(&locks[!self]) != 0) {
            pthread_mutex_unlock(&locks[self]);
            sched_yield();
            pthread_mutex_lock(&locks[self]);
        }
        count++;
        pthread_mutex_unlock(&locks[!self]);
        pthread_mutex_unlock(&locks[self]);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return count != 2 * ROUNDS;
}
