#include "driver/section/refinement.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json_file.h"

#define FIRST_LINE 2 /* of a section in the file for the runs */

static void add_count(struct darn_refinement_counts *counts,
                      const struct darn_refinement_count *count)
{
    counts->list = darn_grow(counts->list, &counts->room, counts->count + 1, sizeof(*counts->list));
    counts->list[counts->count++] = *count;
}

/* The next number of the line. */
static bool take_number(const char **at, uint64_t *number)
{
    char *end;

    while (**at == ' ')
        ++*at;
    if (!isdigit((unsigned char)**at))
        return false;
    *number = strtoull(*at, &end, 10);
    *at = end;
    return true;
}

static void read_line(struct darn_refinement_counts *counts, const char *line, size_t length)
{
    struct darn_refinement_count count;
    uint64_t where, index;

    counts->done = length == 4 && memcmp(line, "done", 4) == 0;
    if (length < 4 || memcmp(line, "end ", 4) != 0)
        return;
    line += 4;
    if (!take_number(&line, &where) || !take_number(&line, &index) ||
        !take_number(&line, &count.seen) || !take_number(&line, &count.violated))
        return;
    count.line = (uint32_t)where;
    count.index = (uint32_t)index;
    add_count(counts, &count);
}

void darn_refinement_counts_read(struct darn_refinement_counts *counts, const char *text)
{
    counts->count = 0;
    counts->done = false;
    /* A line without its end was cut: it may have lost digits. */
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        read_line(counts, text, (size_t)(end - text));
}

void darn_refinement_counts_free(struct darn_refinement_counts *counts)
{
    free(counts->list);
    *counts = (struct darn_refinement_counts){0};
}

void darn_refinement_open(struct darn_refinement *refinement, struct darn_sections *sections)
{
    refinement->sections = sections;
    refinement->hand = darn_need_memory(calloc(sections->count + 1, sizeof(*refinement->hand)));
    for (size_t i = 0; i < sections->count; i++)
        sections->list[i]->position = (uint32_t)i + FIRST_LINE;
}

void darn_refinement_close(struct darn_refinement *refinement)
{
    free(refinement->hand);
    refinement->hand = NULL;
}

/* Each section in one line: its number is that of its line. */
static void write_line(struct darn_json *json, const struct darn_section *section)
{
    darn_section_write(json, section);
    for (char *line = strchr(json->text.to, '\n') + 1; (line = strchr(line, '\n'));)
        *line = ' ';
}

int darn_refinement_write(const struct darn_refinement *refinement, FILE *to)
{
    const struct darn_sections *sections = refinement->sections;
    struct darn_json json;

    darn_json_start_growing(&json);
    darn_repository_open(&json);
    darn_json_open(&json, "sections", '[');
    for (size_t i = 0; i < sections->count; i++) {
        darn_json_flush(&json, to);
        if (sections->list[i]->why)
            darn_text_char(&json.text, '\n');
        else
            write_line(&json, sections->list[i]);
    }
    darn_json_break(&json, 0);
    darn_json_close(&json, ']');
    darn_json_close(&json, '}');
    darn_json_end_line(&json);
    darn_json_finish(&json, to);
    if (fflush(to) || ferror(to))
        return errno ? -errno : -EIO;
    return 0;
}

/* NULL when there is no such section, or it has gone. */
static struct darn_section *section_at(const struct darn_refinement *refinement, uint32_t line,
                                       size_t *number)
{
    if (line < FIRST_LINE || line - FIRST_LINE >= refinement->sections->count)
        return NULL;
    *number = line - FIRST_LINE;
    return refinement->sections->list[*number]->why ? NULL : refinement->sections->list[*number];
}

/* By its number among the ends; NULL when there is none. */
static struct darn_point *end_at(struct darn_section *section, uint32_t index)
{
    for (uint32_t i = 0; i < section->count; i++)
        if (section->points[i].role == DARN_ROLE_END && index-- == 0)
            return &section->points[i];
    return NULL;
}

/* Whether nothing can be violated any more. */
static bool allows_all(const struct darn_section *section)
{
    for (uint32_t i = 0; i < section->count; i++)
        if (section->points[i].role == DARN_ROLE_END && section->points[i].allow != DARN_ALLOW_ALL)
            return false;
    return true;
}

static void drop(struct darn_refinement *refinement, struct darn_section *section, uint64_t number)
{
    section->why = darn_pool_format(&refinement->sections->pool,
                                    "violated in a correct run (run %" PRIu64 ")", number);
}

