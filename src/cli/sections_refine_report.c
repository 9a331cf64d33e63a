/*
 * What darn sections refine says, meanwhile and in the end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/section/sections_refine.h"
#include "section/resolve.h"

void darn_refine_clear_progress(struct darn_refine *refine)
{
    if (refine->progress)
        fputs("\r\033[K", stderr);
    refine->progress = false;
}

void darn_refine_progress(void *to)
{
    struct darn_refine *refine = to;

    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr,
            "\r\033[Kdarn sections refine: %" PRIu64 " runs, %" PRIu64 " failed; %" PRIu64
            " of %" PRIu64 " without a change; %zu of %zu sections left",
            refine->made, refine->failed, refine->sections.refinement.quiet, refine->line->runs,
            darn_refine_left(refine), refine->sections.count);
    fflush(stderr);
    refine->progress = true;
}

/* bank.c:12: 'balance' in deposit (load-and-store) */
static void name_section(FILE *out, const struct darn_section *section)
{
    if (darn_section_is_lines(section)) {
        fprintf(out, "%s:%" PRIu32 "-%" PRIu32 ": '%s' (by-hand)", section->file, section->first,
                section->last, section->variable);
        return;
    }
    fprintf(out, "%s:%" PRIu32 ": '%s' in %s (%s)", section->file,
            section->count ? section->points[0].at : 0, section->variable, section->function,
            darn_section_kind_name(section->kind));
}

void darn_refine_tell(void *to, enum darn_refinement_news news, const struct darn_section *section,
                      const struct darn_point *end)
{
    static const char *const words[] = {
        [DARN_REFINEMENT_ALLOWED] = "; everything is allowed there",
        [DARN_REFINEMENT_DROPPED] = "; it goes",
        [DARN_REFINEMENT_SUSPECT] = "",
    };
    struct darn_refine *refine = to;

    darn_refine_clear_progress(refine);
    fprintf(stderr, "darn sections refine: run %" PRIu64, refine->number);
    if (refine->failure)
        fprintf(stderr, " failed (%s)", refine->failure);
    fputs(": violated: ", stderr);
    name_section(stderr, section);
    if (end)
        fprintf(stderr, " at line %" PRIu32, end->at);
    fprintf(stderr, "%s\n", words[news]);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* First of all what was violated in failing runs only. */
static void say_suspects(const struct darn_refine *refine, FILE *out)
{
    bool is_first = true;

    for (size_t i = 0; i < refine->sections.count; i++) {
        uint64_t often = darn_refinement_suspicion(&refine->refinement, i);

        if (!often)
            continue;
        if (is_first)
            fputs("violated only in failing runs:\n", out);
        is_first = false;
        fputs("  ", out);
        name_section(out, refine->sections.list[i]);
        fprintf(out, ", %" PRIu64 " time%s\n", often, plural(often));
    }
}

static void say_left(const struct darn_refine *refine, FILE *out)
{
    size_t of_kind[DARN_SECTION_KINDS] = {0}, left = darn_refine_left(refine);
    const char *between = ": ";

    for (size_t i = 0; i < refine->sections.count; i++)
        if (!refine->sections.list[i]->why)
            of_kind[refine->sections.list[i]->kind]++;
    fprintf(out, "%zu of %zu section%s left", left, refine->sections.count,
            refine->sections.count == 1 ? " is" : "s are");
    for (uint8_t kind = 0; kind < DARN_SECTION_KINDS; kind++) {
        if (!of_kind[kind])
            continue;
        fprintf(out, "%s%zu %s", between, of_kind[kind], darn_section_kind_name(kind));
        between = ", ";
    }
    fputc('\n', out);
}

/* How much of the reason counts when they are counted: not the number of the run. */
static size_t reason_length(const char *why)
{
    return strcspn(why, "(");
}

static bool is_same_reason(const char *a, const char *b)
{
    size_t length = reason_length(a);

    return length == reason_length(b) && strncmp(a, b, length) == 0;
}

/* Whether an earlier section has gone for the same reason. */
static bool is_counted(const struct darn_sections *sections, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (sections->list[i]->why &&
            is_same_reason(sections->list[i]->why, sections->list[number]->why))
            return true;
    return false;
}

static void say_reasons(const struct darn_sections *sections, FILE *out)
{
    for (size_t i = 0; i < sections->count; i++) {
        const char *why = sections->list[i]->why;
        size_t count = 0;
        int length;

        if (!why || is_counted(sections, i))
            continue;
        for (size_t j = i; j < sections->count; j++)
            count += sections->list[j]->why && is_same_reason(sections->list[j]->why, why);
        length = (int)reason_length(why);
        while (length && why[length - 1] == ' ')
            length--;
        fprintf(out, "  %zu went: %.*s\n", count, length, why);
    }
}

static void say_each(const struct darn_sections *sections, FILE *out)
{
    for (size_t i = 0; i < sections->count; i++) {
        if (!sections->list[i]->why)
            continue;
        fputs("  ", out);
        name_section(out, sections->list[i]);
        fprintf(out, ": %s\n", sections->list[i]->why);
    }
}

static void say_end(const struct darn_refine *refine, FILE *out)
{
    uint64_t quiet = refine->sections.refinement.quiet;

    fprintf(out, "%" PRIu64 " run%s", refine->sections.refinement.runs,
            plural(refine->sections.refinement.runs));
    if (refine->failed)
        fprintf(out, ", %" PRIu64 " failed", refine->failed);
    if (refine->unclear)
        fprintf(out, ", %" PRIu64 " without an answer of the oracle or without counts",
                refine->unclear);
    fprintf(out, "; the last %" PRIu64 " correct one%s changed nothing\n", quiet, plural(quiet));
    if (quiet >= refine->line->runs || !darn_refine_left(refine))
        return;
    if (atomic_load(&refine->runs.signal))
        fputs("interrupted: the same command goes on from here\n", out);
    else
        fprintf(out, "not at its end: too few runs are correct; what was never seen is kept\n");
}

void darn_refine_summary(const struct darn_refine *refine, FILE *out)
{
    say_suspects(refine, out);
    say_left(refine, out);
    if (refine->line->verbose)
        say_each(&refine->sections, out);
    else
        say_reasons(&refine->sections, out);
    say_end(refine, out);
}
