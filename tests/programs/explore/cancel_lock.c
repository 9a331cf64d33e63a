/*
 * claim: a thread that is cancelled inside a critical section leaves the lock locked
 * build: -O1
 * bug: deadlock
 * within: 500
 * fixed: yes
 */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t first_done;
static int rounds;

#ifdef FIXED
static void unlock(void *arg)
{
    pthread_mutex_unlock(arg);
}
#endif

static void round_of_work(void)
{
    pthread_mutex_lock(&lock);
#ifdef FIXED
    pthread_cleanup_push(unlock, &lock);
    pthread_testcancel();
    rounds++;
    pthread_cleanup_pop(1);
#else
    pthread_testcancel();
    rounds++;
    pthread_mutex_unlock(&lock);
#endif
}

static void *work(void *arg)
{
    round_of_work();
    sem_post(&first_done);
    round_of_work();
    return arg;
}

int main(void)
{
    pthread_t thread;
    int seen;
    sem_init(&first_done, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    sem_wait(&first_done);
    usleep(30000); /* usually the second round is over by then */
    pthread_cancel(thread);
    pthread_mutex_lock(&lock);
    seen = rounds;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return seen < 1 || seen > 2;
}
