#include "driver/heal/heal_finding.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/say.h"
#include "report/raw.h"

/* ---- one finding ---- */

static unsigned number_of(const json_t *object, const char *key)
{
    json_int_t number = json_integer_value(json_object_get(object, key));

    return number > 0 && number <= UINT_MAX ? (unsigned)number : 0;
}

static uint64_t hex_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? strtoull(text, NULL, 16) : 0;
}

static enum darn_op op_of(const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "op"));

    for (int op = DARN_OP_READ; name && op <= DARN_OP_STOP; op++)
        if (strcmp(darn_op_name((enum darn_op)op), name) == 0)
            return (enum darn_op)op;
    return DARN_OP_STOP;
}

static void read_symbol(struct darn_text_pool *pool, struct darn_symbol *symbol,
                        const json_t *object)
{
    symbol->name = darn_raw_text(pool, object, "name");
    symbol->name_offset = number_of(object, "name_offset");
    symbol->part = darn_raw_text(pool, object, "part");
    symbol->file = darn_raw_text(pool, object, "file");
    symbol->line = number_of(object, "line");
    symbol->module = darn_raw_text(pool, object, "module");
    symbol->offset = hex_of(object, "offset");
}

static void read_lock(struct darn_text_pool *pool, struct darn_lock *lock, const json_t *object)
{
    const json_t *taken = json_object_get(object, "taken");

    lock->kind = darn_raw_text(pool, object, "kind");
    lock->address = hex_of(object, "address");
    read_symbol(pool, &lock->symbol, object);
    lock->taken.file = darn_raw_text(pool, taken, "file");
    lock->taken.function = darn_raw_text(pool, taken, "function");
    lock->taken.line = number_of(taken, "line");
}

static void read_locks(struct darn_text_pool *pool, struct darn_finding_access *access,
                       const json_t *list)
{
    size_t count = json_array_size(list);

    access->locks = darn_pool_get(pool, count + 1, sizeof(*access->locks));
    for (size_t i = 0; i < count; i++) {
        struct darn_lock *lock = &access->locks[access->lock_count];

        read_lock(pool, lock, json_array_get(list, i));
        access->lock_count += lock->kind != NULL;
    }
}

static void read_access(struct darn_text_pool *pool, struct darn_finding_access *access,
                        const json_t *object)
{
    const json_t *target = json_object_get(object, "target");

    access->op = op_of(object);
    access->thread = darn_raw_text(pool, object, "thread");
    access->thread_name = darn_raw_text(pool, object, "thread_name");
    access->file = darn_raw_text(pool, object, "file");
    access->dir = darn_raw_text(pool, object, "dir");
    access->function = darn_raw_text(pool, object, "function");
    access->variable = darn_raw_text(pool, object, "variable");
    access->predicate = darn_raw_text(pool, object, "predicate");
    access->line = number_of(object, "line");
    access->column = number_of(object, "column");
    access->size = number_of(object, "size");
    access->atomic = json_is_true(json_object_get(object, "atomic"));
    access->is_volatile = json_is_true(json_object_get(object, "volatile"));
    access->has_site = access->file && access->line;
    access->awaited = darn_raw_text(pool, target, "thread");
    if (!access->thread)
        access->thread = "another thread";
    if (target && !access->awaited)
        read_lock(pool, &access->target, target);
    if (json_object_get(object, "mutex"))
        read_lock(pool, &access->mutex, json_object_get(object, "mutex"));
    read_locks(pool, access, json_object_get(object, "locks"));
}

static void read_place(struct darn_text_pool *pool, struct darn_place *place, const json_t *object)
{
    const char *kind = json_string_value(json_object_get(object, "kind"));

    if (!kind || strcmp(kind, "global") != 0)
        return;
    place->kind = DARN_PLACE_GLOBAL;
    read_symbol(pool, &place->symbol, object);
}

static void read_section(struct darn_text_pool *pool, struct darn_violated *section,
                         const json_t *object)
{
    section->kind = darn_raw_text(pool, object, "kind");
    section->function = darn_raw_text(pool, object, "function");
    section->at = darn_raw_text(pool, object, "at");
    section->allow = darn_raw_text(pool, object, "allow");
}

static void read_outcomes(struct darn_finding *finding, const json_t *list)
{
    size_t count = json_array_size(list);

    finding->outcomes = darn_pool_get(&finding->pool, count + 1, sizeof(*finding->outcomes));
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(list, i));

        if (word)
            finding->outcomes[finding->outcome_count++] = darn_pool_text(&finding->pool, word);
    }
}

struct darn_finding *darn_heal_finding(const json_t *object)
{
    const json_t *accesses = json_object_get(object, "accesses");
    size_t count = json_array_size(accesses);
    struct darn_finding *finding = count ? calloc(1, sizeof(*finding)) : NULL;
    struct darn_text_pool *pool;

