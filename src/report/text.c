/*
 * The text form: a compiler's diagnostic for each finding.
 *
 *   bank.c:12:19: warning: data race on 'acct->balance' [data-race]
 *      12 |     acct->balance += amount;
 *         |                   ^
 *     thread T1 'teller' writes 8 bytes, holding no lock
 *       #0 deposit  bank.c:12:19
 *       #1 teller   bank.c:31:9
 *   bank.c:20:22: note: thread T2 'audit' reads the same 8 bytes, holding mutex 'audit_lock'
 *   ...
 *     value: ...      variable: ...      the creation of the threads
 *     next: ...       what to do about it
 *     again: ...      how to see it again
 *     suppress: ...   how to see it no more
 */
#include <inttypes.h>
#include <string.h>

#include "report/advice.h"
#include "report/format.h"
#include "report/kinds.h"
#include "report/phrase.h"
#include "report/source.h"
#include "report/suppress.h"
#include "report/text_summary.h"

#define MOST_FRAMES   32 /* of a stack: recursion has more, and they are all the same */
#define WIDEST_COLUMN 40

struct report {
    struct darn_ink ink;
    const struct darn_finding *finding;
    const struct darn_style *style;
    struct darn_pool pool; /* for what is composed on the way */
};

static void label(struct report *report, const char *name)
{
    darn_say(&report->ink, "  ");
    darn_say_in(&report->ink, DARN_TINT_LABEL, name);
    darn_say(&report->ink, " ");
}

/* `bank.c:12:19: `, or the program when the place is not known. */
static void position(struct report *report, const struct darn_access *access)
{
    const char *program = report->finding->program;

    darn_tint(&report->ink, DARN_TINT_BOLD);
    if (!darn_phrase_position(&report->ink, report->style, access->file, access->line,
                              access->column))
        darn_say(&report->ink, "%s",
                 program ? darn_style_path(report->style, program) : "unknown place");
    darn_say(&report->ink, ": ");
}

static const char *name_of(const struct darn_frame *frame)
{
    return frame->function ? frame->function : "??";
}

/* How wide the functions of a stack are, so that their positions stand below each other. */
static int widest(const struct darn_stack *stack)
{
    size_t width = 0;

    for (size_t i = 0; i < stack->count && i < MOST_FRAMES; i++) {
        size_t length = strlen(name_of(&stack->frames[i]));

        if (length > width && length <= WIDEST_COLUMN)
            width = length;
    }
    return (int)width;
}

static void say_frame(struct report *report, size_t number, int width,
                      const struct darn_frame *frame)
{
    struct darn_ink *ink = &report->ink;

    darn_say(ink, "    #%zu %-*s  ", number, width, name_of(frame));
    if (!darn_phrase_position(ink, report->style, frame->file, frame->line, frame->column)) {
        if (frame->module)
            darn_say(ink, "(%s+0x%" PRIx64 ")", darn_style_path(report->style, frame->module),
                     frame->offset);
        else
            darn_say(ink, "(0x%" PRIx64 ")", frame->pc);
    }
    darn_say(ink, "\n");
}

static void say_stack(struct report *report, const struct darn_stack *stack)
{
    int width = widest(stack);

    for (size_t i = 0; i < stack->count && i < MOST_FRAMES; i++)
        say_frame(report, i, width, &stack->frames[i]);
    if (stack->count > MOST_FRAMES)
        darn_say(&report->ink, "    ... and %zu more\n", stack->count - MOST_FRAMES);
}

static void say_access(struct report *report, const struct darn_access *access,
                       const struct darn_access *first)
{
    darn_phrase_thread(&report->ink, report->finding, access->thread);
    darn_say(&report->ink, " ");
    darn_phrase_access(&report->ink, report->finding, access, first);
    darn_say(&report->ink, ", ");
    darn_phrase_locks(&report->ink, report->finding, access);
}

static bool has_free(const struct darn_finding *finding)
{
    for (size_t i = 0; i < finding->access_count; i++)
        if (finding->accesses[i].op == DARN_OP_FREE)
            return true;
    return false;
}

/* What is special about this race, where it is seen at first sight. */
static void say_circumstance(struct report *report)
{
    const struct darn_finding *finding = report->finding;

    if (finding->assertion)
        darn_say(&report->ink, ": an assertion of %s does not hold",
                 strcmp(finding->assertion, "exclusive-writer") == 0 ? "an exclusive writer"
                                                                     : "exclusive access");
    else if (finding->unknown_origin)
        darn_say(&report->ink, ", with a writer that was not seen");
    else if (has_free(finding))
        darn_say(&report->ink, ", which is being freed");
}

