/*
 * claim: sellers that check and count without a lock sell more seats than there are
 * build: -O1 -DN=3
 * build: -O1 -DN=10
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* N sellers with one passenger each, and one seat too few. */
#ifndef N
#define N 3
#endif

enum { SEATS = N - 1 };

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static volatile int sold;
static atomic_int on_board;

static void *sell(void *arg)
{
    int seen;
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    seen = sold;
    if (seen < SEATS) {
        sold = seen + 1;
        atomic_fetch_add(&on_board, 1);
    }
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, sell, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&on_board) <= SEATS);
    return 0;
}