    if (!finding)
        return NULL;
    pool = &finding->pool;
    finding->id = darn_raw_text(pool, object, "id");
    finding->kind = darn_raw_text(pool, object, "kind");
    finding->certainty = darn_raw_text(pool, object, "certainty");
    finding->engine = darn_raw_text(pool, object, "engine");
    finding->variable = darn_raw_text(pool, object, "variable");
    finding->reason = darn_raw_text(pool, object, "reason");
    finding->schedule = darn_raw_text(pool, object, "schedule");
    if (!finding->kind)
        finding->kind = "";
    if (!finding->certainty)
        finding->certainty = "observed";
    finding->accesses = darn_pool_get(pool, count, sizeof(*finding->accesses));
    for (size_t i = 0; i < count; i++)
        read_access(pool, &finding->accesses[finding->access_count++], json_array_get(accesses, i));
    finding->size = finding->accesses[0].size;
    read_place(pool, &finding->place, json_object_get(object, "place"));
    read_section(pool, &finding->section, json_object_get(object, "section"));
    read_outcomes(finding, json_object_get(object, "outcomes"));
    return finding;
}

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

/* ---- where they are ---- */

static bool exists(const char *directory, const char *name)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return access(path, R_OK) == 0;
}

static void add(struct darn_heal_findings *findings, json_t *object)
{
    struct darn_finding *finding = darn_heal_finding(object);
    struct darn_finding **list = NULL;

    if (finding)
        list = realloc(findings->list, (findings->count + 1) * sizeof(*list));
    if (!list) {
        darn_finding_free(finding);
        return;
    }
    findings->list = list;
    list[findings->count++] = finding;
    json_array_append(findings->objects, object);
}

/* `directory` is that of the finding. */
static int read_kept(struct darn_heal_findings *findings, const char *directory)
{
    char path[PATH_MAX + 32];
    json_error_t error;
    json_t *object;

    snprintf(path, sizeof(path), "%s/finding.json", directory);
    object = json_load_file(path, 0, &error);
    if (!object)
        return darn_refuse("heal", "%s: %s", path, error.text);
    add(findings, object);
    json_decref(object);
    if (exists(directory, "schedule"))
        darn_words_add(&findings->directories, directory);
    return 0;
}

/* A whole hunt: `hunt` is its directory, and the object one of its index. What was only predicted
 * is not healed: nobody has seen it. */
static int take_indexed(struct darn_heal_findings *findings, const char *hunt, const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "directory"));
    char path[PATH_MAX];

    if (!name)
        return 0;
    if ((size_t)snprintf(path, sizeof(path), "%s/%s", hunt, name) >= sizeof(path))
        return darn_refuse("heal", "%s: %s", hunt, strerror(ENAMETOOLONG));
    return read_kept(findings, path);
}

/* JSON Lines; with `hunt` the index of that directory. */
static int read_lines(struct darn_heal_findings *findings, const char *path, const char *hunt)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0, number = 0;
    int status = 0;

    if (!file)
        return darn_refuse("heal", "%s: %s", path, strerror(errno));
    while (!status && getline(&line, &room, file) > 0) {
        json_error_t error = {0};
        json_t *object;

        number++;
        if (!line[strspn(line, " \t\r\n")])
            continue;
        object = json_loads(line, 0, &error);
        if (!json_is_object(object))
            status = darn_refuse("heal", "%s:%zu: this is not a finding: %s", path, number,
                                 object ? "expected an object" : error.text);
        else if (hunt)
            status = take_indexed(findings, hunt, object);
        else
            add(findings, object);
        json_decref(object);
    }
    if (!status && ferror(file))
        status = darn_refuse("heal", "%s: %s", path, strerror(errno));
    free(line);
    fclose(file);
    return status;
}

/* A failure that no race explains: what the same hunt has proved about the function that fails. */
static void add_causes(struct darn_heal_findings *findings, const char *directory)
{
    char path[PATH_MAX + 32];
    const struct darn_finding *failure = findings->count ? findings->list[0] : NULL;
    FILE *file;
    char *line = NULL;
    size_t room = 0;

    if (!failure || !darn_finding_is(failure, "failure"))
        return;
    snprintf(path, sizeof(path), "%s/../index.jsonl", directory);
    file = fopen(path, "re");
    while (file && getline(&line, &room, file) > 0) {
        json_t *object = json_loads(line, 0, NULL);
        struct darn_finding *cause = object ? darn_heal_finding(object) : NULL;

        if (cause && json_object_get(object, "directory") && darn_heal_may_cause(cause, failure))
            add(findings, object);
        darn_finding_free(cause);
        json_decref(object);
    }
    free(line);
    if (file)
        fclose(file);
}

int darn_heal_findings_read(struct darn_heal_findings *findings, const char *name)
{
    char path[PATH_MAX + 32];
    struct stat about;
    int status;

    findings->objects = json_array();
    if (stat(name, &about))
        return darn_refuse("heal", "--from: %s: %s", name, strerror(errno));
    if (!S_ISDIR(about.st_mode)) {
        status = read_lines(findings, name, NULL);
    } else if (exists(name, "finding.json")) {
        status = read_kept(findings, name);
        if (!status)
            add_causes(findings, name);
    } else if (exists(name, "index.jsonl")) {
        snprintf(path, sizeof(path), "%s/index.jsonl", name);
        status = read_lines(findings, path, name);
    } else {
        return darn_refuse("heal", "--from: %s is no directory of darn hunt: it has no finding",
                           name);
    }
    if (!status && !findings->count)
        status = darn_refuse("heal", "--from: there is no finding in %s", name);
    return status;
}

void darn_heal_findings_free(struct darn_heal_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        darn_finding_free(findings->list[i]);
    free(findings->list);
    json_decref(findings->objects);
    darn_words_free(&findings->directories);
    *findings = (struct darn_heal_findings){.count = 0};
}
