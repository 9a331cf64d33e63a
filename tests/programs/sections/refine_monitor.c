/*
 * claim: of a right program with a curious monitor, refinement leaves nothing to report
 * build: -O1
 * sections: refine --runs=12
 * expect: none
 * runs: 5
 */
#include <pthread.h>
#include <unistd.h>

enum { WORKERS = 2, JOBS = 20 };

struct progress {
    pthread_mutex_t lock;
    int begun, ended, is_over;
};

static struct progress progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void bump(int *count)
{
    pthread_mutex_lock(&progress.lock);
    (*count)++;
    pthread_mutex_unlock(&progress.lock);
}

static int get(const int *value)
{
    pthread_mutex_lock(&progress.lock);
    int now = *value;
    pthread_mutex_unlock(&progress.lock);
    return now;
}

static void *works(void *arg)
{
    for (int i = 0; i < JOBS; i++) {
        bump(&progress.begun);
        usleep(100);
        bump(&progress.ended);
    }
    return arg;
}

/* Each look may be out of date at once, and the monitor knows it. */
static void *watches(void *arg)
{
    long strange = 0;
    while (!get(&progress.is_over)) {
        int ended = get(&progress.ended);
        int begun = get(&progress.begun);
        if (get(&progress.ended) > 0)
            strange += begun < ended || get(&progress.ended) < ended;
        usleep(150);
    }
    (void)arg;
    return (void *)strange;
}

int main(void)
{
    pthread_t workers[WORKERS], monitor;
    void *strange;
    pthread_create(&monitor, NULL, watches, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, works, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    bump(&progress.is_over);
    pthread_join(monitor, &strange);
    return strange != NULL || progress.ended != WORKERS * JOBS;
}
