/*
 * claim: an object that is destroyed in one thread and used in another, before or after, with nothing that orders the two, is reported in every plain run
 * build: -O0
 * build: -O2
 * build: -O2 -DAFTER
 * run: x 20
 * run: --budget=max x 5
 * predict: hb x 1
 * expect: data-race on mutex at UNLOCK and MUTEX
 * expect: data-race on rwlock at UNREAD and RWLOCK
 * expect: data-race on spin at UNSPIN and SPIN
 * expect: data-race on cond at SIGNAL and COND
 * expect: data-race on semaphore at POST and SEMAPHORE
 * tsan: no
 */
#include <pthread.h>
#include <semaphore.h>
#include "../unseen.h"

#ifndef AFTER
#define AFTER 0
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;

static void *use(void *arg)
{
    if (AFTER)
        unseen_wait();
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex); /* race: UNLOCK */
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock); /* race: UNREAD */
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin); /* race: UNSPIN */
    pthread_cond_signal(&cond); /* race: SIGNAL */
    sem_post(&semaphore); /* race: POST */
    if (!AFTER)
        unseen_tell();
    return arg;
}

static void *destroy(void *arg)
{
    if (!AFTER)
        unseen_wait();
    pthread_mutex_destroy(&mutex); /* race: MUTEX */
    pthread_rwlock_destroy(&rwlock); /* race: RWLOCK */
    pthread_spin_destroy(&spin); /* race: SPIN */
    pthread_cond_destroy(&cond); /* race: COND */
    sem_destroy(&semaphore); /* race: SEMAPHORE */
    if (AFTER)
        unseen_tell();
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    sem_init(&semaphore, 0, 0);
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, destroy, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
