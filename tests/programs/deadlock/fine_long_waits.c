/*
 * claim: waits that take long, and end, are not reported
 * build: -O0
 * build: -O2
 * run: x 2
 * expect: none
 */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

/* Everybody waits for somebody, in a chain with main at its end, who sleeps. */
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int go, through;
static pthread_t holder;

static void *hold_a_want_b(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    through++;
    pthread_mutex_unlock(&a);
    return arg;
}

static void *want_a(void *arg)
{
    usleep(10000);
    pthread_mutex_lock(&a);
    through++;
    pthread_mutex_unlock(&a);
    return arg;
}

static void *want_rwlock(void *arg)
{
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *want_signal(void *arg)
{
    pthread_mutex_lock(&b);
    while (!go)
        pthread_cond_wait(&changed, &b);
    pthread_mutex_unlock(&b);
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *want_semaphore(void *arg)
{
    while (sem_wait(&semaphore) != 0)
        continue;
    pthread_join(holder, NULL);
    return arg;
}

int main(void)
{
    void *(*const work[])(void *) = {want_a, want_rwlock, want_signal, want_semaphore};
    pthread_t threads[4];
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 0);
    pthread_mutex_lock(&b);
    pthread_rwlock_wrlock(&rwlock);
    pthread_create(&holder, NULL, hold_a_want_b, NULL);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work[i], NULL);
    usleep(400000);
    go = 1;
    pthread_mutex_unlock(&b);
    usleep(100000);
    pthread_mutex_lock(&b);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&b);
    usleep(200000);
    pthread_rwlock_unlock(&rwlock);
    usleep(200000);
    sem_post(&semaphore);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return through != 2;
}
