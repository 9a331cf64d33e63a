/*
 * Lock-heavy: a hash table with chains and striped mutexes.
 *
 * Four threads add to counters of a shared set of keys (one stripe lock per operation), look
 * others up, and take a sixteenth of them out and put them back. The sum of all counters does
 * not depend on the order of the additions.
 */
#include "bench.h"

enum { THREADS = 4, STRIPES = 64, BUCKETS = 1 << 15, KEYS = 1 << 16 };

struct entry {
    uint64_t key;
    uint64_t count;
    struct entry *next;
};

static struct entry *bucket[BUCKETS];
static pthread_mutex_t stripe[STRIPES];
static struct entry *pool;
static size_t operations;
static _Alignas(64) uint64_t hits[THREADS][8];

/* Finds the link that points to the key's entry, or the end of its chain. */
static struct entry **find(uint64_t key, size_t slot)
{
    struct entry **link = &bucket[slot];
    while (*link != NULL && (*link)->key != key)
        link = &(*link)->next;
    return link;
}

static void add(uint64_t key, size_t slot, uint64_t amount)
{
    struct entry **link = find(key, slot);
    if (*link != NULL)
        (*link)->count += amount;
}

/* Moves the entry to the head of its chain: writes to the links, as removals and insertions do. */
static void reinsert(uint64_t key, size_t slot)
{
    struct entry **link = find(key, slot);
    struct entry *entry = *link;

    if (entry == NULL)
        return;
    *link = entry->next;
    entry->next = bucket[slot];
    bucket[slot] = entry;
}

static void *work(void *arg)
{
    size_t self = (uintptr_t)arg;
    uint64_t seed = bench_mix(self);
    uint64_t found = 0;

    for (size_t i = 0; i < operations; i++) {
        uint64_t random = bench_random(&seed);
        uint64_t key = random % KEYS;
        size_t slot = bench_mix(key) % BUCKETS;
        pthread_mutex_t *lock = &stripe[slot % STRIPES];

        pthread_mutex_lock(lock);
        if ((random >> 32) % 16 == 0)
            reinsert(key, slot);
        else if ((random >> 32) % 2 == 0)
            add(key, slot, random >> 48);
        else
            found += *find(key, slot) != NULL;
        pthread_mutex_unlock(lock);
    }
    hits[self][0] = found;
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    operations = bench_scaled(argc, argv, 3000000);
    pool = bench_alloc(KEYS * sizeof *pool);
    for (size_t i = 0; i < STRIPES; i++)
        pthread_mutex_init(&stripe[i], NULL);
    for (size_t i = 0; i < KEYS; i++) {
        size_t slot = bench_mix(i) % BUCKETS;
        pool[i] = (struct entry){.key = i, .next = bucket[slot]};
        bucket[slot] = &pool[i];
    }
    bench_threads(THREADS, work);
    for (size_t i = 0; i < KEYS; i++)
        sum += bench_mix(pool[i].key) * pool[i].count;
    for (size_t i = 0; i < THREADS; i++)
        sum += hits[i][0];
    bench_print(sum);
    return 0;
}
