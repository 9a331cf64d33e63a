/*
 * claim: a cycle through a mutex, a read-write lock and a spin lock is predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: deadlock at WANTS_RW and WANTS_SPIN and WANTS_MUTEX
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static int count[3];

static void *zero(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_rwlock_rdlock(&rwlock); /* lock: WANTS_RW */
    count[0]++;
    pthread_rwlock_unlock(&rwlock);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *one(void *arg)
{
    pthread_rwlock_wrlock(&rwlock);
    pthread_spin_lock(&spin); /* lock: WANTS_SPIN */
    count[1]++;
    pthread_spin_unlock(&spin);
    pthread_rwlock_unlock(&rwlock);
    return arg;
}

static void *two(void *arg)
{
    pthread_spin_lock(&spin);
    pthread_mutex_lock(&mutex); /* lock: WANTS_MUTEX */
    count[2]++;
    pthread_mutex_unlock(&mutex);
    pthread_spin_unlock(&spin);
    return arg;
}

int main(void)
{
    void *(*const work[3])(void *) = {zero, one, two};
    pthread_t threads[3];
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, work[i], NULL);
        usleep(10000);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return count[0] + count[1] + count[2] != 3;
}
