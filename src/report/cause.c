#include "report/cause.h"

#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/grow.h"
#include "report/text/ink.h"
#include "report/text/phrase.h"

#define LISTED      5 /* variants in a report */
#define MOST_PLACES 4 /* of one in a line */

static bool is_same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static bool is_same_variable(const struct darn_finding *a, const struct darn_finding *b)
{
    if (!is_same_text(a->variable, b->variable))
        return false;
    if (darn_fingerprint_is_telling(a->variable))
        return true;
    if (a->location.symbol.module && b->location.symbol.module)
        return a->location.symbol.offset == b->location.symbol.offset &&
               is_same_text(a->location.symbol.module, b->location.symbol.module);
    return !a->address || !b->address || a->address == b->address;
}

static bool has_same_functions(const struct darn_finding *a, const struct darn_finding *b)
{
    const struct darn_finding_access *one = a->accesses, *other = b->accesses;

    if (a->access_count != 2 || b->access_count != 2)
        return false;
    return (is_same_text(one[0].function, other[0].function) &&
            is_same_text(one[1].function, other[1].function)) ||
           (is_same_text(one[0].function, other[1].function) &&
            is_same_text(one[1].function, other[0].function));
}

/* Who uses a struct without a lock races at each of its members: the same block of the heap, or the
 * same global variable, in the same two functions. */
static bool is_same_object(const struct darn_finding *a, const struct darn_finding *b)
{
    const struct darn_location *one = &a->location, *other = &b->location;

    if (one->kind != other->kind || !has_same_functions(a, b))
        return false;
    if (one->kind == DARN_LOCATION_HEAP)
        return one->address && one->address == other->address;
    return one->kind == DARN_LOCATION_GLOBAL &&
           is_same_text(one->symbol.name, other->symbol.name) &&
           is_same_text(one->symbol.module, other->symbol.module) &&
           one->symbol.offset - one->symbol.name_offset ==
               other->symbol.offset - other->symbol.name_offset;
}

static bool has_frame(const struct darn_finding_stack *stack, const char *function)
{
    for (size_t i = 0; i < stack->count; i++)
        if (is_same_text(stack->frames[i].function, function))
            return true;
    return false;
}

static bool is_inside(const struct darn_finding_access *access, const char *function)
{
    return is_same_text(access->function, function) || has_frame(&access->stack, function);
}

/* A thread makes a block and lets another one reach it by a pointer, without order: then both the
 * pointer and what the block holds are raced for. */
static bool is_published_by(const struct darn_finding *block, const struct darn_finding *pointer)
{
    const char *maker = block->location.thread;

    if (block->location.kind != DARN_LOCATION_HEAP || block->access_count != 2 ||
        pointer->access_count != 2)
        return false;
    for (int i = 0; i < 2; i++) {
        const struct darn_finding_access *write = &pointer->accesses[i];
        const struct darn_finding_access *read = &pointer->accesses[!i];

        for (int side = 0; side < 2; side++)
            if (write->is_pointer && is_same_text(write->thread, maker) &&
                has_frame(&block->location.stack, write->function) &&
                is_same_text(block->accesses[side].thread, maker) &&
                is_same_text(block->accesses[!side].thread, read->thread) &&
                is_inside(&block->accesses[!side], read->function))
                return true;
    }
    return false;
}

/* Two threads, and memory that they share. */
static bool is_about_memory(const struct darn_finding *finding)
{
    return darn_finding_is(finding, "data-race") ||
           darn_finding_is(finding, "atomicity-violation") ||
           darn_finding_is(finding, "high-level-race") ||
           darn_finding_is(finding, "order-violation");
}

static bool is_same_place(const struct darn_finding_access *a, const struct darn_finding_access *b)
{
    return a->line && a->line == b->line && a->column == b->column && !a->last_seen &&
           !b->last_seen && is_same_text(a->file, b->file);
}

/* Only the first place of a failure is its own (identity.c). */
static size_t count_places(const struct darn_finding *finding)
{
    return darn_finding_is(finding, "failure") && finding->access_count ? 1 : finding->access_count;
}

/* How many places of `a` are places of `b` as well. */
static size_t count_shared_places(const struct darn_finding *a, const struct darn_finding *b)
{
    size_t shared = 0;

    for (size_t i = 0; i < count_places(a); i++) {
        bool found = false;

        for (size_t j = 0; j < count_places(b) && !found; j++)
            found = a->accesses[i].op == b->accesses[j].op &&
                    is_same_place(&a->accesses[i], &b->accesses[j]);
        shared += found;
    }
    return shared;
}

static bool is_same_lock(const struct darn_lock *a, const struct darn_lock *b)
{
    if (a->symbol.name || b->symbol.name)
        return is_same_text(a->symbol.name, b->symbol.name) &&
               a->symbol.name_offset == b->symbol.name_offset;
    return a->address && a->address == b->address;
}

