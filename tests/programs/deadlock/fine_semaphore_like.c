/*
 * claim: a mutex that is used as a semaphore, unlocked by another thread, is not reported
 * build: -O0
 * build: -O2
 * run: x 3
 * expect: none
 * tsan: no
 */
#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 5 };

static pthread_mutex_t bell = PTHREAD_MUTEX_INITIALIZER;
static long rung, heard;

static void *ringer(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        usleep(50000);
        __atomic_add_fetch(&rung, 1, __ATOMIC_SEQ_CST);
        pthread_mutex_unlock(&bell);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&bell);
    pthread_create(&thread, NULL, ringer, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&bell);
        heard++;
    }
    pthread_join(thread, NULL);
    return heard != rung;
}
