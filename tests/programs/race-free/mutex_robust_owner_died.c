/*
 * claim: data inherited through a robust mutex whose owner died is never reported
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:200/50 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <errno.h>
#include <pthread.h>

enum { ROUNDS = 20 };

static pthread_mutex_t lock;
static int half_done;

static void *die_with_lock(void *arg)
{
    (void)arg;
    if (pthread_mutex_lock(&lock) == EOWNERDEAD)
        pthread_mutex_consistent(&lock);
    half_done++;
    return NULL; /* still holds the lock */
}

static void *repair(void *arg)
{
    int *repaired = arg;
    int error = pthread_mutex_lock(&lock);
    if (error == EOWNERDEAD) {
        pthread_mutex_consistent(&lock);
        half_done++;
        (*repaired)++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attr);

    int repaired = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t dying, repairing;
        pthread_create(&dying, NULL, die_with_lock, NULL);
        pthread_create(&repairing, NULL, repair, &repaired);
        pthread_join(dying, NULL);
        pthread_join(repairing, NULL);
    }
    return half_done != ROUNDS + repaired;
}
