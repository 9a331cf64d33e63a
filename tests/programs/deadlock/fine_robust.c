/*
 * claim: a robust mutex whose owner ends while another thread waits for it is not reported
 * build: -O0
 * build: -O2
 * run: x 3
 * expect: none
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t robust;

static void *dies_with_lock(void *arg)
{
    pthread_mutex_lock(&robust);
    pthread_barrier_wait(arg);
    usleep(200000);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_barrier_t met;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    pthread_barrier_init(&met, NULL, 2);
    pthread_create(&thread, NULL, dies_with_lock, &met);
    pthread_barrier_wait(&met);
    if (pthread_mutex_lock(&robust) != EOWNERDEAD)
        return 1;
    pthread_mutex_consistent(&robust);
    pthread_mutex_unlock(&robust);
    pthread_join(thread, NULL);
    return 0;
}
