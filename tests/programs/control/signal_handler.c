/*
 * claim: a signal reaches the thread that it was sent to while that waits, and its handler posts
 * build: -O1
 * ends: exit 0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

static sem_t started, handled, finish;
static atomic_int handler_ran_in_worker;
static pthread_t worker;

static void handle(int number)
{
    int error = errno;
    (void)number;
    if (pthread_equal(pthread_self(), worker))
        atomic_store(&handler_ran_in_worker, 1);
    sem_post(&handled);
    errno = error;
}

static void take(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0 && errno == EINTR)
        ;
}

static void *work(void *arg)
{
    sem_post(&started);
    take(&finish);
    return arg;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle};
    sem_init(&started, 0, 0);
    sem_init(&handled, 0, 0);
    sem_init(&finish, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&worker, NULL, work, NULL);
    take(&started);
    if (pthread_kill(worker, SIGUSR1) != 0)
        return 1;
    take(&handled);
    sem_post(&finish);
    pthread_join(worker, NULL);
    return !atomic_load(&handler_ran_in_worker);
}
