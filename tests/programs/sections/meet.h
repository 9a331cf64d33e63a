/* Two short threads that meet, again and again: one is in its section when the other comes. */
#ifndef SECTIONS_MEET_H
#define SECTIONS_MEET_H

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { MEETINGS = 60 };

/* The buggy build goes wrong now and then, and is not blamed for it. */
#ifdef FIXED
enum { IS_FIXED = 1 };
#else
enum { IS_FIXED = 0 };
#endif

/* The time between two critical sections that should have been one; and how late the other comes.
 * Whoever waits is a little later each time, so that the two do not fall into step. */
static inline void linger(void)
{
    usleep(150);
}

/* Gives the lock to others for a while; the fixed twin keeps it. */
static inline void give_way(pthread_mutex_t *lock)
{
#ifndef FIXED
    pthread_mutex_unlock(lock);
#endif
    linger();
#ifndef FIXED
    pthread_mutex_lock(lock);
#else
    (void)lock;
#endif
}

static inline void come_later(long meeting)
{
    usleep((unsigned)(40 + meeting * 7 % 120));
}

/* Both threads are new: nothing but the section connects two accesses. Their argument is the number
 * of the meeting. In a calm run (for learning) the second one comes when the first one is gone.
 * Returns what the first one does. */
static inline void *meet_once(void *(*local)(void *), void *(*remote)(void *), long meeting)
{
    pthread_t threads[2];
    void *result;
    int is_calm = getenv("CALM") != NULL;
    pthread_create(&threads[0], NULL, local, (void *)meeting);
    if (is_calm)
        pthread_join(threads[0], &result);
    pthread_create(&threads[1], NULL, remote, (void *)meeting);
    if (!is_calm)
        pthread_join(threads[0], &result);
    pthread_join(threads[1], NULL);
    return result;
}

static inline void meet(void *(*local)(void *), void *(*remote)(void *))
{
    for (long i = 0; i < MEETINGS; i++)
        meet_once(local, remote, i);
}

#endif
