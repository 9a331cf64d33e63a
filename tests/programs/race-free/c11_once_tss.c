/*
 * claim: call_once data and thread-specific storage of C11 are never reported
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:200/50 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int made;
static atomic_int destroyed;

static void destroy(void *block)
{
    int *mine = block;
    if (*mine == 100)
        atomic_fetch_add(&destroyed, 1);
    free(mine);
}

static void make(void)
{
    tss_create(&key, destroy);
    made++;
}

static int work(void *arg)
{
    (void)arg;
    call_once(&once, make);
    int *mine = malloc(sizeof(*mine));
    *mine = 0;
    tss_set(key, mine);
    for (int i = 0; i < 100; i++)
        ++*(int *)tss_get(key);
    if (made != 1)
        thrd_exit(1);
    return 0;
}

int main(void)
{
    thrd_t threads[4];
    int result, failed = 0;
    for (int i = 0; i < 4; i++)
        thrd_create(&threads[i], work, NULL);
    for (int i = 0; i < 4; i++) {
        thrd_join(threads[i], &result);
        failed += result;
    }
    return failed != 0 || atomic_load(&destroyed) != 4;
}