/* Whether one of the first `count` waits for the lock. */
static bool waits_for(const struct darn_finding *finding, size_t count,
                      const struct darn_lock *lock)
{
    for (size_t i = 0; i < count; i++)
        if (finding->accesses[i].target.kind && is_same_lock(&finding->accesses[i].target, lock))
            return true;
    return false;
}

static size_t count_shared_locks(const struct darn_finding *a, const struct darn_finding *b)
{
    size_t shared = 0;

    for (size_t i = 0; i < a->access_count; i++) {
        const struct darn_lock *lock = &a->accesses[i].target;

        shared += lock->kind && !waits_for(a, i, lock) && waits_for(b, b->access_count, lock);
    }
    return shared;
}

/* A crash has the column of its instruction's line entry, not that of the access. */
static bool is_same_line(const struct darn_finding_access *a, const struct darn_finding_access *b)
{
    return a->line && a->line == b->line && !a->last_seen && !b->last_seen &&
           is_same_text(a->file, b->file) && is_same_text(a->function, b->function);
}

/* A failure where a side of a race is comes from it, most likely. */
static bool fails_at(const struct darn_finding *failure, const struct darn_finding *other)
{
    if (!darn_finding_is(failure, "failure") || !failure->access_count || !is_about_memory(other))
        return false;
    for (size_t i = 0; i < other->access_count; i++)
        if (is_same_line(&failure->accesses[0], &other->accesses[i]))
            return true;
    return false;
}

bool darn_cause_is_same(const struct darn_finding *a, const struct darn_finding *b)
{
    if (is_about_memory(a) && is_about_memory(b))
        return is_same_variable(a, b) || count_shared_places(a, b) || is_same_object(a, b) ||
               is_published_by(a, b) || is_published_by(b, a);
    if (strcmp(a->kind, b->kind) != 0)
        return fails_at(a, b) || fails_at(b, a);
    if (darn_finding_is(a, "deadlock"))
        return count_shared_locks(a, b) > 1 || count_shared_places(a, b) > 1;
    return darn_finding_is(a, "sync-misuse") && is_same_text(a->variable, b->variable) &&
           count_shared_places(a, b);
}

size_t darn_causes_add(struct darn_causes *causes, const struct darn_finding *finding)
{
    size_t at = causes->count, leader = at;

    if (at == causes->room) {
        causes->room = at ? 2 * at : 16;
        causes->findings =
            darn_need_memory(realloc(causes->findings, causes->room * sizeof(*causes->findings)));
        causes->leaders =
            darn_need_memory(realloc(causes->leaders, causes->room * sizeof(*causes->leaders)));
    }
    for (size_t i = 0; i < at && leader == at; i++)
        if (darn_cause_is_same(causes->findings[i], finding))
            leader = causes->leaders[i];
    causes->findings[at] = finding;
    causes->leaders[at] = leader;
    causes->count++;
    return leader;
}

void darn_causes_free(struct darn_causes *causes)
{
    free(causes->findings);
    free(causes->leaders);
    *causes = (struct darn_causes){.count = 0};
}

size_t darn_causes_variants(const struct darn_causes *causes, size_t leader)
{
    size_t count = 0;

    for (size_t i = 0; i < causes->count; i++)
        count += i != leader && causes->leaders[i] == leader;
    return count;
}

static void say_line(struct darn_ink *ink, const struct darn_finding *finding,
                     const struct darn_style *style)
{
    for (size_t i = 0; i < count_places(finding) && i < MOST_PLACES; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];

        darn_say(ink, i ? ", " : "");
        if (!darn_phrase_position(ink, style, access->file, access->line, 0))
            darn_say(ink, "%s", access->function ? access->function : "an unknown place");
        darn_say(ink, " (%s)", darn_op_name(access->op));
    }
    if (finding->variable)
        darn_say(ink, " '%s'", finding->variable);
}

void darn_cause_line(const struct darn_finding *finding, FILE *out, const struct darn_style *style)
{
    struct darn_ink ink = {out, false};

    say_line(&ink, finding, style);
}

void darn_causes_print(const struct darn_causes *causes, size_t leader, FILE *out,
                       const struct darn_style *style)
{
    struct darn_ink ink = {out, style->color};
    size_t count = darn_causes_variants(causes, leader), listed = 0;

    if (!count)
        return;
    darn_say_in(&ink, DARN_TINT_LABEL, "  variants:");
    darn_say(&ink, " the same cause shows in %zu more way%s, which --all prints at length\n", count,
             count == 1 ? "" : "s");
    for (size_t i = 0; i < causes->count && listed < LISTED; i++) {
        if (i == leader || causes->leaders[i] != leader)
            continue;
        darn_say(&ink, "    ");
        say_line(&ink, causes->findings[i], style);
        darn_say(&ink, "\n");
        listed++;
    }
    if (count > listed)
        darn_say(&ink, "    and %zu more\n", count - listed);
}
