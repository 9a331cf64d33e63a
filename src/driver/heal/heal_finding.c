#include "driver/heal/heal_finding.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/play/index.h"
#include "driver/process/listener.h"
#include "report/raw.h"

static bool is_same_text(const char *one, const char *other)
{
    return one && other && strcmp(one, other) == 0;
}

bool darn_heal_may_cause(const struct darn_finding *cause, const struct darn_finding *failure)
{
    const struct darn_finding_access *at = &failure->accesses[0];

    if (!darn_finding_is(cause, "data-race") && !darn_finding_is(cause, "atomicity-violation"))
        return false;
    for (size_t i = 0; i < cause->access_count; i++)
        if (is_same_text(cause->accesses[i].function, at->function) &&
            is_same_text(cause->accesses[i].file, at->file))
            return true;
    return false;
}

static bool exists(const char *directory, const char *name)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return access(path, R_OK) == 0;
}

static void add(struct darn_heal_findings *findings, const json_t *object, const char *home)
{
    struct darn_finding *finding = darn_finding_reported(object);
    struct darn_finding **list = NULL;

    if (finding && finding->access_count)
        list = realloc(findings->list, (findings->count + 1) * sizeof(*list));
    if (!list) {
        darn_finding_free(finding);
        return;
    }
    findings->list = list;
    list[findings->count++] = finding;
    darn_words_add(&findings->homes, home);
}

/* `directory` is that of the finding. */
static int read_kept(struct darn_listener *listener, struct darn_heal_findings *findings,
                     const char *directory)
{
    char path[PATH_MAX + 32];
    json_error_t error;
    json_t *object;

    snprintf(path, sizeof(path), "%s/finding.json", directory);
    object = json_load_file(path, 0, &error);
    if (!object)
        return darn_tell_refusal(listener, "%s: %s", path, error.text);
    add(findings, object, directory);
    json_decref(object);
    if (exists(directory, "schedule"))
        darn_words_add(&findings->directories, directory);
    return 0;
}

/* A whole hunt: `hunt` is its directory, and the object one of its index. What was only predicted
 * is not healed: nobody has seen it. */
static int take_indexed(struct darn_listener *listener, struct darn_heal_findings *findings,
                        const char *hunt, const json_t *object)
{
    const char *name = darn_index_directory(object);
    char path[PATH_MAX];

    if (!name)
        return 0;
    if ((size_t)snprintf(path, sizeof(path), "%s/%s", hunt, name) >= sizeof(path))
        return darn_tell_refusal(listener, "%s: %s", hunt, strerror(ENAMETOOLONG));
    return read_kept(listener, findings, path);
}

/* The objects of JSON Lines. NULL: it was refused. */
static json_t *read_objects(struct darn_listener *listener, const char *path)
{
    FILE *file = fopen(path, "re");
    char error[PATH_MAX + 512];
    json_t *objects = NULL;

    if (!file) {
        darn_tell_refusal(listener, "%s: %s", path, strerror(errno));
        return NULL;
    }
    objects = darn_raw_lines(file, path, error, sizeof(error));
    fclose(file);
    if (!objects)
        darn_tell_refusal(listener, "%s", error);
    return objects;
}

/* With `hunt` the index of that directory. */
static int read_lines(struct darn_listener *listener, struct darn_heal_findings *findings,
                      const char *path, const char *hunt)
{
    json_t *objects = read_objects(listener, path);
    int status = objects ? 0 : DARN_REFUSED;

    for (size_t i = 0; !status && i < json_array_size(objects); i++) {
        const json_t *object = json_array_get(objects, i);

        if (hunt)
            status = take_indexed(listener, findings, hunt, object);
        else
            add(findings, object, "");
    }
    json_decref(objects);
    return status;
}

static bool has_end(const struct darn_finding *finding)
{
    for (size_t i = 0; i < finding->access_count; i++)
        if (finding->accesses[i].op == DARN_OP_FREE)
            return true;
    return false;
}

/* The findings of one cause have one leader. */
static const char *cause_in(const json_t *object)
{
    const char *leader = darn_index_leader(object);

    return leader ? leader : json_string_value(json_object_get(object, "id"));
}

/* That of the finding; NULL: the index does not have it. */
static const char *cause_of(const struct darn_finding *finding, const json_t *objects)
{
    for (size_t i = 0; finding->id && i < json_array_size(objects); i++) {
        const json_t *object = json_array_get(objects, i);

        if (is_same_text(finding->id, json_string_value(json_object_get(object, "id"))))
            return cause_in(object);
    }
    return NULL;
}

/* Whether the finding is healed together with what another entry of the index says: a failure that
 * no race explains, with what was proved about the function that fails; a race, with those of the
 * same cause if the memory ends in one of them. */
static bool belongs(const struct darn_finding *finding, const char *cause, const json_t *object)
{
    struct darn_finding *other;
    bool does = false;

    if (!darn_index_is_proof(object))
        return false;
    other = darn_finding_reported(object);
    if (darn_finding_is(finding, "failure"))
        does = darn_heal_may_cause(other, finding);
    else if (darn_finding_is(finding, "data-race"))
        does = is_same_text(cause, cause_in(object)) && !is_same_text(finding->id, other->id) &&
               (has_end(finding) || has_end(other));
    darn_finding_free(other);
    return does;
}

/* What the same hunt has proved and belongs to the finding. */
static int add_related(struct darn_listener *listener, struct darn_heal_findings *findings,
                       const char *directory)
{
    char path[PATH_MAX + 32];
    const struct darn_finding *first = findings->count ? findings->list[0] : NULL;
    const char *cause;
    json_t *objects;
    int status;

    snprintf(path, sizeof(path), "%s/../index.jsonl", directory);
    if (!first || access(path, R_OK))
        return 0;
    objects = read_objects(listener, path);
    cause = cause_of(first, objects);
    for (size_t i = 0; i < json_array_size(objects); i++) {
        if (belongs(first, cause, json_array_get(objects, i)))
            add(findings, json_array_get(objects, i), "");
    }
    status = objects ? 0 : DARN_REFUSED;
    json_decref(objects);
    return status;
}

int darn_heal_findings_read(struct darn_listener *listener, struct darn_heal_findings *findings,
                            const char *name)
{
    char path[PATH_MAX + 32];
    struct stat about;
    int status;

    if (stat(name, &about))
        return darn_tell_refusal(listener, "--from: %s: %s", name, strerror(errno));
    if (!S_ISDIR(about.st_mode)) {
        status = read_lines(listener, findings, name, NULL);
    } else if (exists(name, "finding.json")) {
        status = read_kept(listener, findings, name);
        if (!status)
            status = add_related(listener, findings, name);
    } else if (exists(name, "index.jsonl")) {
        snprintf(path, sizeof(path), "%s/index.jsonl", name);
        status = read_lines(listener, findings, path, name);
    } else {
        return darn_tell_refusal(
            listener, "--from: %s is no directory of darn hunt: it has no finding", name);
    }
    if (!status && !findings->count)
        status = darn_tell_refusal(listener, "--from: there is no finding in %s", name);
    return status;
}

void darn_heal_findings_free(struct darn_heal_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        darn_finding_free(findings->list[i]);
    free(findings->list);
    darn_words_free(&findings->directories);
    darn_words_free(&findings->homes);
    *findings = (struct darn_heal_findings){.count = 0};
}
