/*
 * claim: what is handed over by barriers is never predicted
 * build: -O0
 * build: -O2
 * predict: hb
 * predict: hybrid
 * predict: deadlock,notify
 * expect: none
 */
#include <pthread.h>

enum { THREADS = 4, PHASES = 10 };

static pthread_barrier_t barrier;
static long now[THREADS], next[THREADS];
static int serials;

static void *work(void *arg)
{
    long self = (long)arg;
    for (int phase = 0; phase < PHASES; phase++) {
        next[self] = now[(self + 1) % THREADS] + 1;
        pthread_barrier_wait(&barrier);
        now[self] = next[self];
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            serials++; /* one thread in each phase, and a barrier before the next one */
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return now[0] != PHASES || serials != PHASES;
}
