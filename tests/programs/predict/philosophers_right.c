/*
 * claim: philosophers of whom one takes the other fork first: nothing is predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: none
 */
#include <pthread.h>
#include <unistd.h>

enum { PHILOSOPHERS = 5 };

static pthread_mutex_t forks[PHILOSOPHERS];
static int meals[PHILOSOPHERS];

static void *dine(void *arg)
{
    long self = (long)arg;
    long other = (self + 1) % PHILOSOPHERS;
    pthread_mutex_t *left = &forks[self < other ? self : other];
    pthread_mutex_t *right = &forks[self < other ? other : self];
    pthread_mutex_lock(left);
    pthread_mutex_lock(right);
    meals[self]++;
    pthread_mutex_unlock(right);
    pthread_mutex_unlock(left);
    return NULL;
}

int main(void)
{
    pthread_t threads[PHILOSOPHERS];
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < PHILOSOPHERS; i++) {
        pthread_create(&threads[i], NULL, dine, (void *)i);
        usleep(5000); /* they come one after the other */
    }
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < PHILOSOPHERS; i++)
        if (meals[i] != 1)
            return 1;
    return 0;
}
