/*
 * A thread goes into a section and leaves it without coming to its end; another thread writes the
 * variable; the first one comes to the end in another way. Whoever still thinks that it is inside
 * sees a violation where there is none.
 */
#ifndef SECTIONS_LEFT_H
#define SECTIONS_LEFT_H

#include <pthread.h>

enum { LEFT_ROUNDS = 30 };

struct left {
    void (*leaves)(void); /* enters, and leaves by the way out */
    void (*ends)(void);   /* comes to the end without having entered */
    void (*writes)(void); /* the other thread's write */
    pthread_barrier_t barrier;
    pthread_mutex_t lock;
};

static struct left left;

static inline void left_locked(void (*step)(void))
{
    pthread_mutex_lock(&left.lock);
    step();
    pthread_mutex_unlock(&left.lock);
}

static inline void *left_local(void *arg)
{
    for (int i = 0; i < LEFT_ROUNDS; i++) {
        left_locked(left.leaves);
        pthread_barrier_wait(&left.barrier); /* the other one writes */
        pthread_barrier_wait(&left.barrier);
        left_locked(left.ends);
    }
    return arg;
}

static inline void *left_remote(void *arg)
{
    for (int i = 0; i < LEFT_ROUNDS; i++) {
        pthread_barrier_wait(&left.barrier);
        left_locked(left.writes);
        pthread_barrier_wait(&left.barrier);
    }
    return arg;
}

static inline void left_play(void (*leaves)(void), void (*ends)(void), void (*writes)(void))
{
    pthread_t threads[2];
    left.leaves = leaves;
    left.ends = ends;
    left.writes = writes;
    pthread_barrier_init(&left.barrier, NULL, 2);
    pthread_mutex_init(&left.lock, NULL);
    pthread_create(&threads[0], NULL, left_local, NULL);
    pthread_create(&threads[1], NULL, left_remote, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

#endif
