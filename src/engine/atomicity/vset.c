#include "engine/atomicity/vset.h"

#include <stdlib.h>
#include <string.h>

#include "engine/common/grow.h"

void darn_vsets_free(struct darn_vsets *sets)
{
    for (size_t i = 1; i <= sets->count; i++)
        free(sets->all[i].members);
    free(sets->all);
    free(sets->buckets);
    *sets = (struct darn_vsets){NULL, 0, 0, 0, 0, 0, NULL, 0};
}

/* Those of all members are added up: the order does not matter. */
static uint64_t hash_of(uint32_t member)
{
    uint64_t hash = (member + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);

    return (hash ^ hash >> 29) * UINT64_C(0x94d049bb133111eb);
}

static uint32_t *bucket_of(struct darn_vsets *sets, uint64_t hash)
{
    return &sets->buckets[(hash ^ hash >> 32) & (sets->bucket_count - 1)];
}

static void link_in(struct darn_vsets *sets, uint32_t id)
{
    uint32_t *bucket = bucket_of(sets, sets->all[id].hash);

    sets->all[id].next = *bucket;
    *bucket = id;
}

static void link_out(struct darn_vsets *sets, uint32_t id)
{
    uint32_t *link = bucket_of(sets, sets->all[id].hash);

    while (*link != id)
        link = &sets->all[*link].next;
    *link = sets->all[id].next;
}

static bool is_live(const struct darn_vset *set)
{
    return set->references || set->is_final;
}

static void grow_buckets(struct darn_vsets *sets)
{
    if (sets->live < sets->bucket_count)
        return;
    sets->bucket_count = sets->bucket_count ? 2 * sets->bucket_count : 256;
    free(sets->buckets);
    sets->buckets = darn_need_memory(calloc(sets->bucket_count, sizeof(*sets->buckets)));
    for (uint32_t id = 1; id <= sets->count; id++) {
        if (is_live(&sets->all[id]))
            link_in(sets, id);
    }
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
    uint32_t id = sets->first_free;

    if (id) {
        sets->first_free = sets->all[id].next;
    } else {
        id = (uint32_t)++sets->count;
        sets->all = darn_grow(sets->all, &sets->capacity, sets->count + 1, sizeof(*sets->all));
    }
    sets->all[id] = (struct darn_vset){.references = 1};
    sets->live++;
    return id;
}

static void free_set(struct darn_vsets *sets, uint32_t id)
{
    struct darn_vset *set = &sets->all[id];

    link_out(sets, id);
    free(set->members);
    sets->members -= set->capacity;
    *set = (struct darn_vset){.next = sets->first_free};
    sets->first_free = id;
    sets->live--;
}

static void insert(struct darn_vsets *sets, uint32_t id, uint32_t at, uint32_t member)
{
    struct darn_vset *set = &sets->all[id];

    make_room(sets, set, set->count + 1);
    memmove(set->members + at + 1, set->members + at, (set->count - at) * sizeof(member));
    set->members[at] = member;
    set->count++;
    set->hash += hash_of(member);
    link_in(sets, id);
}

static uint32_t copy_set(struct darn_vsets *sets, uint32_t from)
{
    uint32_t id = make_set(sets);
    struct darn_vset *set = &sets->all[id], *old = from ? &sets->all[from] : NULL;

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
    struct darn_vset *from = set ? &sets->all[set] : NULL;
    uint32_t at = from ? find_member(from, member) : 0, id;
    uint64_t hash = (from ? from->hash : 0) + hash_of(member);

    if (from && at < from->count && from->members[at] == member)
        return set;
    grow_buckets(sets);
    for (id = *bucket_of(sets, hash); id; id = sets->all[id].next) {
        if (sets->all[id].hash == hash && is_that(&sets->all[id], from, at, member)) {
            darn_vsets_share(sets, id);
            darn_vsets_leave(sets, set);
            return id;
        }
    }
    if (from && from->references == 1 && !from->is_final) {
        link_out(sets, set);
        insert(sets, set, at, member);
        return set;
    }
    id = copy_set(sets, set);
    insert(sets, id, at, member);
    darn_vsets_leave(sets, set);
    return id;
}

uint32_t darn_vsets_strip(struct darn_vsets *sets, uint32_t set, const bool *is_gone)
{
    uint32_t stripped = 0, count = set ? sets->all[set].count : 0, gone = 0;

    for (uint32_t i = 0; i < count; i++)
        gone += is_gone[sets->all[set].members[i]];
    if (!gone)
        return set;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t member = sets->all[set].members[i];

        if (!is_gone[member])
            stripped = darn_vsets_add(sets, stripped, member);
    }
    darn_vsets_leave(sets, set);
    return stripped;
}

void darn_vsets_share(struct darn_vsets *sets, uint32_t set)
{
    if (set)
        sets->all[set].references++;
}

void darn_vsets_leave(struct darn_vsets *sets, uint32_t set)
{
    if (set && --sets->all[set].references == 0 && !sets->all[set].is_final)
        free_set(sets, set);
}

void darn_vsets_end(struct darn_vsets *sets, uint32_t set, const struct darn_vplace *place)
{
    if (!set || sets->all[set].is_final)
        return;
    sets->all[set].is_final = true;
    sets->all[set].place = *place;
}

void darn_vsets_done(struct darn_vsets *sets, uint32_t set)
{
    sets->all[set].is_final = false;
    if (!sets->all[set].references)
        free_set(sets, set);
}

size_t darn_vsets_memory(const struct darn_vsets *sets)
{
    return sets->capacity * sizeof(*sets->all) + sets->members * sizeof(uint32_t) +
           sets->bucket_count * sizeof(*sets->buckets);
}
