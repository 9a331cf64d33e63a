/* A table of sites as a module has it, made at run time. */
#ifndef DARN_TESTS_SITES_FIXTURE_H
#define DARN_TESTS_SITES_FIXTURE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "site/site.h"

#define FIXTURE_SITES 60000
#define FIXTURE_TEXT  (1 << 20)

/* In one struct: strings and armed bytes are named by their distance. */
struct sites_fixture {
    struct darn_site sites[FIXTURE_SITES];
    uint8_t armed[FIXTURE_SITES];
    char text[FIXTURE_TEXT];
    size_t used;
    uint32_t count;
};

static inline const char *fixture_text(struct sites_fixture *fixture, const char *text)
{
    char *to = fixture->text + fixture->used;

    assert(fixture->used + strlen(text) < FIXTURE_TEXT);
    fixture->used += strlen(text) + 1;
    return strcpy(to, text);
}

static inline void fixture_name(int32_t *field, const char *text)
{
    *field = (int32_t)(text - (const char *)field);
}

/* The names must be of the fixture's text. */
static inline struct darn_site *fixture_add(struct sites_fixture *fixture, enum darn_site_kind kind,
                                            uint32_t line, const char *file, const char *function,
                                            const char *variable)
{
    struct darn_site *site = &fixture->sites[fixture->count];

    assert(fixture->count < FIXTURE_SITES);
    *site = (struct darn_site){
        .line = line, .column = 5, .size = 8, .kind = (uint8_t)kind, .version = DARN_SITE_VERSION};
    fixture_name(&site->file, file);
    fixture_name(&site->dir, file);
    fixture_name(&site->function, function);
    fixture_name(&site->variable, variable);
    site->armed =
        (int32_t)((const char *)&fixture->armed[fixture->count] - (const char *)&site->armed);
    fixture->count++;
    return site;
}

/* So many sites more, on lines of their own. */
static inline struct darn_site *fixture_fill(struct sites_fixture *fixture, uint32_t count)
{
    const char *file = fixture_text(fixture, "many.c"), *variable = fixture_text(fixture, "cell");
    struct darn_site *first = &fixture->sites[fixture->count];
    const char *function = "";

    for (uint32_t i = 0; i < count; i++) {
        if (i % 50 == 0)
            function = fixture_text(fixture, "of_fifty");
        fixture_add(fixture, i % 2 ? DARN_SITE_WRITE : DARN_SITE_READ, i + 1, file, function,
                    variable);
    }
    return first;
}

#endif
