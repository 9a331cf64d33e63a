/*
 * claim: threads that all wait until a signal handler posts are not reported
 * build: -O0
 * build: -O2
 * run: x 2
 * expect: none
 * tsan: no
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int go;

static void ring(int number)
{
    (void)number;
    sem_post(&semaphore);
}

static void *waiter(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!go)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *messenger(void *arg)
{
    while (sem_wait(&semaphore) != 0)
        continue;
    pthread_mutex_lock(&mutex);
    go = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    struct itimerval alarm = {{0, 0}, {0, 700000}};
    sem_init(&semaphore, 0, 0);
    signal(SIGALRM, ring);
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&changed); /* finds nobody, as it must */
    pthread_mutex_unlock(&mutex);
    setitimer(ITIMER_REAL, &alarm, NULL);
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, waiter, NULL);
    pthread_create(&threads[2], NULL, messenger, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
