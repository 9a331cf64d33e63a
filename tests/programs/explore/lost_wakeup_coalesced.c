/*
 * claim: an event that is a flag and not a count: two posts become one, and the second take hangs
 * build: -O1
 * bug: deadlock
 * within: 50
 * fixed: yes
 */
#include <pthread.h>
#include <unistd.h>

enum { EVENTS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int posted;

static void *post(void *arg)
{
    pthread_mutex_lock(&lock);
#ifdef FIXED
    posted++;
#else
    posted = 1;
#endif
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *take(void *arg)
{
    for (int i = 0; i < EVENTS; i++) {
        pthread_mutex_lock(&lock);
        while (posted == 0)
            pthread_cond_wait(&changed, &lock);
        posted--;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t taker, posters[EVENTS];
    pthread_create(&taker, NULL, take, NULL);
    for (int i = 0; i < EVENTS; i++) {
        usleep(30000); /* usually the taker waits by then */
        pthread_create(&posters[i], NULL, post, NULL);
        pthread_join(posters[i], NULL);
    }
    pthread_join(taker, NULL);
    return 0;
}
