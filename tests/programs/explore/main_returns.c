/*
 * claim: main takes back what a thread uses that nobody waits for, and returns
 * build: -O0
 * build: -O2
 * bug: assert
 * within: 60
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int closed, served;

static void *serve(void *arg)
{
    pthread_mutex_lock(&lock);
    if (closed) {
        pthread_mutex_unlock(&lock);
        return arg;
    }
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    assert(!closed);
    served++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, serve, NULL);
#ifdef FIXED
    pthread_join(thread, NULL);
#endif
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_mutex_unlock(&lock);
    return 0;
}
