#include "engine/common/lockset.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/htable.h"

/* A member is the index of its lock and its mode; a set is sorted by it, and has a lock once. */
#define MEMBER(index, exclusive) ((index) << 1 | (uint32_t)(exclusive))
#define LOCK_OF(member)          ((member) >> 1)
#define IS_EXCLUSIVE(member)     ((member)&1)

#define CACHE_SIZE 8192

enum operation { NOTHING, ADD, REMOVE, INTERSECT, SUBSET, DISJOINT_FOR };

struct set {
    uint32_t first; /* in `members` */
    uint32_t count;
    uint32_t
        exclusive; /* the set of darn_lockset_exclusive + 1, or 0 as long as nobody has asked */
};

/* Direct mapped: the last answer for a cell of the table, whatever it was. */
struct answer {
    uint32_t operation;
    uint32_t a, b;
    uint32_t result;
};

struct darn_locksets {
    uint64_t *locks;
    size_t lock_count, lock_capacity;
    struct darn_htable lock_table; /* of indexes + 1 */
    struct set *sets;
    size_t set_count, set_capacity;
    struct darn_htable set_table;
    uint32_t *members;
    size_t member_count, member_capacity;
    uint32_t *scratch; /* the set that is being made */
    size_t scratch_capacity;
    struct answer cache[CACHE_SIZE];
};

struct darn_locksets *darn_locksets_create(void)
{
    struct darn_locksets *sets = calloc(1, sizeof(*sets));

    if (!sets)
        return NULL;
    sets->sets = darn_grow(NULL, &sets->set_capacity, 1, sizeof(*sets->sets));
    sets->members = darn_grow(NULL, &sets->member_capacity, 1, sizeof(*sets->members));
    sets->scratch = darn_grow(NULL, &sets->scratch_capacity, 1, sizeof(*sets->scratch));
    sets->set_count = 1; /* DARN_LOCKSET_EMPTY, which is all zeroes and never looked up */
    return sets;
}

void darn_locksets_destroy(struct darn_locksets *sets)
{
    if (!sets)
        return;
    free(sets->locks);
    darn_htable_free(&sets->lock_table);
    free(sets->sets);
    darn_htable_free(&sets->set_table);
    free(sets->members);
    free(sets->scratch);
    free(sets);
}

/* The index of a lock + 1; 0 when it was never seen. */
static uint32_t find_lock(const struct darn_locksets *sets, uint64_t lock)
{
    uint32_t hash = darn_spread(lock), known;
    size_t at = hash;

    while ((known = darn_htable_next(&sets->lock_table, hash, &at)) &&
           sets->locks[known - 1] != lock)
        continue;
    return known;
}

static uint32_t index_of(struct darn_locksets *sets, uint64_t lock)
{
    uint32_t known = find_lock(sets, lock);

    if (known)
        return known - 1;
    sets->locks =
        darn_grow(sets->locks, &sets->lock_capacity, sets->lock_count + 1, sizeof(*sets->locks));
    sets->locks[sets->lock_count++] = lock;
    darn_htable_add(&sets->lock_table, darn_spread(lock), (uint32_t)sets->lock_count);
    return (uint32_t)sets->lock_count - 1;
}

static const uint32_t *members_of(const struct darn_locksets *sets, uint32_t set, uint32_t *count)
{
    *count = sets->sets[set].count;
    return sets->members + sets->sets[set].first;
}

static bool is_scratch(const struct darn_locksets *sets, uint32_t id, uint32_t count)
{
    const struct set *set = &sets->sets[id];

    return set->count == count &&
           !memcmp(sets->members + set->first, sets->scratch, count * sizeof(*sets->scratch));
}

/* The id of the set that is in the scratch. */
static uint32_t intern(struct darn_locksets *sets, uint32_t count)
{
    uint64_t key = count;
    uint32_t hash, known;
    size_t at;

    if (!count)
        return DARN_LOCKSET_EMPTY;
    for (uint32_t i = 0; i < count; i++)
        key = darn_fold(key, sets->scratch[i]);
    at = hash = darn_spread(key);
    while ((known = darn_htable_next(&sets->set_table, hash, &at))) {
        if (is_scratch(sets, known, count))
            return known;
    }
    sets->sets =
        darn_grow(sets->sets, &sets->set_capacity, sets->set_count + 1, sizeof(*sets->sets));
    sets->members = darn_grow(sets->members, &sets->member_capacity, sets->member_count + count,
                              sizeof(*sets->members));
    memcpy(sets->members + sets->member_count, sets->scratch, count * sizeof(*sets->scratch));
    sets->sets[sets->set_count] =
        (struct set){.first = (uint32_t)sets->member_count, .count = count};
    sets->member_count += count;
    darn_htable_add(&sets->set_table, hash, (uint32_t)sets->set_count);
    return (uint32_t)sets->set_count++;
}

