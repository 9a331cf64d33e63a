#include "engine/atomicity/vset.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#include "base/hash.h"

static bool is_live(const struct darn_vset *set)
{
    return set->references || set->is_final;
}

void darn_vsets_init(struct darn_vsets *sets)
{
    *sets = (struct darn_vsets){.all = {.item = sizeof(struct darn_vset)}};
}

void darn_vsets_free(struct darn_vsets *sets)
{
    for (uint32_t id = 1; id <= sets->all.fresh; id++) {
        if (is_live(darn_vset_at(sets, id)))
            free(darn_vset_at(sets, id)->members);
    }
    darn_pool_free(&sets->all);
    darn_htable_free(&sets->table);
}

/* Those of all members are added up: the order does not matter. */
static uint64_t hash_member(uint32_t member)
{
    return darn_mix(member + DARN_HASH_GOLDEN);
}

static uint32_t fold(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

/* Where the member is, or would be. */
static uint32_t find_member(const struct darn_vset *set, uint32_t member)
{
    uint32_t low = 0, high = set->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (set->members[middle] < member)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether the set is `from` with one more, which comes at `at`. */
static bool is_that(const struct darn_vset *set, const struct darn_vset *from, uint32_t at,
                    uint32_t member)
{
    uint32_t count = from ? from->count : 0;

    if (set->count != count + 1 || set->members[at] != member)
        return false;
    return !count ||
           (memcmp(set->members, from->members, at * sizeof(member)) == 0 &&
            memcmp(set->members + at + 1, from->members + at, (count - at) * sizeof(member)) == 0);
}

static void make_room(struct darn_vsets *sets, struct darn_vset *set, uint32_t count)
{
    uint32_t capacity = set->capacity ? set->capacity : 2;

    if (count <= set->capacity)
        return;
    while (capacity < count)
        capacity *= 2;
    set->members = darn_need_memory(reallocarray(set->members, capacity, sizeof(*set->members)));
    sets->members += capacity - set->capacity;
    set->capacity = capacity;
}

static uint32_t make_set(struct darn_vsets *sets)
{
    uint32_t id = darn_pool_take(&sets->all);

    *darn_vset_at(sets, id) = (struct darn_vset){.references = 1};
    return id;
}

static void free_set(struct darn_vsets *sets, uint32_t id)
{
    struct darn_vset *set = darn_vset_at(sets, id);

    darn_htable_remove(&sets->table, fold(set->hash), id);
    free(set->members);
    sets->members -= set->capacity;
    darn_pool_give(&sets->all, id);
}

static void insert_member(struct darn_vsets *sets, uint32_t id, uint32_t at, uint32_t member)
{
    struct darn_vset *set = darn_vset_at(sets, id);

    make_room(sets, set, set->count + 1);
    memmove(set->members + at + 1, set->members + at, (set->count - at) * sizeof(member));
    set->members[at] = member;
    set->count++;
    set->hash += hash_member(member);
    darn_htable_add(&sets->table, fold(set->hash), id);
}

static uint32_t copy_set(struct darn_vsets *sets, uint32_t from)
{
    uint32_t id = make_set(sets);
    struct darn_vset *set = darn_vset_at(sets, id), *old = darn_vset_get(sets, from);

    if (!old)
        return id;
    make_room(sets, set, old->count + 1);
    memcpy(set->members, old->members, old->count * sizeof(*old->members));
    set->count = old->count;
    set->hash = old->hash;
    return id;
}

uint32_t darn_vsets_add(struct darn_vsets *sets, uint32_t set, uint32_t member)
{
    struct darn_vset *from = darn_vset_get(sets, set);
    uint32_t at = from ? find_member(from, member) : 0, id;
    uint32_t hash = fold((from ? from->hash : 0) + hash_member(member));
    size_t probe = hash;

    if (from && at < from->count && from->members[at] == member)
        return set;
    while ((id = darn_htable_next(&sets->table, hash, &probe))) {
        if (is_that(darn_vset_at(sets, id), from, at, member)) {
            darn_vsets_share(sets, id);
            darn_vsets_leave(sets, set);
            return id;
        }
    }
    if (from && from->references == 1 && !from->is_final) {
        darn_htable_remove(&sets->table, fold(from->hash), set);
        insert_member(sets, set, at, member);
        return set;
    }
    id = copy_set(sets, set);
    insert_member(sets, id, at, member);
    darn_vsets_leave(sets, set);
    return id;
}

uint32_t darn_vsets_strip(struct darn_vsets *sets, uint32_t set, const bool *is_gone)
{
    const struct darn_vset *from = darn_vset_get(sets, set);
    uint32_t stripped = 0, gone = 0;

    for (uint32_t i = 0; from && i < from->count; i++)
        gone += is_gone[from->members[i]];
    if (!gone)
        return set;
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t member = from->members[i];

        if (!is_gone[member])
            stripped = darn_vsets_add(sets, stripped, member);
    }
    darn_vsets_leave(sets, set);
    return stripped;
}

void darn_vsets_share(struct darn_vsets *sets, uint32_t set)
{
    if (set)
        darn_vset_at(sets, set)->references++;
}

void darn_vsets_leave(struct darn_vsets *sets, uint32_t set)
{
    struct darn_vset *left = darn_vset_get(sets, set);

    if (left && --left->references == 0 && !left->is_final)
        free_set(sets, set);
}

void darn_vsets_end(struct darn_vsets *sets, uint32_t set, const struct darn_vtarget *place)
{
    struct darn_vset *ended = darn_vset_get(sets, set);

    if (!ended || ended->is_final)
        return;
    ended->is_final = true;
    ended->place = *place;
}

void darn_vsets_done(struct darn_vsets *sets, uint32_t set)
{
    struct darn_vset *done = darn_vset_at(sets, set);

    done->is_final = false;
    if (!done->references)
        free_set(sets, set);
}

size_t darn_vsets_memory(const struct darn_vsets *sets)
{
    return darn_pool_memory(&sets->all) + sets->members * sizeof(uint32_t) +
           darn_htable_memory(&sets->table);
}
