/*
 * claim: what a read-write lock, a mutex and a spin lock protect is never predicted
 * build: -O0
 * build: -O2
 * predict: hb
 * predict: hybrid
 * predict: deadlock,notify
 * expect: none
 */
#include <pthread.h>
#include <sched.h>

enum { THREADS = 3, ROUNDS = 30 };

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static struct {
    int entries;
    long cells[8];
} table;
static long seen, spins;

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        long sum = 0;
        pthread_rwlock_wrlock(&rwlock);
        table.cells[table.entries++ % 8]++;
        pthread_rwlock_unlock(&rwlock);
        pthread_rwlock_rdlock(&rwlock);
        for (int k = 0; k < 8; k++)
            sum += table.cells[k];
        sum -= table.entries;
        pthread_rwlock_unlock(&rwlock);
        pthread_mutex_lock(&mutex);
        seen += sum == 0;
        pthread_mutex_unlock(&mutex);
        pthread_spin_lock(&spin);
        spins++;
        pthread_spin_unlock(&spin);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return seen != THREADS * ROUNDS || spins != seen || table.entries != seen;
}
