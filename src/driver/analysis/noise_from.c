#include "driver/analysis/noise_from.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/raw.h"

struct aim {
    struct darn_options *options;
    bool left_out; /* something found no room */
};

static void add(struct aim *aim, enum darn_noise_kind kind, const char *name, uint32_t line)
{
    struct darn_options *options = aim->options;
    struct darn_noise noise = {.kind = kind,
                               .line = line,
                               .frequency = DARN_NOISE_FROM_FREQUENCY,
                               .strength = DARN_NOISE_FROM_STRENGTH};

    if (strlen(name) >= sizeof(noise.name)) {
        aim->left_out = true;
        return;
    }
    strcpy(noise.name, name);
    for (uint32_t i = 0; i < options->noise_count; i++)
        if (darn_noise_equal(&options->noise[i], &noise))
            return;
    if (options->noise_count == DARN_NOISE_SPECS)
        aim->left_out = true;
    else
        options->noise[options->noise_count++] = noise;
}

static void add_places(struct aim *aim, const struct darn_finding *finding)
{
    for (size_t i = 0; i < finding->access_count; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];

        if (access->has_site)
            add(aim, DARN_NOISE_SITE, access->file, access->line);
    }
}

/* A name that sites have: `total`, `acct->balance`, `bank::total`, `tab[].next`. A description
 * ("heap block allocated at …") is no name, and `*p` is that of too many variables. */
static int is_site_name(const char *name)
{
    return *name && !strpbrk(name, " \t\n*()'\"");
}

static void add_variable(struct aim *aim, const struct darn_finding *finding)
{
    if (finding->variable && is_site_name(finding->variable))
        add(aim, DARN_NOISE_VAR, finding->variable, 0);
}

static void for_each(struct aim *aim, const json_t *objects,
                     void (*take)(struct aim *aim, const struct darn_finding *finding))
{
    for (size_t i = 0; i < json_array_size(objects); i++) {
        struct darn_finding *finding = darn_finding_reported(json_array_get(objects, i));

        if (finding)
            take(aim, finding);
        darn_finding_free(finding);
    }
}

int darn_noise_from(struct darn_options *options, const char *path, bool *left_out, char *error,
                    size_t error_size)
{
    struct aim aim = {options, false};
    FILE *file = fopen(path, "r");
    json_t *objects;

    if (!file) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return -EINVAL;
    }
    objects = darn_raw_lines(file, path, error, error_size);
    fclose(file);
    if (!objects)
        return -EINVAL;
    for_each(&aim, objects, add_places);
    for_each(&aim, objects, add_variable);
    json_decref(objects);
    *left_out = aim.left_out;
    return 0;
}
