/*
 * claim: what is tested again under the lock before it is used is right
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * runs: 5
 * expect: none
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 60 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static _Atomic(int *) instance;
static int made;

static int *get(void)
{
    int *mine = atomic_load_explicit(&instance, memory_order_acquire);
    if (mine == NULL) {
        pthread_mutex_lock(&lock);
        mine = atomic_load_explicit(&instance, memory_order_relaxed);
        if (mine == NULL) {
            mine = malloc(sizeof(*mine));
            *mine = 7;
            made++;
            atomic_store_explicit(&instance, mine, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return mine;
}

static void *uses(void *arg)
{
    long wrong = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&barrier);
        wrong += *get() != 7;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            free(atomic_load(&instance));
            atomic_store(&instance, NULL);
        }
    }
    (void)arg;
    return (void *)wrong;
}

int main(void)
{
    pthread_t threads[THREADS];
    long wrong = 0;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, uses, NULL);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong += (long)result;
    }
    return wrong != 0 || made != ROUNDS;
}
