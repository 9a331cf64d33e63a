/*
 * claim: a thread that is cancelled in the middle of a window leaves none behind
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:1000/500 x 8
 * run: x 4
 * modes: record heal only
 * expect: none
 */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

enum { ROUNDS = 20, CELLS = 8 };

static volatile long cells[CELLS];
static sem_t started;

/* Only plain stores in here: all that may be done while asynchronous cancellation is enabled. */
static void *work(void *arg)
{
    (void)arg;
    sem_post(&started);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (long i = 0;; i++)
        cells[i % CELLS] = i;
    return NULL;
}

int main(void)
{
    sem_init(&started, 0, 0);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, NULL, work, NULL);
        sem_wait(&started);
        usleep(300);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED)
            return 1;
        for (int j = 0; j < CELLS; j++) /* ours again: a forgotten window would be a race here */
            cells[j] = 0;
    }
    return 0;
}
