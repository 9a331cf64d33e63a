/*
 * Which sites are scheduling points: arming them, and learning which ones share memory.
 */
#include <stdlib.h>
#include <string.h>

#include "driver/process/listener.h"
#include "driver/process/server_private.h"
#include "report/story/snapshot.h"

#define QUIET_RUNS 2 /* so many runs in a row that show nothing new: enough is learned */

static uint32_t site_count(const struct darn_server *server)
{
    uint32_t count = server->block->site_count;

    return count < DARN_BLOCK_SITES ? count : DARN_BLOCK_SITES;
}

/* Whatever is armed from now on, the server is told. */
static void changed(struct darn_server *server)
{
    server->block->request.armed_version = ++server->version;
}

/* The keys of all sites, by their number. They are looked up once, and again when a run has loaded
 * further modules. NULL without memory. */
static const uint64_t *keys_of(struct darn_server *server)
{
    struct darn_snapshot snapshot = {.block = server->block, .modules = &server->modules};
    uint32_t count = site_count(server);
    uint64_t *keys;

    if (server->keys && server->key_count >= count)
        return server->keys;
    keys = realloc(server->keys, (count + 1) * sizeof(*keys));
    if (!keys)
        return NULL;
    for (uint32_t i = server->key_count; i < count; i++)
        keys[i] = darn_snapshot_site_key(&snapshot, server->block->site_places[i]);
    server->keys = keys;
    server->key_count = count;
    return keys;
}

static int compare(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return one < other ? -1 : one > other;
}

static bool has(const uint64_t *keys, size_t count, uint64_t key)
{
    return key && bsearch(&key, keys, count, sizeof(key), compare);
}

/* Sites of modules that a run loads later have their bits, too: those of `all`. */
static bool set_tail(struct darn_server *server, bool all)
{
    if (server->all == all)
        return false;
    server->all = all;
    for (uint32_t i = site_count(server); i < DARN_BLOCK_SITES; i++)
        server->block->sites[i] = all ? DARN_SITE_IS_ARMED : 0;
    return true;
}

void darn_server_arm(struct darn_server *server, const uint64_t *keys, size_t count)
{
    bool all = !keys && count == SIZE_MAX, any = set_tail(server, all);
    const uint64_t *known = keys && count ? keys_of(server) : NULL;
    uint8_t *sites = server->block->sites;

    for (uint32_t i = 0; i < site_count(server); i++) {
        bool armed = all || (known && has(keys, count, known[i]));

        if (armed == !!(sites[i] & DARN_SITE_IS_ARMED))
            continue;
        sites[i] ^= DARN_SITE_IS_ARMED;
        any = true;
    }
    if (any)
        changed(server);
}

/* Sites have the same numbers in each server of a program, unless it loads modules as it likes. */
static bool are_alike(const struct darn_server *server, const struct darn_server *model)
{
    uint32_t count = site_count(model);

    return count == site_count(server) &&
           memcmp(server->block->site_places, model->block->site_places,
                  count * sizeof(model->block->site_places[0])) == 0;
}

void darn_server_arm_like(struct darn_server *server, struct darn_server *model)
{
    size_t count;
    uint64_t *keys;

    if (are_alike(server, model)) {
        memcpy(server->block->sites, model->block->sites, site_count(model));
        set_tail(server, model->all);
        changed(server);
        return;
    }
    keys = darn_server_armed(model, &count);
    darn_server_arm(server, keys, keys ? count : 0);
    free(keys);
}

/* Sorts, and drops what is there twice: copies of a site, as of an inline function, have the same
 * key. How many are left. */
static size_t sort_keys(uint64_t *keys, size_t count)
{
    size_t distinct = 0;

    if (count)
        qsort(keys, count, sizeof(*keys), compare);
    for (size_t i = 0; i < count; i++)
        if (!i || keys[i] != keys[i - 1])
            keys[distinct++] = keys[i];
    return distinct;
}

/* The keys of the sites that are in this state, sorted. */
static uint64_t *keys_in(struct darn_server *server, enum darn_site_state state, size_t *count)
{
    uint32_t sites = site_count(server);
    const uint64_t *known = keys_of(server);
    uint64_t *keys = calloc(sites + 1, sizeof(*keys));
    size_t used = 0;

    for (uint32_t i = 0; keys && known && i < sites; i++)
        if (server->block->sites[i] & state && known[i])
            keys[used++] = known[i];
    *count = sort_keys(keys, used);
    return keys;
}

uint64_t *darn_server_armed(struct darn_server *server, size_t *count)
{
    return keys_in(server, DARN_SITE_IS_ARMED, count);
}

/* By key: what a schedule says is armed shall be so in a replay. */
int darn_server_arm_shared(struct darn_server *server)
{
    size_t count;
    uint64_t *keys = keys_in(server, DARN_SITE_IS_SHARED, &count);

    darn_server_arm(server, keys, keys ? count : 0);
    free(keys);
    return (int)count;
}

/* The first is what the program does when nobody interferes. */
static void choose_plan(struct darn_plan *plan, uint32_t run)
{
    static const enum darn_strategy_kind kinds[] = {DARN_STRATEGY_STRAIGHT, DARN_STRATEGY_RANDOM,
                                                    DARN_STRATEGY_POS};

    memset(plan, 0, sizeof(*plan));
    plan->kind = run ? kinds[1 + (run - 1) % 2] : kinds[0];
    plan->seed = run + 1;
}

/* Whether the run says that there is no sense in others. */
static bool is_endless(const struct darn_server *server, enum darn_server_result how)
{
    return how == DARN_SERVER_TIMEOUT ||
           (how == DARN_SERVER_RAN && server->block->result.end == DARN_END_STEPS);
}

int darn_server_learn(struct darn_server *server, int runs)
{
    struct darn_request *request = &server->block->request;
    uint32_t flags = request->flags;
    int armed = 0, quiet = 0;

    darn_server_arm(server, NULL, 0);
    for (int run = 0; run < runs && quiet < QUIET_RUNS; run++) {
        enum darn_server_result how;

        request->flags = DARN_RUN_LEARN;
        choose_plan(&request->plan, (uint32_t)run);
        how = darn_server_run(server);
        request->flags = flags;
        if (how == DARN_SERVER_LOST) {
            darn_tell_refusal(server->options.listener, "%s", server->loss);
            return -1;
        }
        if (how == DARN_SERVER_STOPPED)
            break;
        server->learned++;
        quiet = server->block->result.new_shared ? 0 : quiet + 1;
        armed = darn_server_arm_shared(server);
        if (is_endless(server, how))
            break;
    }
    return armed;
}
