#include "driver/analysis/lineup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double darn_lineup_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void add(struct darn_lineup *lineup, const struct darn_engine *engine)
{
    for (size_t i = 0; i < lineup->count; i++)
        if (lineup->entries[i].engine == engine)
            return;
    lineup->entries[lineup->count++] = (struct darn_lineup_entry){.engine = engine};
}

static int add_named(struct darn_lineup *lineup, const char *name, char *error, size_t error_size)
{
    const struct darn_engine *engine = darn_engine_find(name);

    if (!engine) {
        snprintf(error, error_size, "there is no engine '%s'; --engine=help lists them", name);
        return -EINVAL;
    }
    add(lineup, engine);
    return 0;
}

static int add_list(struct darn_lineup *lineup, char *list, char *error, size_t error_size)
{
    char *rest = list, *name;

    while ((name = strsep(&rest, ",")))
        if (add_named(lineup, name, error, error_size))
            return -EINVAL;
    return 0;
}

int darn_lineup_choose(struct darn_lineup *lineup, const char *list, char *error, size_t error_size)
{
    char *copy = strdup(list);
    int result = 0;

    *lineup = (struct darn_lineup){calloc(darn_engine_count() + 1, sizeof(*lineup->entries)), 0};
    if (!copy || !lineup->entries) {
        snprintf(error, error_size, "out of memory");
        result = -ENOMEM;
    } else if (strcmp(list, "all") == 0) {
        for (size_t i = 0; i < darn_engine_count(); i++)
            add(lineup, darn_engine_at(i));
    } else {
        result = add_list(lineup, copy, error, error_size);
    }
    free(copy);
    if (result)
        darn_lineup_free(lineup);
    return result;
}

void darn_lineup_free(struct darn_lineup *lineup)
{
    darn_lineup_stop(lineup);
    free(lineup->entries);
    *lineup = (struct darn_lineup){NULL, 0};
}

int darn_lineup_start(struct darn_lineup *lineup, const struct darn_engine_config *config)
{
    for (size_t i = 0; i < lineup->count; i++) {
        struct darn_lineup_entry *entry = &lineup->entries[i];

        entry->state = entry->engine->create(config);
        if (!entry->state)
            return -ENOMEM;
    }
    return 0;
}

void darn_lineup_events(struct darn_lineup *lineup, const struct darn_event *events, size_t count)
{
    for (size_t i = 0; i < lineup->count; i++) {
        struct darn_lineup_entry *entry = &lineup->entries[i];
        double start = darn_lineup_clock();

        for (size_t j = 0; j < count; j++)
            entry->engine->event(entry->state, &events[j]);
        entry->seconds += darn_lineup_clock() - start;
        entry->events += count;
    }
}

static void add_cost(struct darn_engine_cost *sum, struct darn_engine_cost cost)
{
    if (cost.peak > sum->peak)
        sum->peak = cost.peak;
    sum->dropped += cost.dropped;
}

/* Those of several traces add up. */
static void add_fact(struct darn_lineup_entry *entry, const struct darn_engine_fact *fact)
{
    for (size_t i = 0; i < entry->fact_count; i++) {
        if (strcmp(entry->facts[i].text, fact->text) == 0) {
            entry->facts[i].value += fact->value;
            return;
        }
    }
    if (entry->fact_count < DARN_ENGINE_FACTS)
        entry->facts[entry->fact_count++] = *fact;
}

static void add_facts(struct darn_lineup_entry *entry)
{
    struct darn_engine_fact facts[DARN_ENGINE_FACTS];
    size_t count = entry->engine->facts ? entry->engine->facts(entry->state, facts) : 0;

    for (size_t i = 0; i < count; i++)
        add_fact(entry, &facts[i]);
}

void darn_lineup_finish(struct darn_lineup *lineup)
{
    for (size_t i = 0; i < lineup->count; i++) {
        struct darn_lineup_entry *entry = &lineup->entries[i];
        double start = darn_lineup_clock();
        size_t distinct;

        entry->engine->finish(entry->state);
        entry->seconds += darn_lineup_clock() - start;
        (void)entry->engine->predictions(entry->state, &distinct);
        entry->distinct += distinct;
        entry->dynamic += entry->engine->dynamic(entry->state);
        add_cost(&entry->cost, entry->engine->cost(entry->state));
        add_facts(entry);
    }
}

void darn_lineup_stop(struct darn_lineup *lineup)
{
    for (size_t i = 0; i < lineup->count; i++) {
        struct darn_lineup_entry *entry = &lineup->entries[i];

        if (entry->state)
            entry->engine->destroy(entry->state);
        entry->state = NULL;
    }
}
