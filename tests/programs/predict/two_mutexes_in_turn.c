/*
 * claim: a condition variable that nobody waits for any more may be used with another mutex
 * build: -O0
 * build: -O2
 * predict: notify
 * expect: none
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int go[2];

static void *waiter(void *arg)
{
    long which = (long)arg;
    pthread_mutex_lock(&mutexes[which]);
    while (!go[which])
        pthread_cond_wait(&changed, &mutexes[which]);
    pthread_mutex_unlock(&mutexes[which]);
    return NULL;
}

int main(void)
{
    for (long i = 0; i < 2; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, waiter, (void *)i);
        usleep(5000);
        pthread_mutex_lock(&mutexes[i]);
        go[i] = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutexes[i]);
        pthread_join(thread, NULL);
    }
    return 0;
}
