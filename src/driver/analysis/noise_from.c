#include "driver/analysis/noise_from.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

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

static void add_places(struct aim *aim, const json_t *finding)
{
    const json_t *accesses = json_object_get(finding, "accesses");

    for (size_t i = 0; i < json_array_size(accesses); i++) {
        const json_t *access = json_array_get(accesses, i);
        const char *file = json_string_value(json_object_get(access, "file"));
        json_int_t line = json_integer_value(json_object_get(access, "line"));

        if (file && *file && line > 0 && line <= UINT32_MAX)
            add(aim, DARN_NOISE_SITE, file, (uint32_t)line);
    }
}

/* A name that sites have: `total`, `acct->balance`, `bank::total`, `tab[].next`. A description
 * ("heap block allocated at …") is no name, and `*p` is that of too many variables. */
static int is_site_name(const char *name)
{
    return *name && !strpbrk(name, " \t\n*()'\"");
}

static void add_variable(struct aim *aim, const json_t *finding)
{
    const char *name = json_string_value(json_object_get(finding, "variable"));

    if (name && is_site_name(name))
        add(aim, DARN_NOISE_VAR, name, 0);
}

/* Reads the file into an array of objects; NULL with a message. */
static json_t *read_findings(FILE *file, const char *path, char *error, size_t error_size)
{
    json_t *findings = json_array();
    char *line = NULL;
    size_t room = 0, number = 0;

    while (findings && getline(&line, &room, file) > 0) {
        json_error_t fault = {0};
        json_t *finding;

        number++;
        if (!line[strspn(line, " \t\r\n")])
            continue;
        finding = json_loads(line, 0, &fault);
        if (!json_is_object(finding)) {
            snprintf(error, error_size, "%s:%zu: this is not a finding: %s", path, number,
                     finding ? "expected an object" : fault.text);
            json_decref(finding);
            json_decref(findings);
            findings = NULL;
        } else {
            json_array_append_new(findings, finding);
        }
    }
    if (findings && ferror(file)) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        json_decref(findings);
        findings = NULL;
    }
    free(line);
    return findings;
}

int darn_noise_from(struct darn_options *options, const char *path, bool *left_out, char *error,
                    size_t error_size)
{
    struct aim aim = {options, false};
    FILE *file = fopen(path, "r");
    json_t *findings;

    if (!file) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return -EINVAL;
    }
    findings = read_findings(file, path, error, error_size);
    fclose(file);
    if (!findings)
        return -EINVAL;
    for (size_t i = 0; i < json_array_size(findings); i++)
        add_places(&aim, json_array_get(findings, i));
    for (size_t i = 0; i < json_array_size(findings); i++)
        add_variable(&aim, json_array_get(findings, i));
    json_decref(findings);
    *left_out = aim.left_out;
    return 0;
}
