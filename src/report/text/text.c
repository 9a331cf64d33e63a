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
 *     pattern: ...    of an atomicity violation: what is wrong about the order of the accesses
 *     section: ...    and why they belong together
 *     why: ...        of what is predicted: what makes the engine think so
 *     proof: ...      of what is confirmed: how often it happened, and what the runs came to
 *     value: ...      variable: ...      the creation of the threads
 *     next: ...       what to do about it
 *     again: ...      how to see it again; `see it:` of what is predicted
 *     harmless: ...   how to allow it from now on, should it do no harm
 *     suppress: ...   how to see it no more
 *
 * What was predicted, and is observed later in the run, is told in short (say_met).
 */
#include <inttypes.h>
#include <string.h>

#include "report/advice.h"
#include "report/report_format.h"
#include "report/suppress.h"
#include "report/text/phrase.h"
#include "report/text/source.h"
#include "report/text/text_page.h"
#include "report/text/text_summary.h"
#include "report/violation.h"

static bool is_memory(const struct darn_finding_access *access)
{
    return access->op <= DARN_OP_FREE;
}

void darn_page_access(struct darn_page *page, const struct darn_finding_access *access)
{
    const struct darn_finding_access *first = &page->finding->accesses[0];

    darn_phrase_thread(&page->ink, page->finding, access->thread);
    darn_say(&page->ink, " ");
    if (!is_memory(access)) {
        darn_page_step(page, access);
        return;
    }
    darn_phrase_access(&page->ink, page->finding, access,
                       access != first && is_memory(first) ? first : NULL);
    darn_say(&page->ink, ", ");
    darn_phrase_locks(&page->ink, page->finding, access);
}

static void say_headline(struct darn_page *page)
{
    struct darn_ink *ink = &page->ink;

    darn_page_position(page, &page->finding->accesses[0]);
    darn_say_in(ink, DARN_TINT_WARNING, "warning: ");
    darn_tint(ink, DARN_TINT_BOLD);
    darn_page_title(page);
    darn_page_kind(page);
    darn_say(ink, "\n");
}

static void say_source(struct darn_page *page, const struct darn_finding_access *access)
{
    struct darn_frame place = darn_page_place(access);

    if (!page->finding->from_text_trace)
        darn_source_show(&page->ink, place.dir, place.file, place.line, place.column);
}

static void say_first(struct darn_page *page)
{
    const struct darn_finding_access *access = &page->finding->accesses[0];

    say_headline(page);
    say_source(page, access);
    darn_say(&page->ink, "  ");
    darn_page_access(page, access);
    darn_say(&page->ink, "\n");
    darn_page_stack(page, &access->stack);
}

/* The order of the three accesses of a violation is what is wrong about them. */
static const char *when(const struct darn_page *page, const struct darn_finding_access *access)
{
    const struct darn_finding *finding = page->finding;

    if (darn_finding_is(finding, "failure"))
        return is_memory(access) ? "the last seen of another: " : "";
    /* Of two or more variables, too, the first and the last are of one thread. */
    if (!darn_violation_is_whole(finding) &&
        !(darn_finding_is(finding, "atomicity-violation") && finding->access_count > 3))
        return "";
    return access == &finding->accesses[DARN_VIOLATION_REMOTE] ? "meanwhile " : "then ";
}

static void say_other(struct darn_page *page, const struct darn_finding_access *access)
{
    struct darn_ink *ink = &page->ink;

    darn_page_position(page, access);
    darn_say_in(ink, DARN_TINT_NOTE, "note: ");
    darn_say(ink, "%s", when(page, access));
    darn_page_access(page, access);
    darn_say(ink, "\n");
    say_source(page, access);
    darn_page_stack(page, &access->stack);
}

/* After the name of what is at the address. */
static void say_block(struct darn_page *page, const struct darn_location *location,
                      uint64_t address)
{
    struct darn_ink *ink = &page->ink;
    uint64_t at = address - location->address;

    if (address && at < location->size)
        darn_say(ink, " is at byte %" PRIu64 " of", at);
    else
        darn_say(ink, " is in");
    darn_say(ink, " a heap block");
    /* Without its allocation the size is what the allocator gave, not what was asked for. */
    if (location->thread || location->stack.count) {
        darn_say(ink, " of %" PRIu64 " bytes allocated by ", location->size);
        darn_phrase_thread(ink, page->finding, location->thread);
    }
    darn_say(ink, "%s\n", location->stack.count ? ":" : "");
    darn_page_stack(page, &location->stack);
}

static void say_heap(struct darn_page *page)
{
    darn_page_label(page, "variable:");
    darn_phrase_variable(&page->ink, page->finding);
    say_block(page, &page->finding->location, page->finding->address);
}

/* Of a race only where that tells two locks apart. */
static bool is_worth_locating(const struct darn_finding *finding, const struct darn_lock *lock)
{
    return !lock->symbol.name && (finding->accesses[0].op > DARN_OP_FREE ||
                                  darn_phrase_lock_number(finding, lock));
}

static void say_lock_place(struct darn_page *page, const struct darn_lock *lock)
{
    const struct darn_finding *finding = page->finding;

    for (size_t i = 0; i < finding->block_count; i++) {
        const struct darn_location *block = &finding->blocks[i];

        if (lock->address < block->address || lock->address - block->address >= block->size)
            continue;
        darn_page_label(page, "lock:");
        darn_phrase_lock(&page->ink, finding, lock);
        say_block(page, block, lock->address);
        return;
    }
}

