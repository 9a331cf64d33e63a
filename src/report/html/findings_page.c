#include "report/html/findings_page.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json_file.h"
#include "report/html/page_parts.h"
#include "report/html/page_source.h"
#include "report/json_tree.h"
#include "report/raw.h"
#include "report/report_format.h"
#include "report/story/story_read.h"

/* Inside of an element the JSON must not end it, nor begin anything: no '<' of it stays one. */
static void flush_escaped(struct darn_json *json, FILE *out)
{
    const char *at = json->text.to, *end = at + json->text.used;

    while (at < end) {
        const char *less = memchr(at, '<', (size_t)(end - at));

        fwrite(at, 1, (size_t)((less ? less : end) - at), out);
        if (less)
            fputs("\\u003c", out);
        at = less ? less + 1 : end;
    }
    json->text.used = 0;
}

static void begin_data(FILE *out, const char *name)
{
    fprintf(out, "<script type=\"application/json\" id=\"%s\">", name);
}

static void end_data(FILE *out)
{
    fputs("</script>\n", out);
}

/* Writes the story of the finding, if there is one. */
static bool put_story(struct darn_page_sources *sources, const struct darn_page_item *item,
                      size_t number, FILE *out)
{
    json_t *story = item->directory ? darn_story_read(item->directory) : NULL, *place;
    struct darn_json json;
    char name[32];
    size_t i;

    if (!story)
        return false;
    json_array_foreach(json_object_get(story, "places"), i, place)
    {
        darn_page_sources_add(sources, place);
    }
    snprintf(name, sizeof(name), "story-%zu", number);
    begin_data(out, name);
    darn_json_start_growing(&json);
    darn_json_tree(&json, story);
    flush_escaped(&json, out);
    darn_json_release(&json);
    end_data(out);
    json_decref(story);
    return true;
}

/* What was kept beside the schedule; NULL when nothing was. */
static char *kept_report(const char *directory)
{
    char path[PATH_MAX + 16], *text = NULL;
    size_t room = 0;
    FILE *kept;

    snprintf(path, sizeof(path), "%s/report.txt", directory);
    kept = fopen(path, "re");
    if (!kept)
        return NULL;
    if (getdelim(&text, &room, '\0', kept) < 0) {
        free(text);
        text = NULL;
    }
    fclose(kept);
    return text;
}

/* The report as people read it in a terminal. The caller frees it; NULL when there is none. */
static char *report_of(const struct darn_page_item *item)
{
    static const struct darn_style plain;
    struct darn_finding *finding;
    char *text = item->directory ? kept_report(item->directory) : NULL;
    size_t length = 0;
    FILE *out;

    if (text)
        return text;
    finding = darn_finding_reported(item->finding);
    out = finding->access_count ? open_memstream(&text, &length) : NULL;
    if (out) {
        darn_format_find("text")->finding(out, finding, &plain);
        fclose(out);
    }
    darn_finding_free(finding);
    return text;
}

static void put_finding(struct darn_json *json, const struct darn_page_item *item, size_t number,
                        bool has_story)
{
    char *report = report_of(item);

    darn_json_open(json, NULL, '{');
    darn_json_tree_member(json, "finding", item->finding);
    darn_json_number(json, "found", item->found);
    if (report)
        darn_json_string(json, "report", report);
    if (has_story)
        darn_json_number(json, "story", (int64_t)number);
    darn_json_close(json, '}');
    free(report);
}

static void put_findings(const struct darn_findings_page *page, struct darn_page_sources *sources,
                         const bool *has_story, FILE *out)
{
    struct darn_json json;

    begin_data(out, "findings");
    darn_json_start_growing(&json);
    darn_json_open(&json, NULL, '{');
    darn_json_string(&json, "about", page->about);
    if (page->strip_path_prefix)
        darn_json_string(&json, "strip", page->strip_path_prefix);
    darn_json_open(&json, "findings", '[');
    for (size_t i = 0; i < page->count; i++) {
        const json_t *accesses = json_object_get(page->items[i].finding, "accesses"), *access;
        size_t j;

        json_array_foreach(accesses, j, access)
        {
            darn_page_sources_add(sources, access);
        }
        put_finding(&json, &page->items[i], i, has_story[i]);
        flush_escaped(&json, out);
    }
    darn_json_close(&json, ']');
    darn_page_sources_put(sources, &json);
    darn_json_close(&json, '}');
    flush_escaped(&json, out);
    darn_json_release(&json);
    end_data(out);
}

static void put_campaign(const json_t *campaign, FILE *out)
{
    struct darn_json json;

    begin_data(out, "campaign");
    darn_json_start_growing(&json);
    darn_json_tree(&json, campaign);
    flush_escaped(&json, out);
    darn_json_release(&json);
    end_data(out);
}

void darn_page_write(const struct darn_findings_page *page, FILE *out)
{
    struct darn_page_sources sources = {.files = NULL};
    bool *has_story = darn_need_zeroed(page->count, sizeof(*has_story));

    fwrite(darn_page_before, 1, darn_page_before_length, out);
    for (size_t i = 0; i < page->count; i++)
        has_story[i] = put_story(&sources, &page->items[i], i, out);
    if (page->campaign)
        put_campaign(page->campaign, out);
    put_findings(page, &sources, has_story, out);
    fwrite(darn_page_after, 1, darn_page_after_length, out);
    darn_page_sources_free(&sources);
    free(has_story);
}
