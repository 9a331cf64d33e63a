#include "driver/play/shown.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/draft.h"
#include "base/grow.h"
#include "driver/play/index.h"
#include "report/cause.h"
#include "report/html/findings_page.h"
#include "report/perfetto/story_tracks.h"
#include "report/raw.h"

struct shown_list {
    struct darn_page_item *items;
    size_t count, room;
};

static void free_item(const struct darn_page_item *item)
{
    json_decref((json_t *)item->finding);
    free(item->directory);
}

static bool is_predicted(const json_t *finding)
{
    const char *certainty = json_string_value(json_object_get(finding, "certainty"));

    return certainty && strcmp(certainty, "predicted") == 0;
}

/* Which one stays of two with the same id: what has a schedule, else what has happened, else the
 * first. */
static bool is_better(const struct darn_page_item *item, const struct darn_page_item *old)
{
    if (!item->directory != !old->directory)
        return item->directory;
    return is_predicted(old->finding) && !is_predicted(item->finding);
}

static struct darn_page_item *find_item(const struct shown_list *list, const char *id)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(darn_index_id(list->items[i].finding), id) == 0)
            return &list->items[i];
    return NULL;
}

/* Two schedules of one finding are both shown. */
static void add_item(struct shown_list *list, const struct darn_page_item *item)
{
    struct darn_page_item *old = find_item(list, darn_index_id(item->finding)), copy = *item;

    copy.finding = json_incref((json_t *)item->finding);
    copy.directory = item->directory ? darn_need_memory(strdup(item->directory)) : NULL;
    if (!old || (item->directory && old->directory)) {
        list->items = darn_grow(list->items, &list->room, list->count + 1, sizeof(*list->items));
        list->items[list->count++] = copy;
        return;
    }
    if (is_better(item, old)) {
        struct darn_page_item weaker = *old;

        *old = copy;
        copy = weaker;
    }
    free_item(&copy);
}

static void free_list(struct shown_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free_item(&list->items[i]);
    free(list->items);
}

/* When the file was written last; 0 when there is none. */
static int64_t written(const char *directory, const char *name)
{
    char path[PATH_MAX + 32];
    struct stat about;

    snprintf(path, sizeof(path), "%s%s%s", directory, name ? "/" : "", name ? name : "");
    return stat(path, &about) ? 0 : about.st_mtime;
}

static bool is_there(const char *directory, const char *name)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

/* 0 or DARN_REFUSED. */
static int add_hunt(struct shown_list *list, struct darn_listener *listener, const char *path)
{
    struct darn_index index;
    int status = darn_index_open(&index, listener, path);
    json_t *entry;
    size_t i;

    if (status)
        return status;
    darn_index_group(&index);
    json_array_foreach(index.entries, i, entry)
    {
        const char *name = darn_index_directory(entry);
        char directory[2 * PATH_MAX];

        snprintf(directory, sizeof(directory), "%s/%s", path, name ? name : "");
        add_item(list, &(struct darn_page_item){
                           .finding = entry,
                           .directory = name ? directory : NULL,
                           .found = name ? written(directory, "finding.json")
                                         : written(path, "index.jsonl"),
                           .is_of_hunt = true,
                       });
    }
    darn_index_close(&index);
    return 0;
}

static int add_finding(struct shown_list *list, struct darn_listener *listener, const char *path)
{
    char file[PATH_MAX + 32];
    json_t *finding;

    snprintf(file, sizeof(file), "%s/finding.json", path);
    finding = json_load_file(file, 0, NULL);
    if (!darn_index_id(finding) || !darn_index_kind(finding)) {
        json_decref(finding);
        return darn_tell_refusal(listener, "%s is no finding", file);
    }
    add_item(list, &(struct darn_page_item){.finding = finding,
                                            .directory = (char *)path,
                                            .found = written(file, NULL),
                                            .is_of_hunt = true});
    json_decref(finding);
    return 0;
}

static int add_lines(struct shown_list *list, struct darn_listener *listener, const char *path)
{
    FILE *file = fopen(path, "re");
    char error[PATH_MAX + 256];
    json_t *findings, *finding;
    size_t i;

    if (!file)
        return darn_tell_refusal(listener, "%s: %s", path, strerror(errno));
    findings = darn_raw_lines(file, path, error, sizeof(error));
    fclose(file);
    if (!findings)
        return darn_tell_refusal(listener, "%s", error);
    json_array_foreach(findings, i, finding)
    {
        /* The summary of darn explore has no id. */
        if (darn_index_id(finding) && darn_index_kind(finding))
            add_item(list,
                     &(struct darn_page_item){.finding = finding, .found = written(path, NULL)});
    }
    json_decref(findings);
    return 0;
}

