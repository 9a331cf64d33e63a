/*
 * claim: a reader that tries again when the sequence number has changed is right
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * runs: 5
 * expect: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { READERS = 2, ROUNDS = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned sequence;
static _Atomic int left, right;

static void write_both(int value)
{
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&sequence, 1);
    atomic_store(&left, value);
    atomic_store(&right, -value);
    atomic_fetch_add(&sequence, 1);
    pthread_mutex_unlock(&lock);
}

static int read_both(void)
{
    unsigned before, after;
    int a, b;
    do {
        before = atomic_load(&sequence);
        a = atomic_load(&left);
        b = atomic_load(&right);
        after = atomic_load(&sequence);
        if (before & 1)
            sched_yield();
    } while (before & 1 || before != after);
    return a + b;
}

static void *reads(void *arg)
{
    long wrong = 0;
    for (int i = 0; i < ROUNDS; i++)
        wrong += read_both() != 0;
    (void)arg;
    return (void *)wrong;
}

int main(void)
{
    pthread_t readers[READERS];
    long wrong = 0;
    for (int i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, reads, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        write_both(i);
        sched_yield();
    }
    for (int i = 0; i < READERS; i++) {
        void *result;
        pthread_join(readers[i], &result);
        wrong += (long)result;
    }
    return wrong != 0;
}