struct applying {
    struct darn_refinement *refinement;
    bool correct;
    uint64_t number;
    darn_refinement_tell *tell;
    void *to;
    uint32_t changes;
};

static void tell(const struct applying *applying, enum darn_refinement_news news,
                 const struct darn_section *section, const struct darn_point *end)
{
    if (applying->tell)
        applying->tell(applying->to, news, section, end);
}

/* Which of its accesses a section over lines is violated at is its own business. */
static void apply_lines(struct applying *applying, struct darn_section *section, size_t number,
                        uint64_t violated)
{
    uint64_t *suspicion = &applying->refinement->hand[number];

    if (!violated)
        return;
    if (applying->correct) {
        drop(applying->refinement, section, applying->number);
        applying->changes++;
        tell(applying, DARN_REFINEMENT_DROPPED, section, NULL);
        return;
    }
    if (!*suspicion)
        tell(applying, DARN_REFINEMENT_SUSPECT, section, NULL);
    *suspicion += violated;
}

static void apply_end(struct applying *applying, struct darn_section *section,
                      struct darn_point *end, const struct darn_refinement_count *count)
{
    bool is_news = !end->violated;

    end->seen += count->seen;
    if (!count->violated || end->allow == DARN_ALLOW_ALL)
        return;
    end->violated += count->violated;
    if (!applying->correct) {
        if (is_news)
            tell(applying, DARN_REFINEMENT_SUSPECT, section, end);
        return;
    }
    end->allow = DARN_ALLOW_ALL;
    applying->changes++;
    if (!allows_all(section)) {
        tell(applying, DARN_REFINEMENT_ALLOWED, section, end);
        return;
    }
    drop(applying->refinement, section, applying->number);
    tell(applying, DARN_REFINEMENT_DROPPED, section, NULL);
}

uint32_t darn_refinement_apply(struct darn_refinement *refinement,
                               const struct darn_refinement_counts *counts, bool correct,
                               uint64_t number, darn_refinement_tell *tell, void *to)
{
    struct applying applying = {refinement, correct, number, tell, to, 0};
    size_t at = 0;

    for (size_t i = 0; i < counts->count; i++) {
        const struct darn_refinement_count *count = &counts->list[i];
        struct darn_section *section = section_at(refinement, count->line, &at);
        struct darn_point *end;

        if (section && darn_section_is_lines(section))
            apply_lines(&applying, section, at, count->violated);
        else if (section && (end = end_at(section, count->index)))
            apply_end(&applying, section, end, count);
    }
    return applying.changes;
}

/* Ends that nobody came to: everything is allowed there. True when the section has gone by it. */
static bool finish_section(struct darn_refinement *refinement, struct darn_section *section,
                           uint64_t runs)
{
    bool was_seen = false, changed = false;

    for (uint32_t i = 0; i < section->count; i++) {
        struct darn_point *end = &section->points[i];

        if (end->role != DARN_ROLE_END)
            continue;
        was_seen |= end->seen || end->violated;
        if (end->seen || end->violated || end->allow == DARN_ALLOW_ALL)
            continue;
        end->allow = DARN_ALLOW_ALL;
        changed = true;
    }
    if (!changed || !allows_all(section))
        return false;
    section->why = darn_pool_format(&refinement->sections->pool,
                                    was_seen ? "violated in correct runs where it was seen at all, "
                                               "in %" PRIu64 " runs"
                                             : "never seen in %" PRIu64 " runs",
                                    runs);
    return true;
}

uint32_t darn_refinement_finish(struct darn_refinement *refinement, uint64_t runs)
{
    uint32_t gone = 0;

    for (size_t i = 0; i < refinement->sections->count; i++) {
        struct darn_section *section = refinement->sections->list[i];

        if (!section->why && section->kind != DARN_SECTION_HAND &&
            !darn_section_is_of_accesses(section->kind) && !darn_section_is_lines(section))
            gone += finish_section(refinement, section, runs);
    }
    return gone;
}

uint64_t darn_refinement_suspicion(const struct darn_refinement *refinement, size_t section)
{
    const struct darn_section *it = refinement->sections->list[section];
    uint64_t violated = 0;

    if (it->why)
        return 0;
    if (darn_section_is_lines(it))
        return refinement->hand[section];
    for (uint32_t i = 0; i < it->count; i++)
        if (it->points[i].role == DARN_ROLE_END && it->points[i].allow != DARN_ALLOW_ALL)
            violated += it->points[i].violated;
    return violated;
}
