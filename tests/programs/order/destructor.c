/*
 * claim: a destructor takes a table away that a detached thread still uses
 * build: -O1
 * fails: crash
 * first: USE
 * then: END
 * heals: yes
 */
#include <pthread.h>
#include <stdlib.h>

#include "usually.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static int *table, through;

static void *work(void *unused)
{
    slow(1);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        table[i]++; /* order: USE */
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    through = 1;
    pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
    return unused;
}

__attribute__((destructor)) static void tear_down(void)
{
    pthread_mutex_lock(&lock);
    free(table); /* order: END */
    table = NULL;
    pthread_mutex_unlock(&lock);
    slow(20);
}

int main(void)
{
    pthread_t worker;

    table = calloc(3, sizeof(*table));
    pthread_create(&worker, NULL, work, NULL);
    pthread_detach(worker);
#ifdef FIXED
    pthread_mutex_lock(&lock);
    while (!through)
        pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
#else
    usually_late(); /* it has ended by then */
#endif
    return 0;
}
