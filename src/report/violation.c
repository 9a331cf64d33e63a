#include "report/violation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/phrase.h"

struct story {
    struct darn_ink ink;
    const struct darn_finding *finding;
    const struct darn_style *style;
    const struct darn_access *entry, *remote, *end;
};

bool darn_violation_is_whole(const struct darn_finding *finding)
{
    if (!darn_finding_is(finding, "atomicity-violation") ||
        finding->access_count != DARN_VIOLATION_ACCESSES)
        return false;
    for (size_t i = 0; i < DARN_VIOLATION_ACCESSES; i++)
        if (finding->accesses[i].op > DARN_OP_FREE)
            return false;
    return true;
}

static bool is_text(const char *text, const char *other)
{
    return text && strcmp(text, other) == 0;
}

static bool is_same_file(const struct darn_access *one, const struct darn_access *other)
{
    return one->file && other->file && strcmp(one->file, other->file) == 0;
}

void darn_violation_place(struct darn_ink *ink, const struct darn_finding *finding,
                          const struct darn_style *style, const struct darn_access *access)
{
    const struct darn_access *entry = &finding->accesses[DARN_VIOLATION_ENTRY];

    if (!access->file || !access->line) {
        darn_say(ink, access == entry ? " at first" : " later");
    } else if (access == entry) {
        darn_say(ink, " at line %u", access->line);
    } else if (!is_same_file(access, entry)) {
        darn_say(ink, " at ");
        darn_phrase_position(ink, style, access->file, access->line, 0);
    } else if (access->line == entry->line) {
        darn_say(ink, " in the same line");
    } else {
        darn_say(ink, " at line %u", access->line);
    }
}

static void say_place(struct story *story, const struct darn_access *access)
{
    darn_violation_place(&story->ink, story->finding, story->style, access);
}

static void say_variable(struct story *story)
{
    darn_phrase_variable(&story->ink, story->finding);
}

static const char *remote_name(const struct story *story)
{
    return story->remote->thread ? story->remote->thread : "another thread";
}

static bool reads_only(const struct darn_access *access)
{
    return access->op == DARN_OP_READ;
}

/* What was written meanwhile may be what was there before. */
static bool is_unchanged(const struct story *story)
{
    const struct darn_finding *finding = story->finding;

    return finding->before.known && finding->after.known &&
           finding->before.bits == finding->after.bits;
}

/* Nothing is wrong with the values, or nothing is known about such an order: the order itself. */
static void tell_order(struct story *story)
{
    static const char *const verbs[] = {
        [DARN_OP_READ] = "read",
        [DARN_OP_WRITE] = "wrote",
        [DARN_OP_UPDATE] = "updated",
        [DARN_OP_FREE] = "freed the block that holds",
    };
    struct darn_ink *ink = &story->ink;

    darn_say(ink, "%s %s ", remote_name(story), verbs[story->remote->op]);
    say_variable(story);
    darn_say(ink, " between two accesses that belong together,");
    say_place(story, story->entry);
    darn_say(ink, " and");
    say_place(story, story->end);
}

/* Read, changed, written: what was made of the old value is written over the new one. */
static void tell_stale(struct story *story)
{
    struct darn_ink *ink = &story->ink;

    darn_say(ink, "the value of ");
    say_variable(story);
    darn_say(ink, " that was read");
    say_place(story, story->entry);
    darn_say(ink, " was stale when it was written back");
    say_place(story, story->end);
    if (story->remote->size == story->end->size)
        darn_say(ink, ": what %s wrote is lost", remote_name(story));
}

static void tell_tested(struct story *story)
{
    struct darn_ink *ink = &story->ink;

    darn_say(ink, "what was tested");
    say_place(story, story->entry);
    darn_say(ink, " had changed when it was used");
    say_place(story, story->end);
}

static void tell_overwritten(struct story *story)
{
    struct darn_ink *ink = &story->ink;

    say_variable(story);
    darn_say(ink, " was read");
    say_place(story, story->entry);
    darn_say(ink, ", and had changed when it was written");
    say_place(story, story->end);
}

static void tell_two_reads(struct story *story)
{
    struct darn_ink *ink = &story->ink;

    darn_say(ink, "two reads of ");
    say_variable(story);
    darn_say(ink, " that belong together,");
    say_place(story, story->entry);
    darn_say(ink, " and");
    say_place(story, story->end);
    darn_say(ink, ", saw different values");
}

static void tell_foreign(struct story *story)
{
    struct darn_ink *ink = &story->ink;

    say_variable(story);
    darn_say(ink, " was written");
    say_place(story, story->entry);
    darn_say(ink, ", and what was read");
    say_place(story, story->end);
    darn_say(ink, " is the value of %s", remote_name(story));
}

