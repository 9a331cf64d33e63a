#include "driver/play/index.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "driver/play/kept.h"
#include "driver/play/verdict.h"
#include "driver/process/listener.h"
#include "report/json_tree.h"
#include "report/raw.h"

static const char *field_of(const json_t *entry, const char *name)
{
    return json_string_value(json_object_get(entry, name));
}

const char *darn_index_id(const json_t *entry)
{
    return field_of(entry, "id");
}

const char *darn_index_kind(const json_t *entry)
{
    return field_of(entry, "kind");
}

const char *darn_index_directory(const json_t *entry)
{
    return field_of(entry, "directory");
}

const char *darn_index_leader(const json_t *entry)
{
    return field_of(entry, "variant_of");
}

bool darn_index_is_shrunk(const json_t *entry)
{
    return json_is_true(json_object_get(entry, "shrunk"));
}

static int refuse_damaged(struct darn_listener *listener, const char *path, int line)
{
    return darn_tell_refusal(listener, "%s:%d: this is no index of a hunt", path, line);
}

/* 0 or DARN_REFUSED. */
static int read_entries(struct darn_index *index, struct darn_listener *listener)
{
    char path[PATH_MAX + 16], error[PATH_MAX + 512];
    size_t i;
    json_t *entry;
    FILE *file;

    snprintf(path, sizeof(path), "%s/index.jsonl", index->directory);
    file = fopen(path, "re");
    if (!file && errno == ENOENT)
        return 0;
    if (!file)
        return darn_tell_refusal(listener, "%s: %s", path, strerror(errno));
    json_decref(index->entries);
    index->entries = darn_raw_lines(file, path, error, sizeof(error));
    fclose(file);
    if (!index->entries)
        return darn_tell_refusal(listener, "%s", error);
    json_array_foreach(index->entries, i, entry)
    {
        if (!darn_index_id(entry) || !darn_index_kind(entry))
            return refuse_damaged(listener, path, (int)i + 1);
    }
    return 0;
}

static int read_state(struct darn_index *index, struct darn_listener *listener)
{
    char path[PATH_MAX + 16];
    json_error_t error;

    snprintf(path, sizeof(path), "%s/state.json", index->directory);
    if (access(path, F_OK)) {
        index->state = json_object();
        return 0;
    }
    index->state = json_load_file(path, 0, &error);
    if (!json_is_object(index->state))
        return refuse_damaged(listener, path, error.line);
    return 0;
}

int darn_index_open(struct darn_index *index, struct darn_listener *listener, const char *directory)
{
    int status;

    *index = (struct darn_index){.entries = json_array()};
    snprintf(index->directory, sizeof(index->directory), "%s", directory);
    status = read_state(index, listener);
    if (!status)
        status = read_entries(index, listener);
    if (status)
        darn_index_close(index);
    return status;
}

void darn_index_close(struct darn_index *index)
{
    json_decref(index->state);
    json_decref(index->entries);
    index->state = index->entries = NULL;
}

static void put_entries(const struct darn_index *index, struct darn_json *json)
{
    size_t i;
    json_t *entry;

    json_array_foreach(index->entries, i, entry)
    {
        darn_json_tree(json, entry);
        darn_json_end_line(json);
    }
}

int darn_index_write(const struct darn_index *index)
{
    struct darn_json entries, state;
    int result;

    darn_json_start_growing(&entries);
    put_entries(index, &entries);
    result = darn_kept_write(index->directory, "index.jsonl", entries.text.to, entries.text.used);
    darn_json_release(&entries);
    if (result)
        return result;
    darn_json_start_growing(&state);
    darn_json_tree_lines(&state, index->state);
    result = darn_kept_write(index->directory, "state.json", state.text.to, state.text.used);
    darn_json_release(&state);
    return result;
}

json_t *darn_index_find(const struct darn_index *index, const char *id)
{
    size_t i;
    json_t *entry;

    json_array_foreach(index->entries, i, entry)
    {
        if (strcmp(darn_index_id(entry), id) == 0)
            return entry;
    }
    return NULL;
}

bool darn_index_is_proof(const json_t *entry)
{
    return darn_index_directory(entry) && !darn_index_is_suspicion(entry);
}

bool darn_index_is_suspicion(const json_t *entry)
{
    return json_is_true(json_object_get(entry, "suspicion"));
}

size_t darn_index_proofs(const struct darn_index *index)
{
    size_t i, count = 0;
    json_t *entry;

    json_array_foreach(index->entries, i, entry)
    {
        count += darn_index_is_proof(entry);
    }
    return count;
}

/* The worst outcome of a proof, then proofs that made no difference, then what was only predicted.
 */
int darn_index_rank(const json_t *entry)
{
    const json_t *outcomes = json_object_get(entry, "outcomes"), *word;
    int rank = DARN_VERDICTS;
    size_t i;

    if (!darn_index_is_proof(entry))
        return DARN_VERDICTS + 1;
    json_array_foreach(outcomes, i, word)
    {
        int kind = (int)darn_verdict_named(json_string_value(word) ? json_string_value(word) : "");

        if (darn_verdict_is_failure((enum darn_verdict_kind)kind) && kind < rank)
            rank = kind;
    }
    return rank;
}

void darn_index_drop(struct darn_index *index, const char *id)
{
    size_t i;
    json_t *entry;

    json_array_foreach(index->entries, i, entry)
    {
        if (strcmp(darn_index_id(entry), id) == 0) {
            json_array_remove(index->entries, i);
            return;
        }
    }
}

void darn_index_put(struct darn_index *index, json_t *entry)
{
    int rank = darn_index_rank(entry);
    size_t at = 0;

    darn_index_drop(index, darn_index_id(entry));
    while (at < json_array_size(index->entries) &&
           darn_index_rank(json_array_get(index->entries, at)) <= rank)
        at++;
    json_array_insert_new(index->entries, at, entry);
}

void darn_index_print_json(const struct darn_index *index, FILE *out)
{
    struct darn_json json;

    darn_json_start_growing(&json);
    put_entries(index, &json);
    darn_json_finish(&json, out);
}
