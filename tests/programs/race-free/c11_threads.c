/*
 * claim: data behind C11 mutexes and condition variables is never reported
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <stdbool.h>
#include <threads.h>
#include <time.h>

enum { ROUNDS = 300 };

static mtx_t plain, recursive, timed;
static cnd_t changed;
static long counters[3];
static bool full;
static int box;

static int count(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct timespec when = {.tv_sec = time(NULL) + 20};
        while (mtx_trylock(&plain) != thrd_success)
            thrd_yield();
        counters[0]++;
        mtx_unlock(&plain);
        mtx_lock(&recursive);
        mtx_lock(&recursive);
        counters[1]++;
        mtx_unlock(&recursive);
        mtx_unlock(&recursive);
        if (mtx_timedlock(&timed, &when) != thrd_success)
            return 1;
        counters[2]++;
        mtx_unlock(&timed);
    }
    return 0;
}

static int take(void *arg)
{
    int sum = 0;
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        mtx_lock(&plain);
        while (!full) {
            struct timespec when = {.tv_sec = time(NULL) + 1};
            cnd_timedwait(&changed, &plain, &when);
        }
        sum += box;
        full = false;
        cnd_broadcast(&changed);
        mtx_unlock(&plain);
    }
    return sum;
}

int main(void)
{
    thrd_t counting[2], taking;
    int result;
    mtx_init(&plain, mtx_plain);
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    mtx_init(&timed, mtx_timed);
    cnd_init(&changed);
    for (int i = 0; i < 2; i++)
        thrd_create(&counting[i], count, NULL);
    thrd_create(&taking, take, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        mtx_lock(&plain);
        while (full)
            cnd_wait(&changed, &plain);
        box = i;
        full = true;
        cnd_signal(&changed);
        mtx_unlock(&plain);
    }
    for (int i = 0; i < 2; i++) {
        thrd_join(counting[i], &result);
        if (result != 0)
            return 2;
    }
    thrd_join(taking, &result);
    return result != ROUNDS * (ROUNDS - 1) / 2 || counters[0] != 2 * ROUNDS ||
           counters[1] != 2 * ROUNDS || counters[2] != 2 * ROUNDS;
}
