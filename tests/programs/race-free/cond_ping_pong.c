/*
 * claim: plain data used outside of the lock, by turns, is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:100/30 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>

enum { TURNS = 600 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next = PTHREAD_COND_INITIALIZER;
static int turn;
static long ball, touches; /* owned by whoever's turn it is */

static void *player(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&lock);
        while (turn != me)
            pthread_cond_wait(&next, &lock);
        pthread_mutex_unlock(&lock);

        ball = ball * 3 + me;
        touches++;

        pthread_mutex_lock(&lock);
        turn = !me;
        pthread_cond_signal(&next);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, player, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return touches != 2 * TURNS;
}
