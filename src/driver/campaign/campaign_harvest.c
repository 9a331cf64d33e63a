#include "driver/campaign/campaign_harvest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/json_file.h"
#include "report/export/export.h"
#include "report/raw.h"
#include "report/text/utf8.h"

#define MOST_FINDINGS 10000 /* of one round */
#define MOST_SCHEDULE (4 * 1024 * 1024)
#define END_OF_OUTPUT 8192 /* in which its last line is looked for */

static char *copy(const char *text)
{
    return darn_need_memory(strdup(text ? text : ""));
}

/* NULL when it cannot be read, or is too long to be kept. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t length;

    if (!file)
        return NULL;
    text = darn_need_memory(malloc(MOST_SCHEDULE));
    length = fread(text, 1, MOST_SCHEDULE, file);
    fclose(file);
    if (!length || length == MOST_SCHEDULE || memchr(text, '\0', length)) {
        free(text);
        return NULL;
    }
    text = darn_need_memory(realloc(text, length + 1));
    text[length] = '\0';
    return text;
}

static struct darn_campaign_sighting *add(struct darn_campaign_harvest *harvest)
{
    harvest->findings = darn_grow(harvest->findings, &harvest->room, harvest->count + 1,
                                  sizeof(*harvest->findings));
    return &harvest->findings[harvest->count++];
}

static void forget(struct darn_campaign_sighting *finding)
{
    free(finding->id);
    free(finding->kind);
    free(finding->certainty);
    free(finding->title);
    free(finding->json);
    free(finding->schedule);
    *finding = (struct darn_campaign_sighting){0};
}

static int rank(const char *certainty)
{
    return strcmp(certainty, "confirmed") == 0 ? 2 : strcmp(certainty, "observed") == 0;
}

/* The same run may report a finding twice, as predicted and then as observed: where the better one
 * goes; NULL when it is there already. */
static struct darn_campaign_sighting *place_of(struct darn_campaign_harvest *harvest,
                                               const char *id, const char *certainty)
{
    for (size_t i = 0; i < harvest->count; i++) {
        struct darn_campaign_sighting *known = &harvest->findings[i];

        if (strcmp(known->id, id) != 0)
            continue;
        if (rank(known->certainty) >= rank(certainty))
            return NULL;
        forget(known);
        return known;
    }
    return add(harvest);
}

static void add_object(struct darn_campaign_harvest *harvest, const json_t *object,
                       const char *line)
{
    const char *id = json_string_value(json_object_get(object, "id"));
    const char *certainty = json_string_value(json_object_get(object, "certainty"));
    const char *schedule = json_string_value(json_object_get(object, "schedule"));
    struct darn_finding *finding;
    struct darn_campaign_sighting *added;

    finding = id && certainty ? darn_finding_reported(object) : NULL;
    if (!finding)
        return;
    added = finding->is_suspicion ? NULL : place_of(harvest, id, certainty);
    if (added) {
        added->id = copy(id);
        added->certainty = copy(certainty);
        added->kind = copy(json_string_value(json_object_get(object, "kind")));
        added->title = copy(darn_export_title(finding, &finding->pool));
        added->json = copy(line);
        added->schedule = schedule ? read_text(schedule) : NULL;
    }
    darn_finding_free(finding);
}

void darn_campaign_harvest_findings(struct darn_campaign_harvest *harvest, const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;

    while (file && harvest->count < MOST_FINDINGS && getline(&line, &size, file) > 0) {
        json_t *object = json_loads(line, 0, NULL); /* one that was cut off is none */

        line[strcspn(line, "\n")] = '\0';
        add_object(harvest, object, line);
        json_decref(object);
    }
    free(line);
    if (file)
        fclose(file);
}

void darn_campaign_harvest_failure(struct darn_campaign_harvest *harvest, const char *test,
                                   const char *how)
{
    uint64_t hash = darn_hash_string(darn_hash_string(DARN_HASH_START, "campaign"), test);
    struct darn_campaign_sighting *added = add(harvest);
    struct darn_json json;
    char id[24];

    hash = darn_hash_string(hash, how);
    snprintf(id, sizeof(id), "%016llx", (unsigned long long)hash);
    darn_json_start_growing(&json);
    darn_json_open(&json, NULL, '{');
    darn_json_string(&json, "id", id);
    darn_json_string(&json, "kind", "failure");
    darn_json_string(&json, "certainty", "observed");
    darn_json_string(&json, "variable", "");
    darn_json_number(&json, "count", 1);
    darn_json_open(&json, "accesses", '[');
    darn_json_close(&json, ']');
    darn_json_string(&json, "engine", "campaign");
    darn_json_string(&json, "reason", how);
    darn_json_string(&json, "test", test);
    darn_json_close(&json, '}');
    added->id = copy(id);
    added->kind = copy("failure");
    added->certainty = copy("observed");
    added->json = copy(json.text.to);
    if (asprintf(&added->title, "the test %s fails: %s", test, how) < 0)
        abort();
    darn_json_release(&json);
}

void darn_campaign_harvest_free(struct darn_campaign_harvest *harvest)
{
    for (size_t i = 0; i < harvest->count; i++)
        forget(&harvest->findings[i]);
    free(harvest->findings);
    darn_campaign_coverage_free(&harvest->coverage);
    *harvest = (struct darn_campaign_harvest){0};
}

/* It is printed to a terminal. */
static void show_controls(char *line)
{
    const char *end = line + strlen(line);
    uint32_t code;
    size_t length;

    for (char *at = line; at < end; at += length) {
        length = darn_utf8_next(at, end, &code);
        if (code == DARN_UTF8_WRONG || darn_utf8_is_control(code))
            memset(at, '?', length);
    }
}

char *darn_campaign_last_line(const char *path)
{
    FILE *file = fopen(path, "re");
    char text[END_OF_OUTPUT + 1], *line;
    size_t length;

    if (!file)
        return NULL;
    if (fseek(file, -END_OF_OUTPUT, SEEK_END))
        rewind(file);
    length = fread(text, 1, END_OF_OUTPUT, file);
    fclose(file);
    while (length && (unsigned char)text[length - 1] <= ' ')
        length--;
    text[length] = '\0';
    line = memrchr(text, '\n', length);
    line = line ? line + 1 : text;
    show_controls(line);
    return *line ? copy(line) : NULL;
}
