#include "engine/race/phase_store.h"

#include <stdlib.h>
#include <string.h>

#include "engine/common/grow.h"

/* Room for `count` of them, the first included; the answer is how much there is then. */
static uint32_t more_room(struct darn_phase_store *store, void **more, uint32_t room,
                          uint32_t count, size_t item)
{
    uint32_t bigger = room ? 2 * room : 2;

    if (count <= room + 1)
        return room;
    *more = darn_need_memory(reallocarray(*more, bigger, item));
    store->memory += (bigger - room) * item;
    return bigger;
}

static void put_access(struct darn_phase_accesses *list, uint32_t index,
                       const struct darn_access *access)
{
    *(index ? &list->more[index - 1] : &list->first) = *access;
}

static void put_set(struct darn_phase_sets *list, uint32_t index, uint32_t set)
{
    *(index ? &list->more[index - 1] : &list->first) = set;
}

void darn_phase_insert_access(struct darn_phase_store *store, struct darn_phase_accesses *list,
                              const struct darn_access *access)
{
    uint32_t at = list->count;
    void *more = list->more;

    list->room = more_room(store, &more, list->room, list->count + 1, sizeof(*list->more));
    list->more = more;
    for (; at && darn_phase_access(list, at - 1)->epoch > access->epoch; at--)
        put_access(list, at, darn_phase_access(list, at - 1));
    put_access(list, at, access);
    list->count++;
}

void darn_phase_insert_set(struct darn_phase_store *store, struct darn_phase_sets *list,
                           uint32_t set)
{
    uint32_t at = list->count;
    void *more = list->more;

    list->room = more_room(store, &more, list->room, list->count + 1, sizeof(*list->more));
    list->more = more;
    for (; at && darn_phase_set(list, at - 1) > set; at--)
        put_set(list, at, darn_phase_set(list, at - 1));
    put_set(list, at, set);
    list->count++;
}

void darn_phase_remove_access(struct darn_phase_accesses *list, uint32_t index)
{
    for (; index + 1 < list->count; index++)
        put_access(list, index, darn_phase_access(list, index + 1));
    list->count--;
}

void darn_phase_remove_set(struct darn_phase_sets *list, uint32_t index)
{
    for (; index + 1 < list->count; index++)
        put_set(list, index, darn_phase_set(list, index + 1));
    list->count--;
}

void darn_phase_copy_accesses(struct darn_phase_store *store, struct darn_phase_accesses *to,
                              const struct darn_phase_accesses *from)
{
    to->count = 0;
    for (uint32_t i = 0; i < from->count; i++)
        darn_phase_insert_access(store, to, darn_phase_access(from, i));
}

struct darn_phase *darn_phase_make(struct darn_phase_store *store)
{
    struct darn_phase *phase = darn_need_memory(calloc(1, sizeof(*phase)));

    store->memory += sizeof(*phase);
    phase->references = 1;
    phase->write_set = DARN_LOCKSET_ALL;
    return phase;
}

void darn_phase_share(struct darn_phase *phase)
{
    if (phase)
        phase->references++;
}

void darn_phase_store_free(struct darn_phase_store *store)
{
    free(store->buckets);
    *store = (struct darn_phase_store){0};
}

static uint64_t mix(uint64_t key, uint64_t more)
{
    key = (key ^ more) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 29;
}

static uint64_t mix_accesses(uint64_t key, const struct darn_phase_accesses *list)
{
    key = mix(key, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct darn_access *access = darn_phase_access(list, i);

        key = mix(key, access->epoch);
        key = mix(key, (uint64_t)access->site << 32 | access->stack);
        key = mix(key, (uint64_t)access->holding << 32 | access->shape);
    }
    return key;
}

static uint32_t hash_of(const struct darn_phase *phase)
{
    uint64_t key = mix((uintptr_t)phase->older, (uint64_t)phase->flags << 32 | phase->write_set);

    for (uint32_t i = 0; i < phase->read_sets.count; i++)
        key = mix(key, darn_phase_set(&phase->read_sets, i));
    return darn_spread(mix_accesses(mix_accesses(key, &phase->reads), &phase->writes));
}

