/*
 * claim: a mutex that is used as a semaphore, unlocked by another thread, is misused, but no deadlock
 * build: -O0
 * build: -O2
 * run: x 3
 * expect: sync-misuse on bell at RING and TAKEN with reason=held-by-other
 * tsan: no
 */
#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 5 };

static pthread_mutex_t bell = PTHREAD_MUTEX_INITIALIZER;
static long rung;
static _Atomic long heard;

static void *ringer(void *arg)
{
#pragma GCC unroll 1
    for (int i = 0; i < ROUNDS; i++) {
        while (heard < i) /* the last one: else two make one */
            usleep(1000);
        usleep(50000);
        __atomic_add_fetch(&rung, 1, __ATOMIC_SEQ_CST);
        pthread_mutex_unlock(&bell); /* lock: RING */
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&bell); /* lock: TAKEN */
    pthread_create(&thread, NULL, ringer, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&bell); /* lock: TAKEN */
        heard++;
    }
    pthread_join(thread, NULL);
    return heard != rung;
}
