/*
 * The sites of all modules, with dense numbers: 0, 1, 2, … in the order in which the modules were
 * announced. Nothing here takes a lock: modules are announced by any thread that loads one, and
 * asked about by every access.
 *
 * A shared object that is unloaded takes its records with it, and nobody tells us. Its numbers and
 * keys stay; the records must not be looked into, except by darn_site_copy.
 */
#ifndef DARN_RUNTIME_SITES_H
#define DARN_RUNTIME_SITES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "site/site.h"

/* The number of what no module has announced, or of what came when there was no room. */
#define DARN_SITE_UNKNOWN UINT32_MAX

/* Announces the sites of a module. What was known at these addresses is gone; the same module at
 * the same address gets its old numbers again. */
void darn_sites_add(const struct darn_site *start, const struct darn_site *stop);

/* All numbers are below this one. */
uint32_t darn_sites_count(void);

uint32_t darn_site_number(const struct darn_site *site);

/* The other way round. NULL when it is not known, or something else was loaded in its place. */
const struct darn_site *darn_site_at(uint32_t number);

/* darn_site_key of the site, which need not be there any more; 0 when it is not known. */
uint64_t darn_site_key_at(uint32_t number);

/* Each site has a mark: set once, and kept. The learning run says by it that a site is shared. */
bool darn_site_is_marked(uint32_t number);

/* Whether it was not marked before; false when the site is not known. */
bool darn_site_mark(uint32_t number);

/* Number and mark, for the way of an access. `mark` is NULL when the site is not known. */
struct darn_site_entry {
    _Atomic uint8_t *mark;
    uint64_t number;
};

struct darn_site_entry darn_site_find(const struct darn_site *site);

/* The record and its names, in memory of their own: the names are not where the record says. */
struct darn_site_copy {
    struct darn_site site;
    char file[1024];
    char function[512];
    char variable[512];
};

/* False when the record is not there any more. */
bool darn_site_copy(struct darn_site_copy *copy, uint32_t number);

/* Whether the record and its armed byte are mapped: a shared object that was unloaded has taken
 * them with it. */
bool darn_site_is_mapped(const struct darn_site *site);

/* Computes the keys of many sites: neighbours share file and function, whose names are most of the
 * work. Starts with all zeroes. */
struct darn_site_keys {
    const char *file, *function;
    uint64_t hash; /* of the two */
};

static inline uint64_t darn_site_next_key(struct darn_site_keys *keys, const struct darn_site *site)
{
    const char *file = darn_site_file(site), *function = darn_site_function(site);
    uint64_t key;

    if (file != keys->file || function != keys->function) {
        keys->file = file;
        keys->function = function;
        keys->hash = darn_hash_string(darn_hash_string(DARN_HASH_START, file), function);
    }
    key = darn_hash_number(keys->hash, site->line);
    key = darn_hash_number(key, (uint32_t)site->column << 8 | site->kind);
    return key ? key : 1; /* as darn_site_key */
}

#endif
