#include "engine/race/teams.h"

#include <stdlib.h>
#include <string.h>

#include "engine/common/grow.h"
#include "engine/common/threads.h"

struct darn_team {
    struct darn_team *next; /* in its bucket */
    uint32_t references;
    uint32_t hash;
    uint32_t joins;     /* how many joins there had been when the members were roots */
    uint32_t count;     /* 0: a crowd */
    uint32_t members[]; /* indexes of threads, sorted */
};

struct darn_teams {
    struct darn_threads threads;
    uint32_t *joiners; /* by the index of a thread: index of who has joined it, + 1 */
    size_t joiner_capacity;
    uint32_t joins;
    struct darn_team **buckets;
    size_t bucket_count; /* a power of two */
    size_t team_count;
    uint32_t *scratch; /* the members of a team that is being made */
    size_t scratch_capacity;
    size_t memory; /* of teams */
    uint64_t crowds;
};

struct darn_teams *darn_teams_create(void)
{
    struct darn_teams *teams = calloc(1, sizeof(*teams));

    if (!teams)
        return NULL;
    teams->bucket_count = 64;
    teams->buckets = calloc(teams->bucket_count, sizeof(struct darn_team *));
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
    free(teams->joiners);
    free(teams->buckets);
    free(teams->scratch);
    darn_threads_free(&teams->threads);
    free(teams);
}

static uint32_t index_of(struct darn_teams *teams, uint32_t thread)
{
    uint32_t index = darn_threads_index(&teams->threads, thread);

    teams->joiners = darn_grow(teams->joiners, &teams->joiner_capacity, teams->threads.count,
                               sizeof(*teams->joiners));
    return index;
}

/* Whoever has joined it, and who has joined that one, and so on; the way is made shorter. */
static uint32_t root_of(struct darn_teams *teams, uint32_t index)
{
    uint32_t root = index;

    while (teams->joiners[root])
        root = teams->joiners[root] - 1;
    while (teams->joiners[index]) {
        uint32_t next = teams->joiners[index] - 1;

        teams->joiners[index] = root + 1;
        index = next;
    }
    return root;
}

void darn_teams_join(struct darn_teams *teams, uint32_t thread, uint32_t joined)
{
    uint32_t by = index_of(teams, thread), who = index_of(teams, joined);

    /* A join of itself, or in a circle, is none. */
    if (teams->joiners[who] || root_of(teams, by) == who)
        return;
    teams->joiners[who] = by + 1;
    teams->joins++;
}

static size_t team_size(uint32_t count)
{
    return sizeof(struct darn_team) + count * sizeof(uint32_t);
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
            team->joins = teams->joins;
            return team;
        }
    }
    grow_buckets(teams);
    team = darn_need_memory(malloc(team_size(count)));
    bucket = &teams->buckets[hash & (teams->bucket_count - 1)];
    *team = (struct darn_team){
        .next = *bucket, .references = 1, .hash = hash, .joins = teams->joins, .count = count};
    memcpy(team->members, teams->scratch, count * sizeof(team->members[0]));
    *bucket = team;
    teams->team_count++;
    teams->memory += team_size(count);
    return team;
}

static void make_room(struct darn_teams *teams, size_t count)
{
    teams->scratch =
        darn_grow(teams->scratch, &teams->scratch_capacity, count, sizeof(*teams->scratch));
}

struct darn_team *darn_team_create(struct darn_teams *teams, uint32_t thread)
{
    make_room(teams, 1);
    teams->scratch[0] = index_of(teams, thread);
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

/* Adds an index to the scratch, which is sorted; the number of members then. */
static uint32_t put(struct darn_teams *teams, uint32_t count, uint32_t index)
{
    uint32_t at = count;

    while (at && teams->scratch[at - 1] > index)
        at--;
    if (at && teams->scratch[at - 1] == index)
        return count;
    memmove(teams->scratch + at + 1, teams->scratch + at, (count - at) * sizeof(*teams->scratch));
    teams->scratch[at] = index;
    return count + 1;
}

static bool has(const struct darn_team *team, uint32_t index)
{
    uint32_t low = 0, high = team->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (team->members[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < team->count && team->members[low] == index;
}

struct darn_team *darn_team_come(struct darn_teams *teams, struct darn_team *team, uint32_t thread)
{
    uint32_t self = index_of(teams, thread), count = 0;
    struct darn_team *after;

    if (!team->count || (team->joins == teams->joins && team->count > 1 && has(team, self)))
        return team;
    make_room(teams, (size_t)team->count + 1);
    for (uint32_t i = 0; i < team->count; i++)
        count = put(teams, count, root_of(teams, team->members[i]));
    /* Its own root, for a thread that goes on after it was joined. */
    count = put(teams, count, root_of(teams, self));
    if (count > DARN_TEAM_MOST) {
        teams->crowds++;
        count = 0;
    }
    after = count == 1 ? NULL : get(teams, count);
    darn_team_leave(teams, team);
    return after;
}

uint64_t darn_teams_crowds(const struct darn_teams *teams)
{
    return teams->crowds;
}

size_t darn_teams_memory(const struct darn_teams *teams)
{
    return sizeof(*teams) + darn_threads_memory(&teams->threads) +
           teams->joiner_capacity * sizeof(*teams->joiners) +
           teams->bucket_count * sizeof(struct darn_team *) +
           teams->scratch_capacity * sizeof(*teams->scratch) + teams->memory;
}
