/*
 * claim: a signal that came too early, with everybody waiting for another one, is reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error
 * run:
 * hangs: yes
 * timeout: 20
 * expect: notification on done at WAIT with reason=no-signaller
 * compiler: 'pthread_cond_wait' is not in a loop
 */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static sem_t signalled;
static int result;

static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    result = 42;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&mutex);
    sem_post(&signalled);
    return arg;
}

static void *waiter(void *arg)
{
    while (sem_wait(&signalled) != 0)
        continue;
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&done, &mutex); /* wait: WAIT */
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&signalled, 0, 0);
    pthread_create(&threads[0], NULL, worker, NULL);
    pthread_create(&threads[1], NULL, waiter, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return result != 42;
}
