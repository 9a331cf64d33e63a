/*
 * claim: what a clean-up handler does comes after whoever has cancelled the thread
 * tsan: no
 * build: -O0
 * build: -O2
 * run: x 10
 * run: --budget=max x 10
 * predict: hb x 2
 * expect: none
 */
#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 20 };

static long reason, seen;

static void clean_up(void *arg)
{
    (void)arg;
    seen += reason;
}

static void *work(void *arg)
{
    pthread_cleanup_push(clean_up, NULL);
    for (;;)
        pause();
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    for (int i = 1; i <= ROUNDS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        reason = i;
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    return seen != ROUNDS * (ROUNDS + 1) / 2;
}
