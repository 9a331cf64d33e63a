#include "engine/race/phase_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

/* Room for `count` of them, the first included; the answer is how much there is then. */
static uint32_t more_room(struct darn_phase_store *store, void **more, uint32_t room,
                          uint32_t count, size_t item)
{
    uint32_t bigger = room ? 2 * room : 2;

    if (count <= room + 1)
        return room;
    *more = darn_need_memory(reallocarray(*more, bigger, item));
    store->lists += (bigger - room) * item;
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
    uint32_t number = darn_pool_take(&store->phases);
    struct darn_phase *phase = darn_pool_at(&store->phases, number);

    *phase = (struct darn_phase){.number = number, .references = 1, .write_set = DARN_LOCKSET_ALL};
    return phase;
}

void darn_phase_share(struct darn_phase *phase)
{
    if (phase)
        phase->references++;
}

void darn_phase_store_init(struct darn_phase_store *store)
{
    *store = (struct darn_phase_store){.phases = {.item = sizeof(struct darn_phase)}};
}

void darn_phase_store_free(struct darn_phase_store *store)
{
    darn_pool_free(&store->phases);
    darn_htable_free(&store->common);
}

size_t darn_phase_store_memory(const struct darn_phase_store *store)
{
    return darn_pool_memory(&store->phases) + darn_htable_memory(&store->common) + store->lists;
}

static uint64_t mix_accesses(uint64_t key, const struct darn_phase_accesses *list)
{
    key = darn_fold(key, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct darn_access *access = darn_phase_access(list, i);

        key = darn_fold(key, access->epoch);
        key = darn_fold(key, (uint64_t)access->site << 32 | access->stack);
        key = darn_fold(key, (uint64_t)access->holding << 32 | access->shape);
    }
    return key;
}

static uint32_t hash_phase(const struct darn_phase *phase)
{
    uint64_t key =
        darn_fold((uintptr_t)phase->older, (uint64_t)phase->flags << 32 | phase->write_set);

    for (uint32_t i = 0; i < phase->read_sets.count; i++)
        key = darn_fold(key, darn_phase_set(&phase->read_sets, i));
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

static bool equal_phases(const struct darn_phase *a, const struct darn_phase *b)
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

struct darn_phase *darn_phase_common(struct darn_phase_store *store, struct darn_phase *phase)
{
    uint32_t hash = hash_phase(phase), number;
    size_t at = hash;

    while ((number = darn_htable_next(&store->common, hash, &at))) {
        struct darn_phase *other = darn_pool_at(&store->phases, number);

        if (equal_phases(other, phase)) {
            darn_phase_share(other);
            darn_phase_give_back(store, phase);
            return other;
        }
    }
    phase->hash = hash;
    phase->common = 1;
    darn_htable_add(&store->common, hash, phase->number);
    return phase;
}

static void take_out(struct darn_phase_store *store, struct darn_phase *phase)
{
    if (!phase->common)
        return;
    darn_htable_remove(&store->common, phase->hash, phase->number);
    phase->common = 0;
}

void darn_phase_give_back(struct darn_phase_store *store, struct darn_phase *phase)
{
    while (phase && --phase->references == 0) {
        struct darn_phase *older = phase->older;

        take_out(store, phase);
        store->lists -= (phase->reads.room + phase->writes.room) * sizeof(struct darn_access) +
                        phase->read_sets.room * sizeof(uint32_t);
        free(phase->reads.more);
        free(phase->writes.more);
        free(phase->read_sets.more);
        darn_pool_give(&store->phases, phase->number);
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