/* In which heap blocks the locks are, each once. */
static void say_lock_places(struct darn_page *page)
{
    const struct darn_lock *locks[DARN_PHRASE_LOCKS];
    size_t count = darn_phrase_all_locks(page->finding, locks);

    for (size_t i = 0; i < count; i++) {
        bool is_new = is_worth_locating(page->finding, locks[i]);

        for (size_t j = 0; j < i; j++)
            is_new &= locks[j]->address != locks[i]->address;
        if (is_new)
            say_lock_place(page, locks[i]);
    }
}

static void say_global(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;
    const struct darn_symbol *symbol = &finding->location.symbol;
    struct darn_ink *ink = &page->ink;

    darn_page_label(page, "variable:");
    darn_phrase_variable(ink, finding);
    if (!symbol->name)
        darn_say(ink, ", in the data of %s+0x%" PRIx64,
                 symbol->module ? darn_style_path(page->style, symbol->module) : "a module",
                 symbol->offset);
    else if (symbol->name[0] == '*')
        darn_say(ink, " is in the block that '%s' points to, which the optimizer made a variable",
                 symbol->name + 1);
    else if (finding->variable && strcmp(finding->variable, symbol->name) == 0)
        darn_say(ink, " is a global variable");
    else
        darn_say(ink, " is at byte %" PRIu64 " of the global variable '%s'", symbol->name_offset,
                 symbol->name);
    if (symbol->file && symbol->line) {
        darn_say(ink, ", declared at ");
        darn_phrase_position(ink, page->style, symbol->file, symbol->line, 0);
    }
    darn_say(ink, "\n");
}

static void say_place(struct darn_page *page)
{
    switch (page->finding->location.kind) {
    case DARN_LOCATION_HEAP:
        say_heap(page);
        break;
    case DARN_LOCATION_GLOBAL:
        say_global(page);
        break;
    case DARN_LOCATION_STACK:
        darn_page_label(page, "variable:");
        darn_phrase_variable(&page->ink, page->finding);
        darn_say(&page->ink, " is on the stack of ");
        darn_phrase_thread(&page->ink, page->finding, page->finding->location.thread);
        darn_say(&page->ink, "\n");
        break;
    case DARN_LOCATION_UNKNOWN:
        break;
    }
}

static void say_creation(struct darn_page *page, const struct darn_finding_party *thread)
{
    struct darn_ink *ink = &page->ink;

    if (!thread->thread || (!thread->parent && !thread->stack.count))
        return;
    darn_say(ink, "  ");
    darn_phrase_thread(ink, page->finding, thread->thread);
    darn_say(ink, " was created by ");
    darn_phrase_thread(ink, page->finding, thread->parent);
    darn_say(ink, "%s\n", thread->stack.count ? ":" : "");
    darn_page_stack(page, &thread->stack);
}

static void say_next(struct darn_page *page)
{
    const char *again = darn_advice_again(page->finding, &page->pool);
    const char *allowance = darn_violation_allowance(page->finding, page->style, &page->pool);
    const char *suppression = darn_suppression_for(page->finding, &page->pool);

    darn_page_label(page, "next:");
    darn_advice(&page->ink, page->finding, page->style);
    darn_say(&page->ink, "\n");
    if (again) {
        darn_page_label(page, darn_finding_is_predicted(page->finding) ? "see it:" : "again:");
        darn_say(&page->ink, "%s\n", again);
    }
    if (allowance) {
        darn_page_label(page, "harmless:");
        darn_say(&page->ink, "%s\n", allowance);
    }
    if (suppression) {
        darn_page_label(page, "suppress:");
        darn_say(&page->ink, "%s\n", suppression);
    }
}

/* A race that was reported as predicted is now caught in the act: all but that was said then. */
static void say_met(struct darn_page *page)
{
    say_headline(page);
    darn_say(&page->ink, "  ");
    darn_page_access(page, &page->finding->accesses[0]);
    darn_say(&page->ink, "\n");
    for (size_t i = 1; i < page->finding->access_count; i++) {
        const struct darn_finding_access *access = &page->finding->accesses[i];

        darn_page_position(page, access);
        darn_say_in(&page->ink, DARN_TINT_NOTE, "note: ");
        darn_say(&page->ink, "at the same time ");
        darn_page_access(page, access);
        darn_say(&page->ink, "\n");
    }
    darn_page_values(page);
}

static void say_whole(struct darn_page *page)
{
    const struct darn_finding *finding = page->finding;

    say_first(page);
    for (size_t i = 1; i < finding->access_count; i++)
        say_other(page, &finding->accesses[i]);
    darn_page_violation(page);
    darn_page_why(page);
    darn_page_proof(page);
    darn_page_values(page);
    say_place(page);
    say_lock_places(page);
    for (size_t i = 0; i < finding->thread_count; i++)
        say_creation(page, &finding->threads[i]);
    say_next(page);
}

static void print_finding(FILE *out, const struct darn_finding *finding,
                          const struct darn_style *style)
{
    struct darn_page page = {
        .ink = {out, style->color},
        .finding = finding,
        .style = style,
    };

    if (finding->was_predicted)
        say_met(&page);
    else
        say_whole(&page);
    darn_pool_release(&page.pool);
}

const struct darn_format darn_format_text = {
    .name = "text",
    .finding = print_finding,
    .summary = darn_text_summary,
};
