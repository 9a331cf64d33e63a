/*
 * claim: what a child process does to shared memory is waited for
 * build: -O1
 * ends: exit 0
 * schedules: 5
 * replay: no
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct shared {
    atomic_int held, flag;
    sem_t semaphore;
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_barrier_t barrier;
    int ready;
} * shared;

static void make(void)
{
    pthread_mutexattr_t mutex;
    pthread_condattr_t cond;
    pthread_barrierattr_t barrier;

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(&shared->semaphore, 1, 0);
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &mutex);
    pthread_condattr_init(&cond);
    pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->cond, &cond);
    pthread_barrierattr_init(&barrier);
    pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &barrier, 2);
}

/* Each step comes late, so that the parent waits for it. */
static void be_child(void)
{
    pthread_mutex_lock(&shared->mutex);
    shared->held = 1;
    usleep(10000);
    pthread_mutex_unlock(&shared->mutex);
    usleep(10000);
    sem_post(&shared->semaphore);
    usleep(10000);
    pthread_mutex_lock(&shared->mutex);
    shared->ready = 1;
    pthread_cond_signal(&shared->cond);
    pthread_mutex_unlock(&shared->mutex);
    usleep(10000);
    pthread_barrier_wait(&shared->barrier);
    usleep(10000);
    shared->flag = 1;
    _exit(0);
}

static void *wait_for_child(void *arg)
{
    while (!shared->held)
        usleep(1000);
    pthread_mutex_lock(&shared->mutex);
    pthread_mutex_unlock(&shared->mutex);
    sem_wait(&shared->semaphore);
    pthread_mutex_lock(&shared->mutex);
    while (!shared->ready)
        pthread_cond_wait(&shared->cond, &shared->mutex);
    pthread_mutex_unlock(&shared->mutex);
    pthread_barrier_wait(&shared->barrier);
    while (!shared->flag)
        ;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pid_t child;
    int status;

    make();
    child = fork();
    if (child == 0)
        be_child();
    pthread_create(&thread, NULL, wait_for_child, NULL);
    pthread_join(thread, NULL);
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}
