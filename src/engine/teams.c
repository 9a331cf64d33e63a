#include "engine/teams.h"

#include <stdlib.h>
#include <string.h>

#include "engine/grow.h"
#include "engine/threads.h"

struct darn_team {
    struct darn_team *next; /* in its bucket */
    uint32_t references;
    uint32_t hash;
    uint32_t witness; /* the member that was not joined when somebody last asked: asked first */
    uint32_t count;
    uint32_t members[]; /* indexes of threads, sorted */
};

/* One bit for each thread, by its index. */
struct joined {
    uint64_t *words;
    size_t capacity;
};

struct darn_teams {
    struct darn_threads threads;
    struct joined *joined; /* S(t), by the index of the thread */
    size_t capacity;
    struct darn_team **buckets;
    size_t bucket_count; /* a power of two */
    size_t team_count;
    uint32_t *scratch; /* the members of a team that is looked for */
    size_t scratch_capacity;
    size_t memory; /* of bits and teams */
};

struct darn_teams *darn_teams_create(void)
{
    struct darn_teams *teams = calloc(1, sizeof(*teams));

    if (!teams)
        return NULL;
    teams->bucket_count = 64;
    teams->buckets = calloc(teams->bucket_count, sizeof(*teams->buckets));
    if (!teams->buckets) {
        free(teams);
        return NULL;
    }
    return teams;
}

void darn_teams_destroy(struct darn_teams *teams)
{
    if (!teams)
        return;
    for (size_t i = 0; i < teams->capacity; i++)
        free(teams->joined[i].words);
    free(teams->joined);
    free(teams->buckets);
    free(teams->scratch);
    darn_threads_free(&teams->threads);
    free(teams);
}

static size_t team_size(uint32_t count)
{
    return sizeof(struct darn_team) + count * sizeof(uint32_t);
}

static void make_room(struct darn_teams *teams, struct joined *joined, size_t words)
{
    size_t before = joined->capacity;

    joined->words = darn_grow(joined->words, &joined->capacity, words, sizeof(*joined->words));
    teams->memory += (joined->capacity - before) * sizeof(*joined->words);
}

void darn_teams_join(struct darn_teams *teams, uint32_t thread, uint32_t joined)
{
    uint32_t to = darn_threads_index(&teams->threads, thread);
    uint32_t from = darn_threads_index(&teams->threads, joined);
    const struct joined *theirs;
    struct joined *ours;

    teams->joined =
        darn_grow(teams->joined, &teams->capacity, teams->threads.count, sizeof(*teams->joined));
    ours = &teams->joined[to];
    theirs = &teams->joined[from];
    make_room(teams, ours, theirs->capacity);
    for (size_t i = 0; i < theirs->capacity; i++)
        ours->words[i] |= theirs->words[i];
    make_room(teams, ours, (size_t)from / 64 + 1);
    ours->words[from / 64] |= UINT64_C(1) << from % 64;
}

static bool has_joined(const struct darn_teams *teams, uint32_t thread, uint32_t other)
{
    const struct joined *joined;

    if (thread == other)
        return true;
    if (thread >= teams->capacity)
        return false;
    joined = &teams->joined[thread];
    return other / 64 < joined->capacity && joined->words[other / 64] >> other % 64 & 1;
}

static void grow_buckets(struct darn_teams *teams)
{
    struct darn_team **old = teams->buckets;
    size_t old_count = teams->bucket_count;

    if (teams->team_count < old_count)
        return;
    teams->bucket_count = 2 * old_count;
    teams->buckets = darn_need_memory(calloc(teams->bucket_count, sizeof(struct darn_team *)));
    for (size_t i = 0; i < old_count; i++) {
        while (old[i]) {
            struct darn_team *team = old[i];
            struct darn_team **bucket = &teams->buckets[team->hash & (teams->bucket_count - 1)];

            old[i] = team->next;
            team->next = *bucket;
            *bucket = team;
        }
    }
    free(old);
}

/* The team whose members are in the scratch, with one more owner. */
static struct darn_team *get(struct darn_teams *teams, uint32_t count)
{
    struct darn_team *team, **bucket;
    uint64_t key = count;
    uint32_t hash;

    for (uint32_t i = 0; i < count; i++)
        key = (key ^ teams->scratch[i]) * UINT64_C(0x100000001b3);
    hash = darn_spread(key);
    for (team = teams->buckets[hash & (teams->bucket_count - 1)]; team; team = team->next) {
        if (team->hash == hash && team->count == count &&
            memcmp(team->members, teams->scratch, count * sizeof(team->members[0])) == 0) {
            team->references++;
            return team;
        }
    }
    grow_buckets(teams);
    team = darn_need_memory(malloc(team_size(count)));
    bucket = &teams->buckets[hash & (teams->bucket_count - 1)];
    *team = (struct darn_team){.next = *bucket, .references = 1, .hash = hash, .count = count};
    memcpy(team->members, teams->scratch, count * sizeof(team->members[0]));
    *bucket = team;
    teams->team_count++;
    teams->memory += team_size(count);
    return team;
}

struct darn_team *darn_team_create(struct darn_teams *teams, uint32_t thread)
{
    teams->scratch =
        darn_grow(teams->scratch, &teams->scratch_capacity, 1, sizeof(*teams->scratch));
    teams->scratch[0] = darn_threads_index(&teams->threads, thread);
    return get(teams, 1);
}

void darn_team_share(struct darn_team *team)
{
    if (team)
        team->references++;
}

void darn_team_leave(struct darn_teams *teams, struct darn_team *team)
{
    struct darn_team **link;

    if (!team || --team->references)
        return;
    link = &teams->buckets[team->hash & (teams->bucket_count - 1)];
    while (*link != team)
        link = &(*link)->next;
    *link = team->next;
    teams->team_count--;
    teams->memory -= team_size(team->count);
    free(team);
}

struct darn_team *darn_team_add(struct darn_teams *teams, struct darn_team *team, uint32_t thread)
{
    uint32_t index = darn_threads_index(&teams->threads, thread);
    uint32_t low = 0, high = team->count;
    struct darn_team *found;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (team->members[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < team->count && team->members[low] == index)
        return team;
    teams->scratch = darn_grow(teams->scratch, &teams->scratch_capacity, (size_t)team->count + 1,
                               sizeof(*teams->scratch));
    memcpy(teams->scratch, team->members, low * sizeof(*teams->scratch));
    teams->scratch[low] = index;
    memcpy(teams->scratch + low + 1, team->members + low,
           (team->count - low) * sizeof(*teams->scratch));
    found = get(teams, team->count + 1);
    darn_team_leave(teams, team);
    return found;
}

bool darn_team_is_joined(struct darn_teams *teams, struct darn_team *team, uint32_t thread)
{
    uint32_t index = darn_threads_index(&teams->threads, thread);

    if (!has_joined(teams, index, team->members[team->witness]))
        return false;
    for (uint32_t i = 0; i < team->count; i++) {
        if (!has_joined(teams, index, team->members[i])) {
            team->witness = i;
            return false;
        }
    }
    return true;
}

size_t darn_teams_memory(const struct darn_teams *teams)
{
    return sizeof(*teams) + darn_threads_memory(&teams->threads) +
           teams->capacity * sizeof(*teams->joined) +
           teams->bucket_count * sizeof(struct darn_team *) +
           teams->scratch_capacity * sizeof(*teams->scratch) + teams->memory;
}
