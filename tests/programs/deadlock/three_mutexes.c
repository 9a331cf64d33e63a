/*
 * claim: a cycle of three threads is reported while it hangs, and the rest of the program goes on
 * build: -O0
 * build: -O2
 * run: --halt-on-error
 * run:
 * hangs: yes
 * timeout: 20
 * expect: deadlock at WANTS_NEXT and WANTS_NEXT and WANTS_NEXT
 */
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 3 };

static pthread_barrier_t met;
static pthread_mutex_t locks[THREADS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                         PTHREAD_MUTEX_INITIALIZER};
static long work_done;

static void *work(void *arg)
{
    long self = (long)arg;
    pthread_mutex_lock(&locks[self]);
    pthread_barrier_wait(&met);
    pthread_mutex_lock(&locks[(self + 1) % THREADS]); /* lock: WANTS_NEXT */
    pthread_mutex_unlock(&locks[(self + 1) % THREADS]);
    pthread_mutex_unlock(&locks[self]);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&met, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, work, (void *)i);
    for (;;) {
        work_done++;
        usleep(1000);
    }
}
