/*
 * claim: dining philosophers: each takes the left fork first, and all wait for the right one
 * build: -O1 -DN=2
 * build: -O1 -DN=5
 * bug: deadlock
 * within: 20
 * fixed: yes
 */
#include <pthread.h>

#ifndef N
#define N 5
#endif

static pthread_mutex_t forks[N];
static int meals[N];

static void *dine(void *arg)
{
    int me = (int)(long)arg, left = me, right = (me + 1) % N;
#ifdef FIXED
    if (right < left) {
        left = right;
        right = me;
    }
#endif
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    meals[me]++;
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int sum = 0;
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
        sum += meals[i];
    }
    return sum != N;
}
