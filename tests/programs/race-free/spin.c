/*
 * claim: a counter behind a pthread spin lock is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:20/10 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <sched.h>

enum { ROUNDS = 1000 };

static pthread_spinlock_t lock;
static long counter;

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 2)
            pthread_spin_lock(&lock);
        else
            while (pthread_spin_trylock(&lock) != 0)
                sched_yield();
        counter++;
        pthread_spin_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_spin_destroy(&lock);
    return counter != 2 * ROUNDS;
}
