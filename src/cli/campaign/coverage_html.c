#include "cli/campaign/coverage_html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/draft.h"
#include "base/grow.h"
#include "report/html/coverage_page.h"

struct coverage_marking {
    struct darn_coverage_page page;
    size_t room;
    struct darn_map places; /* from keys to texts of the coverage */
    const struct darn_campaign_share *share;
};

/* What a fact is at the place of the first, and of the second; %s is the other one. NULL: nothing
 * that the other place does not say. */
static const char *const said[DARN_COVERAGE_KINDS][2] = {
    [DARN_COVERAGE_PAIR] = {"right before %s in another thread",
                            "right after %s in another thread"},
    [DARN_COVERAGE_READS] = {"what was written was read at %s", "what was read was written at %s"},
    [DARN_COVERAGE_FREE] = {"the lock was taken at once"},
    [DARN_COVERAGE_BLOCKED] = {"the lock was waited for"},
    [DARN_COVERAGE_BLOCKING] = {"while it was held from here, another thread began to wait for it"},
    [DARN_COVERAGE_ORDER] = {"while it was held from here, another was taken at %s",
                             "taken while another was held from %s on"},
    [DARN_COVERAGE_NEAR] = {NULL,
                            "taken while another thread was inside what it had entered at %s"},
    [DARN_COVERAGE_WOKEN] = {"the wait was ended by a signal"},
    [DARN_COVERAGE_TIMEOUT] = {"the wait was ended by its time"},
    [DARN_COVERAGE_MISSED] = {"nobody waited for the signal"},
};

/* FILE:LINE:COLUMN what: where the line number begins, or NULL. A file may have a colon in its
 * name. */
static const char *line_in(const char *place)
{
    for (const char *colon = strchr(place, ':'); colon; colon = strchr(colon + 1, ':')) {
        unsigned line, column;
        char blank;

        if (sscanf(colon, ":%u:%u%c", &line, &column, &blank) == 3 && blank == ' ')
            return colon + 1;
    }
    return NULL;
}

static void add_mark(struct coverage_marking *marking, const char *place, const char *other,
                     const char *words, bool seen)
{
    struct darn_coverage_page *page = &marking->page;
    const char *line = place ? line_in(place) : NULL, *what = line ? strchr(line, ' ') : NULL;
    struct darn_coverage_mark mark = {.seen = seen};
    size_t used = strcspn(words, "%");

    if (!line || !what)
        return;
    mark.line = (unsigned)strtoul(line, NULL, 10);
    mark.file = darn_need_memory(strndup(place, (size_t)(line - place) - 1));
    if (asprintf(&mark.text, "%s: %s%.*s%s%s", what + 1, seen ? "" : "never ", (int)used, words,
                 words[used] ? other : "", words[used] ? words + used + 2 : "") < 0)
        abort();
    page->marks = darn_grow(page->marks, &marking->room, page->count + 1, sizeof(*page->marks));
    page->marks[page->count++] = mark;
}

static void mark_fact(struct coverage_marking *marking, const struct darn_campaign_fact *fact)
{
    const char *first = (const char *)darn_map_get(&marking->places, (uintptr_t)fact->first, 0);
    const char *second = (const char *)darn_map_get(&marking->places, (uintptr_t)fact->second, 0);

    if (said[fact->kind][0])
        add_mark(marking, first, second ? second : "?", said[fact->kind][0], true);
    if (said[fact->kind][1])
        add_mark(marking, second, first ? first : "?", said[fact->kind][1], true);
}

static void mark_unseen(void *context, size_t first, size_t second, bool seen)
{
    struct coverage_marking *marking = context;
    const struct darn_campaign_shared *sites = marking->share->sites;

    if (!seen)
        add_mark(marking, sites[second].place, sites[first].place, said[DARN_COVERAGE_PAIR][1],
                 false);
}

static int write_page(const struct darn_coverage_page *page, const char *file)
{
    struct darn_draft draft;
    int result = darn_draft_open(&draft, file, false);

    if (result)
        return result;
    darn_coverage_page_write(page, draft.file);
    return darn_draft_finish(&draft, 0);
}

int darn_coverage_html(const struct darn_coverage_html *html,
                       const struct darn_campaign_coverage *coverage,
                       const struct darn_campaign_share *share)
{
    struct coverage_marking marking = {
        .page = {.about = html->about, .curve = html->curve, .points = html->points},
        .share = share};
    int result;

    for (size_t i = 0; i < coverage->site_count; i++)
        darn_map_put(&marking.places, (uintptr_t)coverage->sites[i].key,
                     (uintptr_t)coverage->sites[i].place);
    for (size_t i = 0; i < coverage->facts.count; i++)
        mark_fact(&marking, &coverage->facts.items[i]);
    darn_campaign_share_each(share, coverage, mark_unseen, &marking);
    result = write_page(&marking.page, html->file);
    for (size_t i = 0; i < marking.page.count; i++) {
        free(marking.page.marks[i].file);
        free(marking.page.marks[i].text);
    }
    free(marking.page.marks);
    darn_map_free(&marking.places);
    return result;
}