static struct answer *ask(struct darn_locksets *sets, enum operation operation, uint32_t a,
                          uint32_t b)
{
    uint64_t key = darn_fold(operation, (uint64_t)a << 32 | b);

    return &sets->cache[darn_spread(key) & (CACHE_SIZE - 1)];
}

static bool is_answered(const struct answer *answer, enum operation operation, uint32_t a,
                        uint32_t b)
{
    return answer->operation == operation && answer->a == a && answer->b == b;
}

static uint32_t add(struct darn_locksets *sets, uint32_t set, uint32_t new)
{
    uint32_t count, made = 0, i = 0;
    const uint32_t *old = members_of(sets, set, &count);

    sets->scratch = darn_grow(sets->scratch, &sets->scratch_capacity, (size_t)count + 1,
                              sizeof(*sets->scratch));
    while (i < count && LOCK_OF(old[i]) < LOCK_OF(new))
        sets->scratch[made++] = old[i++];
    if (i < count && LOCK_OF(old[i]) == LOCK_OF(new))
        new |= old[i++];
    sets->scratch[made++] = new;
    while (i < count)
        sets->scratch[made++] = old[i++];
    return intern(sets, made);
}

uint32_t darn_lockset_add(struct darn_locksets *sets, uint32_t set, uint64_t lock, bool exclusive)
{
    uint32_t new = MEMBER(index_of(sets, lock), exclusive);
    struct answer *answer = ask(sets, ADD, set, new);

    if (!is_answered(answer, ADD, set, new))
        *answer = (struct answer){ADD, set, new, add(sets, set, new)};
    return answer->result;
}

static uint32_t without(struct darn_locksets *sets, uint32_t set, uint32_t index)
{
    uint32_t count, made = 0;
    const uint32_t *old = members_of(sets, set, &count);

    sets->scratch =
        darn_grow(sets->scratch, &sets->scratch_capacity, count, sizeof(*sets->scratch));
    for (uint32_t i = 0; i < count; i++) {
        if (LOCK_OF(old[i]) != index)
            sets->scratch[made++] = old[i];
    }
    return intern(sets, made);
}

uint32_t darn_lockset_remove(struct darn_locksets *sets, uint32_t set, uint64_t lock)
{
    uint32_t known = find_lock(sets, lock);
    struct answer *answer;

    if (!known || set == DARN_LOCKSET_EMPTY)
        return set;
    answer = ask(sets, REMOVE, set, known - 1);
    if (!is_answered(answer, REMOVE, set, known - 1))
        *answer = (struct answer){REMOVE, set, known - 1, without(sets, set, known - 1)};
    return answer->result;
}

static uint32_t intersect(struct darn_locksets *sets, uint32_t a, uint32_t b)
{
    uint32_t a_count, b_count, made = 0;
    const uint32_t *in_a = members_of(sets, a, &a_count), *in_b = members_of(sets, b, &b_count);

    sets->scratch =
        darn_grow(sets->scratch, &sets->scratch_capacity, a_count, sizeof(*sets->scratch));
    for (uint32_t i = 0, j = 0; i < a_count && j < b_count;) {
        if (LOCK_OF(in_a[i]) == LOCK_OF(in_b[j]))
            sets->scratch[made++] = in_a[i++] & in_b[j++];
        else if (in_a[i] < in_b[j])
            i++;
        else
            j++;
    }
    return intern(sets, made);
}

uint32_t darn_lockset_intersect(struct darn_locksets *sets, uint32_t a, uint32_t b)
{
    struct answer *answer;

    if (a > b) {
        uint32_t other = a;

        a = b;
        b = other;
    }
    if (a == b || b == DARN_LOCKSET_ALL || a == DARN_LOCKSET_EMPTY)
        return a;
    answer = ask(sets, INTERSECT, a, b);
    if (!is_answered(answer, INTERSECT, a, b))
        *answer = (struct answer){INTERSECT, a, b, intersect(sets, a, b)};
    return answer->result;
}

