#include "engine/race/teams.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/htable.h"
#include "base/pool.h"
#include "engine/common/threads.h"

struct darn_team {
    uint32_t number; /* in the pool */
    uint32_t references;
    uint32_t hash;
    uint32_t joins;    /* how many joins there had been when the members were roots */
    uint32_t count;    /* 0: a crowd */
    uint32_t *members; /* indexes of threads, sorted */
};

struct darn_teams {
    struct darn_threads threads;
    uint32_t *joiners; /* by the index of a thread: index of who has joined it, + 1 */
    size_t joiner_capacity;
    uint32_t joins;
    struct darn_pool all;
    struct darn_htable table;
    size_t member_count; /* of all teams */
    uint32_t *scratch;   /* the members of a team that is being made */
    size_t scratch_capacity;
    uint64_t crowds;
};

struct darn_teams *darn_teams_create(void)
{
    struct darn_teams *teams = calloc(1, sizeof(*teams));

    if (teams)
        teams->all.item = sizeof(struct darn_team);
    return teams;
}

void darn_teams_destroy(struct darn_teams *teams)
{
    if (!teams)
        return;
    free(teams->joiners);
    darn_pool_free(&teams->all);
    darn_htable_free(&teams->table);
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

static bool is_scratch(const struct darn_teams *teams, const struct darn_team *team, uint32_t count)
{
    return team->count == count &&
           memcmp(team->members, teams->scratch, count * sizeof(team->members[0])) == 0;
}

static struct darn_team *make_team(struct darn_teams *teams, uint32_t hash, uint32_t count)
{
    uint32_t number = darn_pool_take(&teams->all);
    struct darn_team *team = darn_pool_at(&teams->all, number);

    *team = (struct darn_team){.number = number,
                               .references = 1,
                               .hash = hash,
                               .joins = teams->joins,
                               .count = count,
                               .members = darn_need_memory(malloc((count + 1) * sizeof(uint32_t)))};
    memcpy(team->members, teams->scratch, count * sizeof(team->members[0]));
    teams->member_count += count;
    darn_htable_add(&teams->table, hash, number);
    return team;
}

/* The team whose members are in the scratch, with one more owner. */
static struct darn_team *team_of_scratch(struct darn_teams *teams, uint32_t count)
{
    uint64_t key = count;
    uint32_t hash, number;
    size_t at;

    for (uint32_t i = 0; i < count; i++)
        key = darn_fold(key, teams->scratch[i]);
    at = hash = darn_spread(key);
    while ((number = darn_htable_next(&teams->table, hash, &at))) {
        struct darn_team *team = darn_pool_at(&teams->all, number);

        if (is_scratch(teams, team, count)) {
            team->references++;
            team->joins = teams->joins;
            return team;
        }
    }
    return make_team(teams, hash, count);
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
    return team_of_scratch(teams, 1);
}

void darn_team_share(struct darn_team *team)
{
    if (team)
        team->references++;
}

void darn_team_leave(struct darn_teams *teams, struct darn_team *team)
{
    if (!team || --team->references)
        return;
    darn_htable_remove(&teams->table, team->hash, team->number);
    teams->member_count -= team->count;
    free(team->members);
    darn_pool_give(&teams->all, team->number);
}

/* Adds an index to the scratch, which is sorted; the number of members then. */
static uint32_t put_index(struct darn_teams *teams, uint32_t count, uint32_t index)
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
        count = put_index(teams, count, root_of(teams, team->members[i]));
    /* Its own root, for a thread that goes on after it was joined. */
    count = put_index(teams, count, root_of(teams, self));
    if (count > DARN_TEAM_MOST) {
        teams->crowds++;
        count = 0;
    }
    after = count == 1 ? NULL : team_of_scratch(teams, count);
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
           teams->joiner_capacity * sizeof(*teams->joiners) + darn_pool_memory(&teams->all) +
           darn_htable_memory(&teams->table) +
           (teams->scratch_capacity + teams->member_count) * sizeof(*teams->scratch);
}
