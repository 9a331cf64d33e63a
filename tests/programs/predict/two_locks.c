/*
 * claim: one variable under two locks is predicted by hybrid, though a third lock hides it
 * build: -O0
 * build: -O2
 * predict: hybrid
 * predict: hb
 * expect: data-race on balance at WITH_A and WITH_B by hybrid
 * tsan: no
 */
#include <pthread.h>
#include "../unseen.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static long balance;
static int lines;

static void log_line(void)
{
    pthread_mutex_lock(&log_lock);
    lines++;
    pthread_mutex_unlock(&log_lock);
}

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    balance += 5; /* race: WITH_A */
    pthread_mutex_unlock(&a);
    log_line();
    unseen_tell();
    return arg;
}

static void *second(void *arg)
{
    log_line();
    pthread_mutex_lock(&b);
    balance -= 5; /* race: WITH_B */
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    unseen_wait(); /* they never meet */
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return balance || lines != 2;
}
