/*
 * claim: objects that end when nobody can use them any more, whichever way that is known, are never reported
 * build: -O0
 * build: -O2
 * run: x 5
 * run: --budget=max x 5
 * predict: hb x 1
 * expect: none
 * tsan: no
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200 };

/* The last one of two that are done with it destroys the mutex that guards the count. */
struct counted {
    pthread_mutex_t lock;
    int users;
    long sum;
};

static void drop(struct counted *it)
{
    pthread_mutex_lock(&it->lock);
    it->sum++;
    int left = --it->users;
    pthread_mutex_unlock(&it->lock);
    if (!left) {
        pthread_mutex_destroy(&it->lock);
        free(it);
    }
}

static void *drop_all(void *arg)
{
    struct counted **all = arg;
    for (int i = 0; i < ROUNDS; i++)
        drop(all[i]);
    return NULL;
}

/* POSIX: a condition variable may be destroyed as soon as all who wait for it are woken. */
struct element {
    pthread_mutex_t *lock;
    pthread_cond_t gone;
    int busy, waiters;
};

static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for(void *arg)
{
    struct element *it = arg;
    pthread_mutex_lock(&list);
    it->waiters++;
    while (it->busy)
        pthread_cond_wait(&it->gone, &list);
    pthread_mutex_unlock(&list);
    return NULL;
}

static void *wake(void *arg)
{
    struct element *it = arg;
    for (int come = 0; come < 2;) {
        pthread_mutex_lock(&list);
        come = it->waiters;
        if (come == 2) {
            it->busy = 0;
            pthread_cond_broadcast(&it->gone);
        }
        pthread_mutex_unlock(&list);
    }
    pthread_cond_destroy(&it->gone);
    return NULL;
}

/* Who is let out of a barrier may destroy it, who has got a semaphore too. */
struct meeting {
    pthread_barrier_t barrier;
    sem_t done;
    pthread_spinlock_t spin;
    pthread_rwlock_t rwlock;
    int value;
};

static void *meet(void *arg)
{
    struct meeting *it = arg;
    pthread_spin_lock(&it->spin);
    it->value++;
    pthread_spin_unlock(&it->spin);
    pthread_rwlock_rdlock(&it->rwlock);
    pthread_rwlock_unlock(&it->rwlock);
    if (pthread_barrier_wait(&it->barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        pthread_barrier_destroy(&it->barrier);
    sem_post(&it->done);
    return NULL;
}

static void count(void)
{
    struct counted *all[ROUNDS];
    pthread_t threads[2];
    for (int i = 0; i < ROUNDS; i++) {
        all[i] = calloc(1, sizeof(*all[i]));
        pthread_mutex_init(&all[i]->lock, NULL);
        all[i]->users = 2;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, drop_all, all);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void notify(void)
{
    struct element it = {&list, PTHREAD_COND_INITIALIZER, 1, 0};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, i < 2 ? wait_for : wake, &it);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

static void gather(void)
{
    struct meeting *it = malloc(sizeof(*it));
    pthread_t threads[2];
    it->value = 0;
    pthread_barrier_init(&it->barrier, NULL, 2);
    sem_init(&it->done, 0, 0);
    pthread_spin_init(&it->spin, PTHREAD_PROCESS_PRIVATE);
    pthread_rwlock_init(&it->rwlock, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, meet, it);
        pthread_detach(threads[i]);
    }
    for (int i = 0; i < 2; i++)
        sem_wait(&it->done);
    if (it->value != 2)
        abort();
    pthread_spin_destroy(&it->spin);
    pthread_rwlock_destroy(&it->rwlock);
    sem_destroy(&it->done);
    free(it);
}

int main(void)
{
    count();
    for (int i = 0; i < 20; i++)
        notify();
    for (int i = 0; i < 20; i++)
        gather();
    return 0;
}
