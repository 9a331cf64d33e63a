/*
 * claim: a thread joins another one under a lock that the other one still needs
 * build: -O1
 * bug: deadlock
 * within: 20
 * fixed: yes
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t worker;
static int done, closed;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *close_all(void *arg)
{
#ifdef FIXED
    pthread_join(worker, NULL);
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    pthread_join(worker, NULL);
#endif
    closed = done;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t closer;
    pthread_create(&worker, NULL, work, NULL);
    usleep(30000); /* usually it has ended by then */
    pthread_create(&closer, NULL, close_all, NULL);
    pthread_join(closer, NULL);
    return !closed;
}