static int add_path(struct shown_list *list, struct darn_listener *listener, const char *path)
{
    struct stat about;

    if (stat(path, &about))
        return darn_tell_refusal(listener, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return add_lines(list, listener, path);
    if (is_there(path, "state.json"))
        return add_hunt(list, listener, path);
    if (is_there(path, "finding.json"))
        return add_finding(list, listener, path);
    return darn_tell_refusal(listener, "%s is neither the directory of a hunt nor of a finding",
                             path);
}

static int write_page(const struct darn_shown *shown, struct darn_listener *listener,
                      const struct shown_list *list, const char *about)
{
    struct darn_findings_page page = {
        .about = about,
        .strip_path_prefix = shown->strip_path_prefix,
        .items = list->items,
        .count = list->count,
        .campaign = shown->campaign,
    };
    struct darn_draft draft;
    int result = darn_draft_open(&draft, shown->html, false);

    if (!result) {
        darn_page_write(&page, draft.file);
        result = darn_draft_finish(&draft, 0);
    }
    return result ? darn_tell_refusal(listener, "--html: %s cannot be written: %s", shown->html,
                                      strerror(-result))
                  : 0;
}

/* A trace viewer shows one run. */
static int write_tracks(const struct darn_shown *shown, struct darn_listener *listener,
                        const struct shown_list *list)
{
    const char *directory = NULL;
    struct darn_draft draft;
    size_t stories = 0;
    int result;

    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].directory && is_there(list->items[i].directory, "story.json")) {
            directory = list->items[i].directory;
            stories++;
        }
    if (!stories)
        return darn_tell_refusal(listener, "--perfetto: there is no finding with a story");
    if (stories > 1)
        return darn_tell_refusal(listener,
                                 "--perfetto: there are %zu stories; name one of them: %s", stories,
                                 directory);
    result = darn_draft_open(&draft, shown->perfetto, false);
    if (!result) {
        result = darn_story_tracks(directory, draft.file);
        result = darn_draft_finish(&draft, result);
    }
    return result ? darn_tell_refusal(listener, "--perfetto: %s cannot be written: %s",
                                      shown->perfetto, strerror(-result))
                  : 0;
}

static void leave_out(const struct darn_shown *shown, struct shown_list *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        struct darn_page_item item = list->items[i];

        if (shown->keeps && !shown->keeps(shown->context, darn_index_id(item.finding)))
            free_item(&item);
        else
            list->items[kept++] = item;
    }
    list->count = kept;
}

/* What several runs have found is compared as a whole; of a hunt that is done. */
static void group(struct shown_list *list)
{
    struct darn_causes causes = {.count = 0};

    for (size_t i = 0; i < list->count; i++) {
        json_t *finding = (json_t *)list->items[i].finding;
        size_t leader;

        if (list->items[i].is_of_hunt)
            continue;
        leader = darn_causes_add(&causes, darn_finding_reported(finding));
        json_object_del(finding, "variant_of");
        if (leader + 1 < causes.count)
            json_object_set_new(finding, "variant_of", json_string(causes.findings[leader]->id));
    }
    for (size_t i = 0; i < causes.count; i++)
        darn_finding_free((struct darn_finding *)causes.findings[i]);
    darn_causes_free(&causes);
}

static void find_out(struct darn_shown *shown, const struct shown_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct darn_page_item *item = &list->items[i];

        shown->findings |= !(item->is_of_hunt && is_predicted(item->finding)) &&
                           !darn_index_is_suspicion(item->finding);
    }
}

int darn_show(struct darn_shown *shown, struct darn_listener *listener, char *const *paths,
              size_t count)
{
    struct shown_list list = {.items = NULL};
    char about[256] = "";
    int status = 0;
    json_t *finding;
    size_t at;

    json_array_foreach(shown->more, at, finding)
    {
        add_item(&list, &(struct darn_page_item){
                            .finding = finding,
                            .found = json_integer_value(json_object_get(finding, "found"))});
    }
    if (!count && !shown->more)
        return darn_tell_refusal(listener, "nothing to show; usage: darn report --html=FILE "
                                           "DIRECTORY|FILE...");
    for (size_t i = 0; !status && i < count; i++)
        status = add_path(&list, listener, paths[i]);
    if (shown->about)
        snprintf(about, sizeof(about), "%s", shown->about);
    else
        snprintf(about, sizeof(about), count == 1 ? "%s" : "%s and %zu more", paths[0], count - 1);
    leave_out(shown, &list);
    group(&list);
    find_out(shown, &list);
    if (!status && shown->html)
        status = write_page(shown, listener, &list, about);
    if (!status && shown->perfetto)
        status = write_tracks(shown, listener, &list);
    free_list(&list);
    return status;
}
