/*
 * claim: a writer and a reader of two read-write locks that wait for each other are reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error
 * run:
 * hangs: yes
 * timeout: 20
 * expect: deadlock at WANTS_B and WANTS_A
 */
#include <pthread.h>

static pthread_barrier_t met;
static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *arg)
{
    pthread_rwlock_rdlock(&a);
    pthread_barrier_wait(&met);
    pthread_rwlock_rdlock(&b); /* lock: WANTS_B */
    pthread_rwlock_unlock(&b);
    pthread_rwlock_unlock(&a);
    return arg;
}

static void *second(void *arg)
{
    pthread_rwlock_wrlock(&b);
    pthread_barrier_wait(&met);
    pthread_rwlock_wrlock(&a); /* lock: WANTS_A */
    pthread_rwlock_unlock(&a);
    pthread_rwlock_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&met, NULL, 2);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
