/*
 * claim: two threads that wait for one condition variable with different mutexes are reported
 * build: -O0
 * build: -O2
 * predict: notify
 * expect: notification at WITH_A and WITH_B with reason=two-mutexes
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int go_a, go_b;

static void *with_a(void *arg)
{
    pthread_mutex_lock(&a);
    while (!go_a)
        pthread_cond_wait(&changed, &a); /* wait: WITH_A */
    pthread_mutex_unlock(&a);
    return arg;
}

static void *with_b(void *arg)
{
    pthread_mutex_lock(&b);
    while (!go_b)
        pthread_cond_wait(&changed, &b); /* wait: WITH_B */
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, with_a, NULL);
    pthread_create(&threads[1], NULL, with_b, NULL);
    usleep(40000);
    pthread_mutex_lock(&a);
    go_a = 1;
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
    go_b = 1;
    pthread_mutex_unlock(&b);
    pthread_cond_broadcast(&changed);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
