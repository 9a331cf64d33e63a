/*
 * claim: a signal that comes before the wait, which does not ask whether it has come, is lost
 * build: -O0
 * build: -O2
 * predict: notify
 * expect: notification on done at SIGNAL and WAIT with reason=lost-signal
 * compiler: 'pthread_cond_wait' is not in a loop
 */
#include <pthread.h>
#include <sys/stat.h>
#include "../unseen.h"

enum { WAITS = 0123 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int result, seen;

static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    result = 42;
    pthread_cond_signal(&done); /* signal: SIGNAL */
    pthread_mutex_unlock(&mutex);
    unseen_tell();
    return arg;
}

static void *waiter(void *arg)
{
    unseen_wait(); /* mostly it comes first, and all is well */
    pthread_mutex_lock(&mutex);
    umask(WAITS);
    pthread_cond_wait(&done, &mutex); /* wait: WAIT */
    seen = result;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, worker, NULL);
    pthread_join(threads[1], NULL);
    while (umask(0) != WAITS)
        usleep(1000);
    pthread_mutex_lock(&mutex);
    return 0; /* and leaves the other one hanging */
}
