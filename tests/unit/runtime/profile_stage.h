/* A stage for tests of profiles: sites, and a file. */
#ifndef DARN_TESTS_PROFILE_STAGE_H
#define DARN_TESTS_PROFILE_STAGE_H

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/record/record_profile.h"
#include "runtime/watch/sites.h"
#include "site/armed.h"
#include "sites_fixture.h"

#define FIRST     DARN_PROFILE_FIRST_LINE "\n"
#define MANY      50000
#define PROCESSES 8

/* The marks and pairs of this process only grow: each test has sites of its own, and looks for
 * theirs. */
static struct sites_fixture fixture;
static uint32_t next_site;
static char directory[] = "/tmp/darn profile XXXXXX";
static char path[256];
static char text[16 << 20];

static inline int announce(void **state)
{
    const char *file = fixture_text(&fixture, "bank.c"), *function = fixture_text(&fixture, "f");
    const char *variable = fixture_text(&fixture, "balance");

    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        fixture_add(&fixture, i % 2 ? DARN_SITE_WRITE : DARN_SITE_READ, i + 1, file, function,
                    variable);
    fixture_fill(&fixture, MANY);
    darn_sites_add(fixture.sites, fixture.sites + fixture.count);
    return mkdtemp(directory) ? 0 : -1;
}

static inline int clean(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory); /* nothing is left behind */
}

static inline int start(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "%s/profile", directory);
    unlink(path);
    next_site += next_site % 2;
    return 0;
}

/* Reads have even places in the table, writes have odd ones. */
static inline struct darn_site *site(enum darn_site_kind kind)
{
    while (fixture.sites[next_site].kind != kind)
        next_site++;
    assert_true(next_site < 1000);
    return &fixture.sites[next_site++];
}

static inline void put(const char *content)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static inline const char *get(void)
{
    FILE *file = fopen(path, "r");
    size_t length;

    assert_non_null(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

/* How many lines of the file begin so. */
static inline uint32_t lines(const char *begin)
{
    uint32_t count = 0;
    char line[256];

    snprintf(line, sizeof(line), "\n%s", begin);
    for (const char *at = get(); (at = strstr(at, line)); at++)
        count++;
    return count;
}

static inline uint32_t facts(const char *kind, const struct darn_site *a, const struct darn_site *b)
{
    char line[128];

    if (b)
        snprintf(line, sizeof(line), "%s %016" PRIx64 " %016" PRIx64 " ", kind, darn_site_key(a),
                 darn_site_key(b));
    else
        snprintf(line, sizeof(line), "%s %016" PRIx64 " ", kind, darn_site_key(a));
    return lines(line);
}

static inline uint8_t armed(const struct darn_site *where)
{
    return *darn_site_armed(where);
}

static inline void load_and_arm(void)
{
    assert_int_equal(darn_profile_load(path), 0);
    darn_profile_module(fixture.sites, fixture.sites + fixture.count);
}

#endif
