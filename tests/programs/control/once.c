/*
 * claim: once: one thread initializes, under a lock and with another once inside; all others wait
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>
#include <sched.h>

enum { THREADS = 4 };

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int outer_runs, inner_runs, ready;

static void initialize_inner(void)
{
    inner_runs++;
}

static void initialize_outer(void)
{
    pthread_mutex_lock(&lock);
    outer_runs++;
    pthread_mutex_unlock(&lock);
    pthread_once(&inner, initialize_inner);
    sched_yield();
    ready = 1;
}

static void *use(void *arg)
{
    pthread_once(&inner, initialize_inner);
    pthread_once(&outer, initialize_outer);
    return ready == 1 ? NULL : arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, use, &ready);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        if (result != NULL)
            return 1;
    }
    return outer_runs != 1 || inner_runs != 1;
}
