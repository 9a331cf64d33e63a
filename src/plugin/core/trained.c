#include "plugin/core/trained.h"

#include <stdio.h>
#include <stdlib.h>

#include "plugin/core/plugin_sites.h"
#include "site/site.h"
#include "site/wishes.h"
#include "trace/profile.h"

static void read_facts(struct darn_trained *trained, const char *text, size_t length)
{
    struct darn_fact fact;
    size_t at = 0;

    while (darn_profile_next(text, length, &at, &fact) == 1) {
        darn_map_put(&trained->keys, (uintptr_t)fact.site, 1);
        if (fact.kind != DARN_FACT_SHARED)
            darn_map_put(&trained->keys, (uintptr_t)fact.writer, 1);
    }
}

void darn_trained_init(struct darn_trained *trained)
{
    const char *path = getenv(DARN_PROFILE_VARIABLE);
    FILE *file = path && *path ? fopen(path, "r") : NULL;
    char *text = NULL;
    size_t room = 0;
    ssize_t length;

    *trained = (struct darn_trained){.is_trained = file != NULL};
    if (!file)
        return;
    length = getdelim(&text, &room, '\0', file); /* all of it: a text has no such character */
    if (length > 0)
        read_facts(trained, text, (size_t)length);
    free(text);
    fclose(file);
}

void darn_trained_free(struct darn_trained *trained)
{
    darn_map_free(&trained->keys);
}

static bool orders(const struct darn_plugin_access *access)
{
    return access->flags & (DARN_SITE_ATOMIC | DARN_SITE_SPIN) ||
           (access->kind != DARN_SITE_READ && access->kind != DARN_SITE_WRITE);
}

static bool was_shared(const struct darn_trained *trained, const struct darn_plugin_access *access)
{
    return darn_map_get(&trained->keys,
                        (uintptr_t)darn_sites_key(access->instruction, access->kind, access->shift),
                        0);
}

void darn_trained_keep(const struct darn_trained *trained, struct darn_accesses *accesses)
{
    struct darn_map shared = {0}; /* pointers of accesses that stay */
    size_t count = 0;

    if (!trained->is_trained)
        return;
    for (size_t i = 0; i < accesses->count; i++) {
        const struct darn_plugin_access *access = &accesses->items[i];

        if (!access->dropped && (orders(access) || was_shared(trained, access)))
            darn_map_put(&shared, (uintptr_t)access->pointer, 1);
    }
    for (size_t i = 0; i < accesses->count; i++) {
        const struct darn_plugin_access *access = &accesses->items[i];

        if (access->dropped ? darn_map_get(&shared, (uintptr_t)access->pointer, 0) != 0
                            : orders(access) || was_shared(trained, access))
            accesses->items[count++] = *access;
    }
    accesses->count = count;
    darn_map_free(&shared);
}
