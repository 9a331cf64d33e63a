/*
 * claim: philosophers who come one after the other could starve: a cycle of five is predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: deadlock at SECOND and SECOND and SECOND and SECOND and SECOND
 */
#include <pthread.h>
#include <unistd.h>

enum { PHILOSOPHERS = 5 };

static pthread_mutex_t forks[PHILOSOPHERS];
static int meals[PHILOSOPHERS];

static void *dine(void *arg)
{
    long self = (long)arg;
    pthread_mutex_t *left = &forks[self], *right = &forks[(self + 1) % PHILOSOPHERS];
    pthread_mutex_lock(left);
    pthread_mutex_lock(right); /* lock: SECOND */
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
