/*
 * claim: a join while holding the lock that the joined thread wants is reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error
 * run:
 * hangs: yes
 * timeout: 20
 * expect: deadlock at JOIN and WANTS
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *arg)
{
    pthread_mutex_lock(&mutex); /* lock: WANTS */
    count++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL); /* lock: JOIN */
    pthread_mutex_unlock(&mutex);
    return count != 1;
}
