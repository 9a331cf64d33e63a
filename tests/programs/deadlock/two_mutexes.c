/*
 * claim: two threads that wait for each other's mutex are reported while they hang
 * build: -O0
 * build: -O2
 * run: --halt-on-error
 * run:
 * hangs: yes
 * timeout: 20
 * expect: deadlock at WANTS_B and WANTS_A
 */
#include <pthread.h>

static pthread_barrier_t met; /* both have their first lock */
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_barrier_wait(&met);
    pthread_mutex_lock(&b); /* lock: WANTS_B */
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_barrier_wait(&met);
    pthread_mutex_lock(&a); /* lock: WANTS_A */
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&met, NULL, 2);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
