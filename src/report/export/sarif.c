#include "report/export/sarif.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_file.h"
#include "report/sink.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define TAIL   "\n]}]}\n" /* what print_tail writes */

static void put_tool(struct darn_json *json)
{
    darn_json_open(json, "tool", '{');
    darn_json_open(json, "driver", '{');
    darn_json_string(json, "name", "darn");
    darn_json_string(json, "version", DARN_VERSION);
    darn_json_string(json, "semanticVersion", DARN_VERSION);
    darn_sarif_rules(json);
    darn_json_close(json, '}');
    darn_json_close(json, '}');
}

static void put_head(struct darn_json *json, const struct darn_root *root)
{
    struct darn_text_pool pool = {0};

    darn_json_open(json, NULL, '{');
    darn_json_string(json, "$schema", SCHEMA);
    darn_json_string(json, "version", "2.1.0");
    darn_json_open(json, "runs", '[');
    darn_json_open(json, NULL, '{');
    put_tool(json);
    darn_json_open(json, "originalUriBaseIds", '{');
    darn_json_open(json, DARN_SARIF_ROOT, '{');
    darn_json_string(json, "uri", darn_export_uri(root->path, &pool));
    darn_json_close(json, '}');
    darn_json_close(json, '}');
    darn_json_open(json, "results", '[');
    darn_pool_release(&pool);
}

static void put_tail(struct darn_json *json)
{
    darn_json_break(json, 0);
    darn_json_close(json, ']');
    darn_json_close(json, '}');
    darn_json_close(json, ']');
    darn_json_close(json, '}');
    darn_json_end_line(json);
}

void darn_sarif_print(const struct darn_collection *collection, bool has_baseline,
                      const struct darn_root *root, FILE *out)
{
    struct darn_json json;

    darn_json_start_growing(&json);
    put_head(&json, root);
    for (size_t i = 0; i < collection->count; i++) {
        const struct darn_collected *item = &collection->items[i];

        darn_json_break(&json, 0);
        darn_sarif_result(&json, item->finding, item->count,
                          !has_baseline    ? NULL
                          : item->is_known ? "unchanged"
                                           : "new",
                          root);
        darn_json_flush(&json, out);
    }
    put_tail(&json);
    darn_json_finish(&json, out);
}

/* ---- a file that several processes write ---- */

/* The file as it is, locked. */
struct shared {
    int fd;
    char *text; /* ends with a NUL */
    size_t length;
    struct darn_root root;
};

static void close_shared(struct shared *shared)
{
    free(shared->text);
    if (shared->fd >= 0)
        close(shared->fd); /* and is unlocked */
}

