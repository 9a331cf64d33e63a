/*
 * claim: C11 threads: mtx_t, cnd_t, call_once and thrd_join are never predicted
 * build: -O0
 * build: -O2
 * predict: hb
 * predict: hybrid
 * predict: deadlock,notify
 * expect: none
 * tsan: no
 */
#include <threads.h>

enum { ITEMS = 30 };

static mtx_t mutex;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static int table[4], full, item;
static long sum;

static void initialize(void)
{
    for (int i = 0; i < 4; i++)
        table[i] = i;
}

static int producer(void *arg)
{
    (void)arg;
    call_once(&once, initialize);
    for (int i = 0; i < ITEMS; i++) {
        mtx_lock(&mutex);
        while (full)
            cnd_wait(&changed, &mutex);
        item = table[i % 4];
        full = 1;
        cnd_broadcast(&changed);
        mtx_unlock(&mutex);
    }
    return 0;
}

static int consumer(void *arg)
{
    (void)arg;
    call_once(&once, initialize);
    for (int i = 0; i < ITEMS; i++) {
        mtx_lock(&mutex);
        while (!full)
            cnd_wait(&changed, &mutex);
        sum += item + table[3];
        full = 0;
        cnd_broadcast(&changed);
        mtx_unlock(&mutex);
    }
    return 0;
}

int main(void)
{
    thrd_t threads[2];
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    thrd_create(&threads[0], producer, NULL);
    thrd_create(&threads[1], consumer, NULL);
    for (int i = 0; i < 2; i++)
        thrd_join(threads[i], NULL);
    return sum != 43 + 3 * ITEMS;
}
