/*
 * claim: C11 threads: mutexes of all kinds, condition variables, once, thread-specific storage
 * build: -O1
 * ends: exit 0
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <threads.h>
#include <time.h>

static mtx_t plain, recursive, timed;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int counters[3], runs, box, sum;
static bool full;
static atomic_int destroyed;

static void initialize(void)
{
    runs++;
}

static void destroy(void *value)
{
    (void)value;
    atomic_fetch_add(&destroyed, 1);
}

static int count(void *arg)
{
    struct timespec long_ago = {0};
    call_once(&once, initialize);
    tss_set(key, arg);
    while (mtx_trylock(&plain) != thrd_success)
        thrd_yield();
    counters[0]++;
    mtx_unlock(&plain);
    mtx_lock(&recursive);
    mtx_lock(&recursive);
    counters[1]++;
    mtx_unlock(&recursive);
    mtx_unlock(&recursive);
    if (mtx_timedlock(&timed, &long_ago) != thrd_success)
        mtx_lock(&timed);
    counters[2]++;
    mtx_unlock(&timed);
    thrd_exit(tss_get(key) == arg ? 7 : 1);
}

static int take(void *arg)
{
    for (int i = 0; i < 3; i++) {
        mtx_lock(&plain);
        while (!full) {
            struct timespec when;
            timespec_get(&when, TIME_UTC);
            when.tv_sec++;
            cnd_timedwait(&changed, &plain, &when);
        }
        sum += box;
        full = false;
        cnd_broadcast(&changed);
        mtx_unlock(&plain);
    }
    return arg != NULL;
}

static int detached(void *arg)
{
    thrd_sleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    return arg != NULL;
}

int main(void)
{
    thrd_t counting[2], taking, other;
    int result;
    if (mtx_init(&plain, mtx_plain) != thrd_success ||
        mtx_init(&recursive, mtx_plain | mtx_recursive) != thrd_success ||
        mtx_init(&timed, mtx_timed) != thrd_success || cnd_init(&changed) != thrd_success ||
        tss_create(&key, destroy) != thrd_success)
        return 1;
    for (int i = 0; i < 2; i++)
        thrd_create(&counting[i], count, &counters[i]);
    thrd_create(&taking, take, NULL);
    thrd_create(&other, detached, NULL);
    thrd_detach(other);
    for (int i = 1; i <= 3; i++) {
        mtx_lock(&plain);
        while (full)
            cnd_wait(&changed, &plain);
        box = i;
        full = true;
        cnd_signal(&changed);
        mtx_unlock(&plain);
    }
    for (int i = 0; i < 2; i++) {
        if (thrd_join(counting[i], &result) != thrd_success || result != 7)
            return 2;
    }
    if (thrd_join(taking, &result) != thrd_success || result != 0 || sum != 6)
        return 3;
    return runs != 1 || destroyed != 2 || counters[0] != 2 || counters[1] != 2 || counters[2] != 2;
}