/* 0 or a negative errno. */
static int read_shared(struct shared *shared)
{
    struct stat about;
    ssize_t got;

    if (fstat(shared->fd, &about))
        return -errno;
    if (!S_ISREG(about.st_mode))
        return -EINVAL;
    shared->text = calloc((size_t)about.st_size + 1, 1);
    if (!shared->text)
        return -ENOMEM;
    while (shared->length < (size_t)about.st_size) {
        got = pread(shared->fd, shared->text + shared->length,
                    (size_t)about.st_size - shared->length, (off_t)shared->length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EINVAL;
        shared->length += (size_t)got;
    }
    return 0;
}

/* What the file says of its own top; false when the file is none of ours. */
static bool read_root(struct shared *shared)
{
    size_t head = strcspn(shared->text, "\n"), tail = strlen(TAIL);
    char *whole = shared->length > head + tail || shared->length == head + tail
                      ? malloc(head + tail + 1)
                      : NULL;
    json_t *root = NULL, *run;
    const char *name, *uri;
    bool ours;

    if (!whole || strcmp(shared->text + shared->length - tail, TAIL) != 0) {
        free(whole);
        return false;
    }
    snprintf(whole, head + tail + 1, "%.*s%s", (int)head, shared->text, TAIL);
    root = json_loads(whole, 0, NULL);
    free(whole);
    run = json_array_get(json_object_get(root, "runs"), 0);
    name = json_string_value(
        json_object_get(json_object_get(json_object_get(run, "tool"), "driver"), "name"));
    uri = json_string_value(json_object_get(
        json_object_get(json_object_get(run, "originalUriBaseIds"), DARN_SARIF_ROOT), "uri"));
    ours = name && strcmp(name, "darn") == 0 && uri && strncmp(uri, "file://", 7) == 0;
    if (ours)
        snprintf(shared->root.path, sizeof(shared->root.path), "%s", uri + 7);
    json_decref(root);
    return ours;
}

/* %20 becomes a blank again, in place. */
static void decode(char *path)
{
    char *to = path;

    for (; *path; path++) {
        unsigned value;

        if (*path == '%' && sscanf(path + 1, "%2x", &value) == 1) {
            *to++ = (char)value;
            path += 2;
        } else {
            *to++ = *path;
        }
    }
    *to = '\0';
}

/* Writes from `at` on. What was there comes back if it cannot be. 0 or a negative errno. */
static int write_from(struct shared *shared, size_t at, const char *text, size_t length)
{
    int result = lseek(shared->fd, (off_t)at, SEEK_SET) < 0
                     ? -errno
                     : darn_sink_write(shared->fd, text, length);

    if (!result && ftruncate(shared->fd, (off_t)(at + length)))
        result = -errno;
    if (result && lseek(shared->fd, (off_t)at, SEEK_SET) >= 0) {
        (void)darn_sink_write(shared->fd, shared->text + at, shared->length - at);
        (void)!ftruncate(shared->fd, (off_t)shared->length);
    }
    return result;
}

static int begin_file(struct shared *shared, const char *strip)
{
    struct darn_json json;
    int result;

    darn_root_find(&shared->root, strip);
    darn_json_start_growing(&json);
    put_head(&json, &shared->root);
    put_tail(&json);
    result = write_from(shared, 0, json.text.to, json.text.used);
    if (!result) {
        free(shared->text);
        shared->text = strdup(json.text.to);
        shared->length = json.text.used;
        result = shared->text ? 0 : -ENOMEM;
    }
    darn_json_release(&json);
    return result;
}

static int open_shared(struct shared *shared, const char *path, const char *strip)
{
    int result;

    *shared = (struct shared){
        .fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666)};
    if (shared->fd < 0)
        return -errno;
    while (flock(shared->fd, LOCK_EX))
        if (errno != EINTR)
            return -errno;
    result = read_shared(shared);
    if (result)
        return result;
    if (!shared->length)
        return begin_file(shared, strip);
    if (!read_root(shared))
        return -EINVAL;
    decode(shared->root.path);
    shared->root.strip = strip && *strip ? strip : NULL;
    return 0;
}

int darn_sarif_begin(const char *path, const char *strip)
{
    struct shared shared;
    int result = open_shared(&shared, path, strip);

    close_shared(&shared);
    return result;
}

/* Whether the line is the result of this finding; then `is_sure` says whether that happened. */
static bool is_result_of(const char *line, size_t length, const char *id, bool *is_sure)
{
    json_t *result;
    const char *own, *level;
    bool same;

    if (length && line[length - 1] == ',')
        length--;
    result = json_loadb(line, length, 0, NULL);
    own = json_string_value(
        json_object_get(json_object_get(result, "partialFingerprints"), DARN_SARIF_FINGERPRINT));
    level = json_string_value(json_object_get(result, "level"));
    same = own && strcmp(own, id) == 0;
    *is_sure = level && strcmp(level, "error") == 0;
    json_decref(result);
    return same;
}

/* The line of the finding, from where it begins to where it ends without its comma. False when
 * there is none; both are where the end of the file begins then. */
static bool find_result(const struct shared *shared, const char *id, size_t *from, size_t *to,
                        bool *is_sure)
{
    size_t end = shared->length - strlen(TAIL);
    size_t at = strcspn(shared->text, "\n") + 1, length;

    for (; at < end; at += length + 1) {
        const char *line = shared->text + at;

        length = strcspn(line, "\n");
        /* Reading it as JSON takes longer. */
        if (memmem(line, length, id, strlen(id)) && is_result_of(line, length, id, is_sure)) {
            *from = at;
            *to = at + length - (line[length - 1] == ',');
            return true;
        }
    }
    *from = *to = end;
    return false;
}

int darn_sarif_put(const char *path, const struct darn_finding *finding, const char *strip)
{
    struct shared shared;
    int result = open_shared(&shared, path, strip);
    bool is_sure = false, is_there;
    size_t from = 0, to = 0;
    struct darn_json json;

    if (result) {
        close_shared(&shared);
        return result;
    }
    is_there = find_result(&shared, finding->id, &from, &to, &is_sure);
    if (!is_there || (!is_sure && !darn_finding_is_predicted(finding))) {
        darn_json_start_growing(&json);
        if (!is_there) {
            bool is_first = from == strcspn(shared.text, "\n");

            darn_text_add(&json.text, is_first ? "\n" : ",\n");
        }
        darn_sarif_result(&json, finding, finding->count, NULL, &shared.root);
        darn_text_part(&json.text, shared.text + to, shared.length - to);
        result = write_from(&shared, from, json.text.to, json.text.used);
        darn_json_release(&json);
    }
    close_shared(&shared);
    return result;
}
