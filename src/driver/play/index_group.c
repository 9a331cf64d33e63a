/*
 * One bug, one finding: entries of an index that have the same cause become variants of the first
 * of them, which is the worst. They have it by what they are about (report/cause.h), or because the
 * same interruptions show both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "driver/play/index.h"
#include "report/cause.h"
#include "report/raw.h"

/* The steps of a schedule up to its last preemption; NULL when there is none, or when it may have
 * some that are not needed. To be freed. */
static char *read_interruptions(const struct darn_index *index, const json_t *entry)
{
    char path[PATH_MAX + 64], *text = NULL, *line = NULL, *last;
    size_t length = 0, room = 0;
    FILE *file = NULL, *out = NULL;

    snprintf(path, sizeof(path), "%s/%s/schedule", index->directory, darn_index_directory(entry));
    if (darn_index_is_shrunk(entry))
        file = fopen(path, "re");
    if (file)
        out = darn_need_memory(open_memstream(&text, &length));
    while (file && getline(&line, &room, file) >= 0)
        if (*line == 'T' || *line == ' ')
            fputs(line, out);
    free(line);
    if (!file)
        return NULL;
    fclose(file);
    fclose(out);
    last = strrchr(text, '!');
    if (last) {
        last[strcspn(last, " \n*")] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

/* What is known of each entry. */
struct group {
    struct darn_finding **findings;
    char **schedules;
    size_t *leaders;
};

static bool has_same_cause(const struct group *group, size_t i, size_t j)
{
    if (group->findings[i]->is_suspicion || group->findings[j]->is_suspicion)
        return false;
    return (group->schedules[i] && group->schedules[j] &&
            strcmp(group->schedules[i], group->schedules[j]) == 0) ||
           darn_cause_is_same(group->findings[i], group->findings[j]);
}

static void lead(struct darn_index *index, struct group *group, size_t i)
{
    json_t *entry = json_array_get(index->entries, i);

    group->findings[i] = darn_finding_reported(entry);
    group->schedules[i] = darn_index_is_proof(entry) ? read_interruptions(index, entry) : NULL;
    group->leaders[i] = i;
    for (size_t j = 0; j < i && group->leaders[i] == i; j++)
        if (has_same_cause(group, i, j))
            group->leaders[i] = group->leaders[j];
    if (group->leaders[i] == i)
        json_object_del(entry, "variant_of");
    else
        json_object_set(entry, "variant_of",
                        json_object_get(json_array_get(index->entries, group->leaders[i]), "id"));
}

void darn_index_group(struct darn_index *index)
{
    size_t count = json_array_size(index->entries);
    struct group group = {
        .findings = darn_need_memory(calloc(count + 1, sizeof(*group.findings))),
        .schedules = darn_need_memory(calloc(count + 1, sizeof(*group.schedules))),
        .leaders = darn_need_memory(calloc(count + 1, sizeof(*group.leaders))),
    };

    for (size_t i = 0; i < count; i++)
        lead(index, &group, i);
    for (size_t i = 0; i < count; i++) {
        darn_finding_free(group.findings[i]);
        free(group.schedules[i]);
    }
    free(group.findings);
    free(group.schedules);
    free(group.leaders);
}
