/*
 * claim: windows and noise keep errno
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:1000/20 x 3
 * run: x 3
 * expect: none
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;
static __thread volatile long own[4];

static void *work(void *arg)
{
    for (int i = 1; i <= ROUNDS; i++) {
        errno = i;
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
        if (errno != i)
            return NULL;
        close(-1);
        own[i % 4] = i; /* a window between the call and its errno */
        if (errno != EBADF)
            return NULL;
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    void *results[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &results[i]);
    return results[0] == NULL || results[1] == NULL || counter != 2 * ROUNDS;
}