uint32_t darn_lockset_exclusive(struct darn_locksets *sets, uint32_t set)
{
    uint32_t count, made = 0, result;
    const uint32_t *members;

    if (set == DARN_LOCKSET_ALL || set == DARN_LOCKSET_EMPTY)
        return set;
    if (sets->sets[set].exclusive)
        return sets->sets[set].exclusive - 1;
    members = members_of(sets, set, &count);
    sets->scratch =
        darn_grow(sets->scratch, &sets->scratch_capacity, count, sizeof(*sets->scratch));
    for (uint32_t i = 0; i < count; i++) {
        if (IS_EXCLUSIVE(members[i]))
            sets->scratch[made++] = members[i];
    }
    result = intern(sets, made);
    sets->sets[set].exclusive = result + 1;
    return result;
}

static bool is_subset(const struct darn_locksets *sets, uint32_t a, uint32_t b)
{
    uint32_t a_count, b_count, j = 0;
    const uint32_t *in_a = members_of(sets, a, &a_count), *in_b = members_of(sets, b, &b_count);

    for (uint32_t i = 0; i < a_count; i++) {
        while (j < b_count && LOCK_OF(in_b[j]) < LOCK_OF(in_a[i]))
            j++;
        if (j == b_count || LOCK_OF(in_b[j]) != LOCK_OF(in_a[i]) || in_b[j] < in_a[i])
            return false;
    }
    return true;
}

bool darn_lockset_is_subset(struct darn_locksets *sets, uint32_t a, uint32_t b)
{
    struct answer *answer;

    if (a == b || a == DARN_LOCKSET_EMPTY || b == DARN_LOCKSET_ALL)
        return true;
    if (a == DARN_LOCKSET_ALL || b == DARN_LOCKSET_EMPTY)
        return false;
    answer = ask(sets, SUBSET, a, b);
    if (!is_answered(answer, SUBSET, a, b))
        *answer = (struct answer){SUBSET, a, b, is_subset(sets, a, b)};
    return answer->result;
}

/* A lock is in both, exclusively in at least one of them. */
static bool meet(const struct darn_locksets *sets, uint32_t a, uint32_t b)
{
    uint32_t a_count, b_count;
    const uint32_t *in_a = members_of(sets, a, &a_count), *in_b = members_of(sets, b, &b_count);

    for (uint32_t i = 0, j = 0; i < a_count && j < b_count;) {
        if (LOCK_OF(in_a[i]) < LOCK_OF(in_b[j])) {
            i++;
        } else if (LOCK_OF(in_a[i]) > LOCK_OF(in_b[j])) {
            j++;
        } else {
            if (IS_EXCLUSIVE(in_a[i] | in_b[j]))
                return true;
            i++;
            j++;
        }
    }
    return false;
}

bool darn_lockset_disjoint_for(struct darn_locksets *sets, uint32_t a, uint32_t b)
{
    struct answer *answer;

    if (a > b) {
        uint32_t other = a;

        a = b;
        b = other;
    }
    if (a == DARN_LOCKSET_EMPTY)
        return true;
    if (b == DARN_LOCKSET_ALL)
        return false;
    answer = ask(sets, DISJOINT_FOR, a, b);
    if (!is_answered(answer, DISJOINT_FOR, a, b))
        *answer = (struct answer){DISJOINT_FOR, a, b, !meet(sets, a, b)};
    return answer->result;
}

bool darn_lockset_contains(const struct darn_locksets *sets, uint32_t set, uint64_t lock)
{
    uint32_t known, count;
    const uint32_t *members;

    if (set == DARN_LOCKSET_ALL)
        return true;
    known = find_lock(sets, lock);
    if (!known)
        return false;
    members = members_of(sets, set, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (LOCK_OF(members[i]) == known - 1)
            return true;
    }
    return false;
}

size_t darn_lockset_size(const struct darn_locksets *sets, uint32_t set)
{
    return set == DARN_LOCKSET_ALL ? 0 : sets->sets[set].count;
}

struct darn_lockset_member darn_lockset_member(const struct darn_locksets *sets, uint32_t set,
                                               size_t index)
{
    uint32_t member = sets->members[sets->sets[set].first + index];

    return (struct darn_lockset_member){sets->locks[LOCK_OF(member)], IS_EXCLUSIVE(member)};
}

size_t darn_locksets_memory(const struct darn_locksets *sets)
{
    return sizeof(*sets) + sets->lock_capacity * sizeof(*sets->locks) +
           sets->set_capacity * sizeof(*sets->sets) +
           sets->member_capacity * sizeof(*sets->members) +
           sets->scratch_capacity * sizeof(*sets->scratch) + darn_htable_memory(&sets->lock_table) +
           darn_htable_memory(&sets->set_table);
}
