/*
 * claim: a signal that woke the wrong one of two waiters, who waits again, is reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error
 * run:
 * hangs: yes
 * timeout: 20
 * expect: notification on changed at FULL and FULL and FULL and EMPTY with reason=no-signaller
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full, empty, waiting;

static void *wait_full(void *arg)
{
    pthread_mutex_lock(&mutex);
    waiting++;
    while (!full)
        pthread_cond_wait(&changed, &mutex); /* wait: FULL */
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *wait_empty(void *arg)
{
    pthread_mutex_lock(&mutex);
    waiting++;
    while (!empty)
        pthread_cond_wait(&changed, &mutex); /* wait: EMPTY */
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void until_waiting(int wanted)
{
    for (int now = 0; now < wanted; usleep(5000)) {
        pthread_mutex_lock(&mutex);
        now = waiting;
        pthread_mutex_unlock(&mutex);
    }
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, wait_full, NULL);
    until_waiting(3);
    pthread_create(&threads[3], NULL, wait_empty, NULL); /* the last to be woken */
    until_waiting(4);
    pthread_mutex_lock(&mutex);
    empty = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