static void tell_intermediate(struct story *story)
{
    struct darn_ink *ink = &story->ink;

    darn_say(ink, "%s saw an intermediate value of ", remote_name(story));
    say_variable(story);
    darn_say(ink, ", which was written");
    say_place(story, story->entry);
    darn_say(ink, " and again");
    say_place(story, story->end);
}

/* As darn_section_allows: what reads and writes at once begins like a write and ends like a read.
 */
static void tell(struct story *story)
{
    const char *kind = story->finding->section.kind;
    bool read_first = reads_only(story->entry);
    bool written_last = story->end->op == DARN_OP_WRITE;
    bool changed = !reads_only(story->remote) && story->remote->op != DARN_OP_FREE;

    if (changed && read_first && is_unchanged(story))
        tell_order(story);
    else if (changed && read_first && is_text(kind, "test-and-use"))
        tell_tested(story);
    else if (changed && read_first && written_last && is_text(kind, "load-and-store"))
        tell_stale(story);
    else if (changed && read_first && written_last)
        tell_overwritten(story);
    else if (changed && read_first && story->finding->before.known && story->finding->after.known)
        tell_two_reads(story);
    else if (changed && !read_first && !written_last)
        tell_foreign(story);
    else if (reads_only(story->remote) && !read_first && written_last)
        tell_intermediate(story);
    else
        tell_order(story);
}

const char *darn_violation_pattern(const struct darn_finding *finding,
                                   const struct darn_style *style, struct darn_pool *pool)
{
    struct story story = {
        .finding = finding,
        .style = style,
        .entry = &finding->accesses[DARN_VIOLATION_ENTRY],
    };
    const char *pattern = NULL;
    char *text = NULL;
    size_t length;

    if (!darn_violation_is_whole(finding))
        return NULL;
    story.remote = &finding->accesses[DARN_VIOLATION_REMOTE];
    story.end = &finding->accesses[DARN_VIOLATION_END];
    story.ink.out = open_memstream(&text, &length);
    if (!story.ink.out)
        return NULL;
    tell(&story);
    if (fclose(story.ink.out) == 0)
        pattern = darn_pool_text(pool, text);
    free(text);
    return pattern;
}

/* How a kind of section is called, and who found it; a section of the source has no file. */
static const struct {
    const char *kind, *words, *from_file, *from_source;
} origins[] = {
    {"load-and-store", "load-and-store", "inferred by the compiler", "inferred by the compiler"},
    {"test-and-use", "test-and-use", "inferred by the compiler", "inferred by the compiler"},
    {"pair", "pair of accesses", "inferred by the compiler", "inferred by the compiler"},
    {"learned", "pair of accesses", "learned from runs", "learned from runs"},
    {"by-hand", "accesses", "written by hand", "annotated in the source (darn.h)"},
};

const char *darn_violation_section(const struct darn_finding *finding,
                                   const struct darn_style *style, struct darn_pool *pool)
{
    const struct darn_violated *section = &finding->section;
    const char *words = section->kind ? section->kind : "accesses";
    const char *who = NULL, *at = section->at;

    if (!section->kind && !section->function && !at)
        return NULL;
    for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++) {
        if (is_text(section->kind, origins[i].kind)) {
            words = origins[i].words;
            who = at ? origins[i].from_file : origins[i].from_source;
        }
    }
    return darn_pool_format(pool, "%s%s%s%s%s%s%s", words, section->function ? " in " : "",
                            section->function ? section->function : "", at ? ", from " : "",
                            at ? darn_style_path(style, at) : "", who ? "; " : "", who ? who : "");
}

const char *darn_violation_allowance(const struct darn_finding *finding,
                                     const struct darn_style *style, struct darn_pool *pool)
{
    const struct darn_violated *section = &finding->section;
    const char *allow = section->allow ? section->allow : "none";
    enum darn_op op;
    bool read, write;

    if (!darn_violation_is_whole(finding) || !section->at)
        return NULL;
    op = finding->accesses[DARN_VIOLATION_REMOTE].op;
    if (op == DARN_OP_FREE)
        return NULL;
    read = op != DARN_OP_WRITE || strstr(allow, "read");
    write = op != DARN_OP_READ || strstr(allow, "write");
    return darn_pool_format(pool, "allow=%s at %s",
                            read && write ? "read,write"
                            : read        ? "read"
                                          : "write",
                            darn_style_path(style, section->at));
}

const char *darn_violation_repository(const struct darn_finding *finding, struct darn_pool *pool)
{
    const char *at = finding->section.at;
    const char *colon = at ? strrchr(at, ':') : NULL;

    return colon ? darn_pool_part(pool, at, (size_t)(colon - at)) : at;
}