static bool equal_accesses(const struct darn_phase_accesses *a, const struct darn_phase_accesses *b)
{
    for (uint32_t i = 0; a->count == b->count && i < a->count; i++) {
        if (memcmp(darn_phase_access(a, i), darn_phase_access(b, i), sizeof(struct darn_access)) !=
            0)
            return false;
    }
    return a->count == b->count;
}

static bool equal(const struct darn_phase *a, const struct darn_phase *b)
{
    if (a->older != b->older || a->flags != b->flags || a->write_set != b->write_set ||
        a->read_sets.count != b->read_sets.count)
        return false;
    for (uint32_t i = 0; i < a->read_sets.count; i++) {
        if (darn_phase_set(&a->read_sets, i) != darn_phase_set(&b->read_sets, i))
            return false;
    }
    return equal_accesses(&a->reads, &b->reads) && equal_accesses(&a->writes, &b->writes);
}

static void grow_buckets(struct darn_phase_store *store)
{
    struct darn_phase **old = store->buckets;
    size_t old_count = store->bucket_count;

    if (store->common_count < old_count)
        return;
    store->bucket_count = old_count ? 2 * old_count : 64;
    store->memory += (store->bucket_count - old_count) * sizeof(struct darn_phase *);
    store->buckets = darn_need_memory(calloc(store->bucket_count, sizeof(struct darn_phase *)));
    for (size_t i = 0; i < old_count; i++) {
        while (old[i]) {
            struct darn_phase *phase = old[i];
            struct darn_phase **bucket = &store->buckets[phase->hash & (store->bucket_count - 1)];

            old[i] = phase->next;
            phase->next = *bucket;
            *bucket = phase;
        }
    }
    free(old);
}

struct darn_phase *darn_phase_common(struct darn_phase_store *store, struct darn_phase *phase)
{
    struct darn_phase **bucket, *other;

    grow_buckets(store);
    phase->hash = hash_of(phase);
    bucket = &store->buckets[phase->hash & (store->bucket_count - 1)];
    for (other = *bucket; other; other = other->next) {
        if (other->hash == phase->hash && equal(other, phase)) {
            darn_phase_share(other);
            darn_phase_give_back(store, phase);
            return other;
        }
    }
    phase->next = *bucket;
    phase->common = 1;
    *bucket = phase;
    store->common_count++;
    return phase;
}

static void take_out(struct darn_phase_store *store, struct darn_phase *phase)
{
    struct darn_phase **link;

    if (!phase->common)
        return;
    link = &store->buckets[phase->hash & (store->bucket_count - 1)];
    while (*link != phase)
        link = &(*link)->next;
    *link = phase->next;
    phase->common = 0;
    store->common_count--;
}

void darn_phase_give_back(struct darn_phase_store *store, struct darn_phase *phase)
{
    while (phase && --phase->references == 0) {
        struct darn_phase *older = phase->older;

        take_out(store, phase);
        store->memory -= sizeof(*phase) +
                         (phase->reads.room + phase->writes.room) * sizeof(struct darn_access) +
                         phase->read_sets.room * sizeof(uint32_t);
        free(phase->reads.more);
        free(phase->writes.more);
        free(phase->read_sets.more);
        free(phase);
        phase = older;
    }
}

struct darn_phase *darn_phase_copy(struct darn_phase_store *store, const struct darn_phase *from)
{
    struct darn_phase *phase = darn_phase_make(store);

    phase->flags = from->flags;
    phase->write_set = from->write_set;
    phase->older = from->older;
    darn_phase_share(phase->older);
    darn_phase_copy_accesses(store, &phase->reads, &from->reads);
    darn_phase_copy_accesses(store, &phase->writes, &from->writes);
    for (uint32_t i = 0; i < from->read_sets.count; i++)
        darn_phase_insert_set(store, &phase->read_sets, darn_phase_set(&from->read_sets, i));
    return phase;
}

struct darn_phase *darn_phase_own(struct darn_phase_store *store, struct darn_phase *phase)
{
    struct darn_phase *made;

    if (phase->references == 1) {
        take_out(store, phase);
        return phase;
    }
    made = darn_phase_copy(store, phase);
    darn_phase_give_back(store, phase);
    return made;
}

void darn_phase_unlink_older(struct darn_phase_store *store, struct darn_phase *phase)
{
    struct darn_phase *older = phase->older;

    phase->older = older->older;
    darn_phase_share(phase->older);
    darn_phase_give_back(store, older);
}
