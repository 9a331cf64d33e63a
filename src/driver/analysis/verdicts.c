#include "driver/analysis/verdicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "report/predict.h"

void darn_verdicts_free(struct darn_verdicts *verdicts)
{
    for (size_t i = 0; i < verdicts->count; i++)
        darn_finding_free(verdicts->items[i].finding);
    free(verdicts->items);
    darn_map_free(&verdicts->by_id);
    *verdicts = (struct darn_verdicts){0};
}

bool darn_verdict_is_by(const char *engines, const char *engine)
{
    size_t length = strlen(engine);

    for (const char *at = engines; at; at = strchr(at, ',')) {
        at += strspn(at, ", ");
        if (strncmp(at, engine, length) == 0 && (!at[length] || at[length] == ','))
            return true;
    }
    return false;
}

bool darn_verdict_is_suspicion(const struct darn_finding *finding)
{
    if (darn_finding_is(finding, "order-violation"))
        return darn_finding_is_predicted(finding);
    return darn_finding_is(finding, "data-race") && !darn_verdict_is_by(finding->engine, "hb") &&
           !darn_verdict_is_by(finding->engine, "syncp");
}

/* Several functions may have the same accesses that should be atomic: `put and get`. */
static void merge_section(struct darn_finding *known, const struct darn_finding *finding)
{
    const char *name = finding->section.function, *names = known->section.function;
    size_t length = name ? strlen(name) : 0;

    for (const char *at = names; at && length; at = *at ? at + 1 : NULL) {
        at = strstr(at, name);
        if (at && (at == names || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return;
        if (!at)
            break;
    }
    if (names && length)
        known->section.function = darn_pool_format(&known->pool, "%s and %s", names, name);
}

/* Of two accesses that came in one order in this run and in the other one in another, neither has
 * to come first. */
static bool is_turned(const struct darn_finding *known, const struct darn_finding *finding)
{
    const struct darn_finding_access *first = &finding->accesses[0], *other = &known->accesses[1];

    return darn_finding_is(finding, "order-violation") && known->access_count == 2 &&
           first->op == other->op && first->line == other->line && first->column == other->column &&
           first->site_hash == other->site_hash;
}

static void merge(struct darn_verdict *verdict, const struct darn_finding *finding, uint32_t trace)
{
    struct darn_finding *known = verdict->finding;
    uint64_t count = finding->count;

    if (!darn_verdict_is_by(known->engine, finding->engine))
        known->engine = darn_pool_format(&known->pool, "%s, %s", known->engine, finding->engine);
    merge_section(known, finding);
    known->both_ways |= is_turned(known, finding);
    if (verdict->trace == trace) {
        uint64_t here = known->count - verdict->count_earlier;

        known->count = verdict->count_earlier + (here > count ? here : count);
        return;
    }
    verdict->trace = trace;
    verdict->count_earlier = known->count;
    known->count += count;
    known->came += finding->came;
}

static uintptr_t key_of(const struct darn_finding *finding)
{
    return darn_hash_string(DARN_HASH_START, finding->id) | 1;
}

static struct darn_verdict *append(struct darn_verdicts *verdicts)
{
    verdicts->items =
        darn_grow(verdicts->items, &verdicts->room, verdicts->count + 1, sizeof(*verdicts->items));
    return &verdicts->items[verdicts->count++];
}

/* The index + 1 of the same finding, with which it was put together; 0 when there is none. */
static size_t find_known(struct darn_verdicts *verdicts, const struct darn_finding *finding,
                         uint32_t trace)
{
    uintptr_t index = darn_map_get(&verdicts->by_id, key_of(finding), 0);

    if (index)
        merge(&verdicts->items[index - 1], finding, trace);
    return index;
}

size_t darn_verdicts_add(struct darn_verdicts *verdicts, struct darn_finding *finding,
                         uint32_t trace, struct darn_modules *modules)
{
    /* Symbols take most of the time: what has its id without them is not looked up again. */
    size_t known = finding->id ? find_known(verdicts, finding, trace) : 0;

    if (!known) {
        darn_finding_complete(finding, modules);
        known = find_known(verdicts, finding, trace);
    }
    if (known) {
        darn_finding_free(finding);
        return known - 1;
    }
    *append(verdicts) = (struct darn_verdict){finding, trace, 0};
    darn_map_put(&verdicts->by_id, key_of(finding), verdicts->count);
    return verdicts->count - 1;
}

void darn_verdicts_suppress(struct darn_verdicts *verdicts, struct darn_suppressions *suppressions)
{
    size_t kept = 0;

    for (size_t i = 0; i < verdicts->count; i++) {
        if (darn_suppressions_match(suppressions, verdicts->items[i].finding))
            darn_finding_free(verdicts->items[i].finding);
        else
            verdicts->items[kept++] = verdicts->items[i];
    }
    verdicts->count = kept;
}