static void say_headline(struct report *report)
{
    const struct darn_finding *finding = report->finding;
    struct darn_ink *ink = &report->ink;
    bool predicted = finding->certainty && strcmp(finding->certainty, "predicted") == 0;

    position(report, &finding->accesses[0]);
    darn_say_in(ink, DARN_TINT_WARNING, "warning: ");
    darn_tint(ink, DARN_TINT_BOLD);
    darn_say(ink, "%s%s on ", predicted ? "possible " : "", darn_kind_words(finding->kind, 1));
    darn_phrase_variable(ink, finding);
    say_circumstance(report);
    darn_say_in(ink, DARN_TINT_WARNING, darn_pool_format(&report->pool, " [%s]", finding->kind));
    darn_say(ink, "\n");
}

static void say_first(struct report *report)
{
    const struct darn_access *access = &report->finding->accesses[0];

    say_headline(report);
    darn_source_show(&report->ink, access->dir, access->file, access->line, access->column);
    darn_say(&report->ink, "  ");
    say_access(report, access, NULL);
    darn_say(&report->ink, "\n");
    say_stack(report, &access->stack);
}

static void say_other(struct report *report, const struct darn_access *access)
{
    struct darn_ink *ink = &report->ink;

    position(report, access);
    darn_say_in(ink, DARN_TINT_NOTE, "note: ");
    say_access(report, access, &report->finding->accesses[0]);
    darn_say(ink, "\n");
    darn_source_show(ink, access->dir, access->file, access->line, access->column);
    say_stack(report, &access->stack);
}

static void say_value(struct report *report, struct darn_value value)
{
    darn_phrase_value(&report->ink, value.bits, report->finding->size);
}

/* "100 became 110 while T1 stood before its write of 120" */
static void say_change(struct report *report)
{
    const struct darn_finding *finding = report->finding;
    const struct darn_access *first = &finding->accesses[0];
    struct darn_ink *ink = &report->ink;

    label(report, "value:");
    say_value(report, finding->before);
    darn_say(ink, " became ");
    say_value(report, finding->after);
    darn_say(ink, " while %s stood before its %s", darn_phrase_short(first->thread),
             first->assertion ? "assertion" : darn_op_name(first->op));
    if (first->value.known) {
        darn_say(ink, " of ");
        say_value(report, first->value);
    }
    if (finding->unknown_origin)
        darn_say(ink, ", and no instrumented code was seen writing it: the writer was probably not "
                      "compiled by darn");
    darn_say(ink, "\n");
}

/* "both threads write the same value, 110 (it was 100 before, and 130 after)" */
static void say_same(struct report *report)
{
    const struct darn_finding *finding = report->finding;
    struct darn_value written = {false, 0};
    struct darn_ink *ink = &report->ink;

    for (size_t i = 0; i < finding->access_count && !written.known; i++)
        written = finding->accesses[i].value;
    label(report, "value:");
    darn_say(ink, "both threads write the same value");
    if (written.known) {
        darn_say(ink, ", ");
        say_value(report, written);
    }
    if (finding->before.known) {
        darn_say(ink, " (it was ");
        say_value(report, finding->before);
        darn_say(ink, " before");
        if (finding->after.known && finding->after.bits != finding->before.bits &&
            finding->after.bits != written.bits) {
            darn_say(ink, ", and ");
            say_value(report, finding->after);
            darn_say(ink, " after");
        }
        darn_say(ink, ")");
    }
    darn_say(ink, "\n");
}

/* "100; T1 is about to write 110, T2 120" */
static void say_intentions(struct report *report)
{
    const struct darn_finding *finding = report->finding;
    struct darn_ink *ink = &report->ink;
    const char *between = "";

    label(report, "value:");
    if (finding->before.known) {
        say_value(report, finding->before);
        between = "; ";
    }
    for (size_t i = 0; i < finding->access_count; i++) {
        const struct darn_access *access = &finding->accesses[i];

        if (!access->value.known)
            continue;
        darn_say(ink, "%s%s is about to write ", between, darn_phrase_short(access->thread));
        say_value(report, access->value);
        between = ", ";
    }
    darn_say(ink, "\n");
}

