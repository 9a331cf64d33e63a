/*
 * claim: a thread that locks its normal mutex again is reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error
 * run:
 * hangs: yes
 * timeout: 20
 * expect: deadlock at AGAIN
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void add(void)
{
    pthread_mutex_lock(&mutex); /* lock: AGAIN */
    count++;
    pthread_mutex_unlock(&mutex);
}

int main(void)
{
    add();
    pthread_mutex_lock(&mutex);
    add();
    pthread_mutex_unlock(&mutex);
    return count != 2;
}
