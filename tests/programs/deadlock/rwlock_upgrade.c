/*
 * claim: a reader that wants to become the writer waits for itself, and is reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error
 * run:
 * hangs: yes
 * timeout: 20
 * expect: deadlock on lock at UPGRADE
 */
#include <pthread.h>

static pthread_barrier_t met;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int uses;

static void *work(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    pthread_barrier_wait(&met);
    pthread_rwlock_wrlock(&lock); /* lock: UPGRADE */
    uses++;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&met, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return uses != 2;
}
