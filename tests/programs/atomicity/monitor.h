/* A lock that its owner may take again, as the monitor of each object in Java. */
#ifndef ATOMICITY_MONITOR_H
#define ATOMICITY_MONITOR_H

#include <pthread.h>

static inline void monitor_init(pthread_mutex_t *monitor)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(monitor, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static inline void monitor_enter(pthread_mutex_t *monitor)
{
    pthread_mutex_lock(monitor);
}

static inline void monitor_leave(pthread_mutex_t *monitor)
{
    pthread_mutex_unlock(monitor);
}

#endif
