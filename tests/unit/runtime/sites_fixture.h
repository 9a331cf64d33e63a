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

/* In one struct: the head names its armed byte by its distance, and texts are named by theirs from
 * the head's field, which is 0. */
struct sites_fixture {
    struct darn_site head;
    struct darn_site sites[FIXTURE_SITES];
    struct darn_scope scopes[FIXTURE_SITES];
    uint8_t armed[2 * (1 + FIXTURE_SITES) + DARN_ARMED_CHUNK];
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

static inline uint32_t fixture_place(const struct sites_fixture *fixture, const void *of)
{
    return (uint32_t)((const char *)of - (const char *)&fixture->head.texts);
}

/* The names must be of the fixture's text. */
static inline struct darn_site *fixture_add(struct sites_fixture *fixture, enum darn_site_kind kind,
                                            uint32_t line, const char *file, const char *function,
                                            const char *variable)
{
    struct darn_site *site = &fixture->sites[fixture->count];
    struct darn_scope *scope = &fixture->scopes[fixture->count];

    assert(fixture->count < FIXTURE_SITES);
    fixture->head = (struct darn_site){
        .armed = (int32_t)((const char *)fixture->armed - (const char *)&fixture->head.armed),
        .kind = DARN_SITE_HEAD,
        .version = DARN_SITE_VERSION};
    *scope = (struct darn_scope){.file = fixture_place(fixture, file),
                                 .dir = fixture_place(fixture, file),
                                 .function = fixture_place(fixture, function)};
    *site = (struct darn_site){.place = fixture->count + 1,
                               .scope = fixture_place(fixture, scope),
                               .variable = fixture_place(fixture, variable),
                               .line = line,
                               .column = 5,
                               .size = 8,
                               .kind = (uint8_t)kind,
                               .version = DARN_SITE_VERSION};
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
