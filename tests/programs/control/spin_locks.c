/*
 * claim: POSIX spin locks: who waits for one lets its holder go on
 * build: -O1
 * ends: exit 0
 */
#include <errno.h>
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 3 };

static pthread_spinlock_t lock;
static int counter;

static void *count(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_spin_lock(&lock);
        counter++;
        pthread_spin_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (pthread_spin_lock(&lock) != 0 || pthread_spin_trylock(&lock) != EBUSY)
        return 2;
    pthread_spin_unlock(&lock);
    return counter != THREADS * ROUNDS;
}