static void say_values(struct report *report)
{
    const struct darn_finding *finding = report->finding;
    bool intended = false;

    for (size_t i = 0; i < finding->access_count; i++)
        intended |= finding->accesses[i].value.known;
    if (finding->same_value)
        say_same(report);
    else if (finding->before.known && finding->after.known &&
             finding->before.bits != finding->after.bits)
        say_change(report);
    else if (intended)
        say_intentions(report);
}

static void say_heap(struct report *report)
{
    const struct darn_place *place = &report->finding->place;
    struct darn_ink *ink = &report->ink;
    uint64_t at = report->finding->address - place->address;

    label(report, "variable:");
    darn_phrase_variable(ink, report->finding);
    if (report->finding->address && at < place->size)
        darn_say(ink, " is at byte %" PRIu64 " of", at);
    else
        darn_say(ink, " is in");
    darn_say(ink, " a heap block of %" PRIu64 " bytes", place->size);
    if (place->thread || place->stack.count) {
        darn_say(ink, " allocated by ");
        darn_phrase_thread(ink, report->finding, place->thread);
    }
    darn_say(ink, "%s\n", place->stack.count ? ":" : "");
    say_stack(report, &place->stack);
}

static void say_global(struct report *report)
{
    const struct darn_finding *finding = report->finding;
    const struct darn_symbol *symbol = &finding->place.symbol;
    struct darn_ink *ink = &report->ink;

    label(report, "variable:");
    darn_phrase_variable(ink, finding);
    if (!symbol->name)
        darn_say(ink, ", in the data of %s+0x%" PRIx64,
                 symbol->module ? darn_style_path(report->style, symbol->module) : "a module",
                 symbol->offset);
    else if (finding->variable && strcmp(finding->variable, symbol->name) == 0)
        darn_say(ink, " is a global variable");
    else
        darn_say(ink, " is at byte %" PRIu64 " of the global variable '%s'", symbol->name_offset,
                 symbol->name);
    if (symbol->file && symbol->line) {
        darn_say(ink, ", declared at ");
        darn_phrase_position(ink, report->style, symbol->file, symbol->line, 0);
    }
    darn_say(ink, "\n");
}

static void say_place(struct report *report)
{
    switch (report->finding->place.kind) {
    case DARN_PLACE_HEAP:
        say_heap(report);
        break;
    case DARN_PLACE_GLOBAL:
        say_global(report);
        break;
    case DARN_PLACE_STACK:
        label(report, "variable:");
        darn_phrase_variable(&report->ink, report->finding);
        darn_say(&report->ink, " is on the stack of ");
        darn_phrase_thread(&report->ink, report->finding, report->finding->place.thread);
        darn_say(&report->ink, "\n");
        break;
    case DARN_PLACE_UNKNOWN:
        break;
    }
}

static void say_creation(struct report *report, const struct darn_thread *thread)
{
    struct darn_ink *ink = &report->ink;

    if (!thread->thread || (!thread->parent && !thread->stack.count))
        return;
    darn_say(ink, "  ");
    darn_phrase_thread(ink, report->finding, thread->thread);
    darn_say(ink, " was created by ");
    darn_phrase_thread(ink, report->finding, thread->parent);
    darn_say(ink, "%s\n", thread->stack.count ? ":" : "");
    say_stack(report, &thread->stack);
}

static void say_next(struct report *report)
{
    const char *again = darn_advice_again(report->finding, &report->pool);
    const char *suppression = darn_suppression_for(report->finding, &report->pool);

    label(report, "next:");
    darn_advice(&report->ink, report->finding, report->style);
    darn_say(&report->ink, "\n");
    if (again) {
        label(report, "again:");
        darn_say(&report->ink, "%s\n", again);
    }
    if (suppression) {
        label(report, "suppress:");
        darn_say(&report->ink, "%s\n", suppression);
    }
}

static void print_finding(FILE *out, const struct darn_finding *finding,
                          const struct darn_style *style)
{
    struct report report = {
        .ink = {out, style->color},
        .finding = finding,
        .style = style,
    };

    say_first(&report);
    for (size_t i = 1; i < finding->access_count; i++)
        say_other(&report, &finding->accesses[i]);
    say_values(&report);
    say_place(&report);
    for (size_t i = 0; i < finding->thread_count; i++)
        say_creation(&report, &finding->threads[i]);
    say_next(&report);
    darn_pool_free(&report.pool);
}

const struct darn_format darn_format_text = {
    .name = "text",
    .finding = print_finding,
    .summary = darn_text_summary,
};
