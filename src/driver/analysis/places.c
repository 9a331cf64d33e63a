#include "driver/analysis/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "site/site.h"

/* The function is left out: the same line of a template, or of an inline function that the compiler
 * has copied, is one place to whoever reads the report. Never 0. */
static uint64_t hash_place(const struct darn_trace_site *site)
{
    uint64_t hash = darn_hash_string(DARN_HASH_START, site->file ? site->file : "");

    hash = darn_hash_number(darn_hash_number(hash, site->line), site->column);
    hash = darn_hash_byte(hash, site->kind);
    return hash ? hash : 1;
}

void darn_places_make(struct darn_places *places, const struct darn_trace *trace)
{
    *places = (struct darn_places){.trace = trace, .rules = places->rules};
    darn_places_more(places);
}

void darn_places_more(struct darn_places *places)
{
    size_t count = darn_trace_site_count(places->trace) + 1;

    places->first = darn_grow(places->first, &places->room, count, sizeof(*places->first));
    for (uint32_t id = (uint32_t)places->count; id < count; id++) {
        const struct darn_trace_site *site = darn_trace_site(places->trace, id);
        uint64_t hash = site && site->line ? hash_place(site) : 0;

        places->first[id] = hash ? (uint32_t)darn_map_get(&places->known, hash, id) : id;
        if (hash && places->first[id] == id)
            darn_map_put(&places->known, hash, id);
    }
    places->count = count;
}

void darn_places_free(struct darn_places *places)
{
    free(places->first);
    darn_map_free(&places->known);
    places->first = NULL;
    places->count = places->room = 0;
}

uint32_t darn_places_of(const void *context, uint32_t site)
{
    const struct darn_places *places = context;

    return site < places->count ? places->first[site] : site;
}

/*
 * The names of a predicate as other functions would write it, too: q->count and queue->count may be
 * the same. Each word counts from its last `->` or `.` on; they are added up, for their order may
 * change by that.
 */
static uint64_t hash_predicate(const char *names)
{
    uint64_t sum = 0;

    while (*names) {
        size_t length = strcspn(names, " "), start = length;

        while (start && names[start - 1] != '>' && names[start - 1] != '.')
            start--;
        sum += darn_hash_bytes(DARN_HASH_START, names + start, length - start);
        names += length + (names[length] == ' ');
    }
    return sum ? sum : 1;
}

uint64_t darn_places_predicate(const void *context, uint32_t id)
{
    const struct darn_places *places = context;
    const struct darn_trace_site *site = darn_trace_site(places->trace, id);

    if (!site || site->kind != DARN_SITE_WAIT || !site->variable || !*site->variable)
        return 0;
    return hash_predicate(site->variable);
}

/* What the source says of the function. */
static enum darn_unit unit_of(const struct darn_trace_site *site)
{
    if (site->flags & DARN_SITE_UNIT)
        return DARN_UNIT_NAMED;
    return site->flags & (DARN_SITE_LOCAL | DARN_SITE_NO_UNIT) ? DARN_UNIT_NO : DARN_UNIT_YES;
}

enum darn_unit darn_places_is_unit(const void *context, uint32_t id)
{
    const struct darn_places *places = context;
    const struct darn_trace_site *site = darn_trace_site(places->trace, id);

    if (!site || !site->function)
        return DARN_UNIT_YES;
    return darn_unit_rules_say(&places->rules, site->function, unit_of(site));
}

bool darn_places_reads_too(const void *context, uint32_t id)
{
    const struct darn_places *places = context;
    const struct darn_trace_site *site = darn_trace_site(places->trace, id);

    return site && site->flags & DARN_SITE_COVERS;
}
