#!/bin/bash
# needs: compiler
# A check and its use, each under the lock, which is given back in between: darn heal keeps others out of the lock.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >shop.c <<'EOF2'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct shop {
#ifdef RWLOCK
    pthread_rwlock_t lock;
#else
    pthread_mutex_t lock;
#endif
    int items;
};

#ifdef RWLOCK
#define TAKE(l)  pthread_rwlock_wrlock(l)
#define READ(l)  pthread_rwlock_rdlock(l)
#define GIVE(l)  pthread_rwlock_unlock(l)
#define START(l) pthread_rwlock_init(l, NULL)
#else
#define TAKE(l)  pthread_mutex_lock(l)
#define READ(l)  pthread_mutex_lock(l)
#define GIVE(l)  pthread_mutex_unlock(l)
#define START(l) pthread_mutex_init(l, NULL)
#endif

static __attribute__((noinline)) void sell(struct shop *shop)
{
    int left;

    READ(&shop->lock);
    left = shop->items;
    GIVE(&shop->lock);
    if (left > 0) {
        TAKE(&shop->lock);
        shop->items = shop->items - 1;
        GIVE(&shop->lock);
    }
}

/* Another place of the program that takes the same lock. */
static __attribute__((noinline)) void give_away(struct shop *shop)
{
    TAKE(&shop->lock);
    if (shop->items)
        shop->items = 0;
    GIVE(&shop->lock);
}

static void *seller(void *shop)
{
    sell(shop);
    return NULL;
}

static void *owner(void *shop)
{
    give_away(shop);
    return NULL;
}

int main(void)
{
    struct shop *shop = malloc(sizeof(*shop));
    pthread_t threads[3];

    START(&shop->lock);
    shop->items = 1;
    pthread_create(&threads[0], NULL, seller, shop);
    pthread_create(&threads[1], NULL, seller, shop);
    pthread_create(&threads[2], NULL, owner, shop);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(shop->items == 0);
    free(shop);
    return 0;
}
EOF2

claim "a check and its use under a lock that is given back in between stay together"
for kind in MUTEX RWLOCK; do
    darn cc -O0 -g -D$kind shop.c -o shop -pthread
    darn sections infer -o shop.sections ./shop >/dev/null
    try darn explore --schedules=1000 --jobs=1 -- ./shop
    [ "$status" = 66 ] || fault "$kind: without healing no schedule fails"
    try darn heal --verify --schedules=1000 --jobs=1 --sections=shop.sections -- ./shop
    [ "$status" = 0 ] || fault "$kind: healed, it still fails"
    expect_has "$err" "of 1000 schedules none fails and none deadlocks"
done

claim "the same where it runs freely, and nobody waits in vain"
darn cc -O1 -g -DMUTEX shop.c -o shop -pthread
darn sections infer -o shop.sections ./shop >/dev/null
darn cc --only=shop.sections -O1 -DMUTEX shop.c -o shop.production -pthread
for i in $(seq 50); do
    for program in shop shop.production; do
        DARN_OPTIONS=heal=shop.sections:heal_bound=20000 timeout 20 ./$program || fault "$program ends with $?"
    done
done

finish
