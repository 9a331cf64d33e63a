/*
 * claim: a session is freed under the lock before the timer that uses it under the lock
 * build: -O1
 * fails: crash
 * first: USE
 * then: END
 * heals: yes
 */
#include <pthread.h>
#include <stdlib.h>

#include "usually.h"

struct session {
    long *counter;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *session;
static long ticks;

static void *tick(void *unused)
{
    slow(1);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        (*session->counter)++; /* order: USE */
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void end_session(void)
{
    pthread_mutex_lock(&lock);
    session->counter = NULL; /* order: END */
    free(session);
    session = NULL;
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t timer;

    session = malloc(sizeof(*session));
    session->counter = &ticks;
    pthread_create(&timer, NULL, tick, NULL);
#ifdef FIXED
    pthread_join(timer, NULL);
    end_session();
#else
    usually_late(); /* it has ended by then */
    end_session();
    pthread_join(timer, NULL);
#endif
    return ticks != 2;
}
