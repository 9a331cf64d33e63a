#include "engine/atomicity/transactions.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "engine/common/threads.h"

/* Deeper than this, functions are counted, but no longer told apart. */
#define DEEPEST 65536

struct thread {
    uint64_t *functions; /* that it is in, the outermost first: what END must name */
    size_t capacity;
    uint32_t depth;
    uint32_t unit_at; /* the depth of the outermost function that is a transaction; 0: none */
    uint32_t unit_site, unit_stack, section_site;
    uint32_t number;
    bool in_section; /* a critical section that is not inside such a function began */
    bool is_open;
    bool is_new; /* its next function is the first */
};

struct darn_transactions {
    struct darn_engine_config config;
    const struct darn_held *held;
    struct darn_transactions_calls calls;
    struct darn_threads threads;
    struct thread *all;
    size_t capacity;
    size_t stacks; /* bytes */
    uint64_t count;
};

struct darn_transactions *darn_transactions_create(const struct darn_engine_config *config,
                                                   const struct darn_held *held,
                                                   const struct darn_transactions_calls *calls)
{
    struct darn_transactions *transactions = calloc(1, sizeof(*transactions));

    if (!transactions)
        return NULL;
    transactions->config = *config;
    transactions->held = held;
    transactions->calls = *calls;
    return transactions;
}

void darn_transactions_destroy(struct darn_transactions *transactions)
{
    if (!transactions)
        return;
    for (uint32_t i = 0; i < transactions->threads.count; i++)
        free(transactions->all[i].functions);
    free(transactions->all);
    darn_threads_free(&transactions->threads);
    free(transactions);
}

static struct thread *thread_of(struct darn_transactions *transactions, uint32_t number)
{
    uint32_t index = darn_threads_index(&transactions->threads, number);

    transactions->all = darn_grow(transactions->all, &transactions->capacity, (size_t)index + 1,
                                  sizeof(*transactions->all));
    transactions->all[index].number = number;
    return &transactions->all[index];
}

static uint32_t locks_of(const struct darn_transactions *transactions, const struct thread *thread)
{
    return darn_held_of(transactions->held, thread->number).count;
}

static void end_now(struct darn_transactions *transactions, struct thread *thread)
{
    if (!thread->is_open)
        return;
    thread->is_open = false;
    transactions->calls.end(transactions->calls.to, thread->number);
}

/* The outermost of the two came first: a section is not entered inside of a unit. */
static void begin_now(struct darn_transactions *transactions, struct thread *thread)
{
    if (thread->is_open || (!thread->unit_at && !thread->in_section))
        return;
    thread->is_open = true;
    transactions->count++;
    transactions->calls.begin(transactions->calls.to, thread->number,
                              thread->in_section ? thread->section_site : thread->unit_site);
}

static uint64_t name_of(const struct darn_event *event)
{
    return event->target ? event->target : event->site;
}

/* A function that is a transaction is over: a lock that is still held makes a critical section. */
static void end_unit(struct darn_transactions *transactions, struct thread *thread)
{
    struct darn_held_thread held = darn_held_of(transactions->held, thread->number);

    thread->unit_at = 0;
    if (thread->in_section)
        return;
    end_now(transactions, thread);
    if (held.count) {
        thread->in_section = true;
        thread->section_site = held.locks[0].site;
    }
}

/*
 * What is annotated may be all that is told: where an exception or a longjmp has left it, no END of
 * a function around it says so. It is begun again with the same stack: not by recursion.
 */
static bool was_left(const struct darn_transactions *transactions, const struct thread *thread,
                     const struct darn_event *event)
{
    const struct darn_engine_config *config = &transactions->config;

    return thread->unit_at && thread->unit_at <= DEEPEST && event->stack &&
           event->stack == thread->unit_stack &&
           thread->functions[thread->unit_at - 1] == name_of(event) && config->is_unit &&
           config->is_unit(config->context, event->site) == DARN_UNIT_NAMED;
}

static void enter(struct darn_transactions *transactions, struct thread *thread,
                  const struct darn_event *event)
{
    const struct darn_engine_config *config = &transactions->config;
    bool is_first = thread->is_new && !thread->depth;
    enum darn_unit unit = DARN_UNIT_YES;
    size_t before = thread->capacity;

    if (was_left(transactions, thread, event)) {
        thread->depth = thread->unit_at - 1;
        end_unit(transactions, thread);
    }
    thread->is_new = false;
    thread->depth++;
    if (thread->depth <= DEEPEST) {
        thread->functions = darn_grow(thread->functions, &thread->capacity, thread->depth,
                                      sizeof(*thread->functions));
        thread->functions[thread->depth - 1] = name_of(event);
        transactions->stacks += (thread->capacity - before) * sizeof(*thread->functions);
    }
    if (thread->unit_at)
        return;
    if (config->is_unit)
        unit = config->is_unit(config->context, event->site);
    if (unit == DARN_UNIT_NO || (is_first && unit != DARN_UNIT_NAMED))
        return;
    thread->unit_at = thread->depth;
    thread->unit_site = event->site;
    thread->unit_stack = event->stack;
}

/* Functions that a longjmp has left say nothing: an END ends all that are inside of its function.
 * One that names no function we are in ends the innermost. */
static uint32_t depth_after(const struct thread *thread, const struct darn_event *event)
{
    uint32_t depth = thread->depth;

    if (depth > DEEPEST)
        return depth - 1;
    while (depth && thread->functions[depth - 1] != name_of(event))
        depth--;
    if (depth)
        return depth - 1;
    return thread->depth ? thread->depth - 1 : 0;
}

static void leave(struct darn_transactions *transactions, struct thread *thread,
                  const struct darn_event *event)
{
    thread->depth = depth_after(thread, event);
    if (thread->unit_at && thread->depth < thread->unit_at)
        end_unit(transactions, thread);
}

/* Whether the thread starts others, or waits for them. */
static bool is_boundary(const struct darn_event *event)
{
    switch (event->kind) {
    case DARN_EVENT_FORK:
    case DARN_EVENT_JOIN:
    case DARN_EVENT_START:
    case DARN_EVENT_EXIT:
    case DARN_EVENT_ARRIVE:
    case DARN_EVENT_DEPART:
    case DARN_EVENT_WAIT:
    case DARN_EVENT_TAKE:
        return true;
    case DARN_EVENT_RECEIVE: /* a call of code that is not known need not wait */
        return event->target != DARN_EVENT_OUTSIDE;
    default:
        return false;
    }
}

static void on_acquire(struct darn_transactions *transactions, struct thread *thread,
                       const struct darn_event *event)
{
    if (!thread->unit_at && !thread->in_section && !locks_of(transactions, thread)) {
        thread->in_section = true;
        thread->section_site = event->site;
    }
    begin_now(transactions, thread);
}

/* Its last lock is gone; perhaps another thread has given it back. */
static void end_section(struct darn_transactions *transactions, struct thread *thread)
{
    if (!thread->in_section || locks_of(transactions, thread))
        return;
    end_now(transactions, thread);
    thread->in_section = false;
}

void darn_transactions_before(struct darn_transactions *transactions,
                              const struct darn_event *event)
{
    struct thread *thread = thread_of(transactions, event->thread);

    end_section(transactions, thread);
    if (darn_event_is_access(event))
        begin_now(transactions, thread);
    else if (event->kind == DARN_EVENT_ACQUIRE)
        on_acquire(transactions, thread, event);
    else if (event->kind == DARN_EVENT_BEGIN)
        enter(transactions, thread, event);
    else if (event->kind == DARN_EVENT_END)
        leave(transactions, thread, event);
    else if (is_boundary(event))
        end_now(transactions, thread);
    if (event->kind == DARN_EVENT_START)
        thread->is_new = true;
}

void darn_transactions_after(struct darn_transactions *transactions, const struct darn_event *event)
{
    struct thread *thread = thread_of(transactions, event->thread);

    if (event->kind == DARN_EVENT_RELEASE)
        end_section(transactions, thread);
    if (event->kind == DARN_EVENT_EXIT) {
        thread->depth = thread->unit_at = 0;
        thread->in_section = false;
    }
}

void darn_transactions_finish(struct darn_transactions *transactions)
{
    for (uint32_t i = 0; i < transactions->threads.count; i++)
        end_now(transactions, &transactions->all[i]);
}

uint64_t darn_transactions_count(const struct darn_transactions *transactions)
{
    return transactions->count;
}

size_t darn_transactions_memory(const struct darn_transactions *transactions)
{
    return sizeof(*transactions) + transactions->capacity * sizeof(*transactions->all) +
           darn_threads_memory(&transactions->threads) + transactions->stacks;
}

bool darn_unit_name_matches(const char *pattern, size_t length, const char *name)
{
    if (!length)
        return !*name;
    if (*pattern == '*')
        return darn_unit_name_matches(pattern + 1, length - 1, name) ||
               (*name && darn_unit_name_matches(pattern, length, name + 1));
    return *name == *pattern && darn_unit_name_matches(pattern + 1, length - 1, name + 1);
}

enum match { MATCH_NONE, MATCH_PATTERN, MATCH_NAME };

static enum match match_of(const char *list, const char *name)
{
    static const char between[] = ", \t\n";
    enum match best = MATCH_NONE;

    while (list && *(list += strspn(list, between))) {
        size_t length = strcspn(list, between);

        if (darn_unit_name_matches(list, length, name)) {
            if (!memchr(list, '*', length))
                return MATCH_NAME;
            best = MATCH_PATTERN;
        }
        list += length;
    }
    return best;
}

enum darn_unit darn_unit_rules_say(const struct darn_unit_rules *rules, const char *function,
                                   enum darn_unit otherwise)
{
    enum match included = match_of(rules->include, function);
    enum match excluded = match_of(rules->exclude, function);

    if (excluded && excluded >= included)
        return DARN_UNIT_NO;
    if (included)
        return included == MATCH_NAME ? DARN_UNIT_NAMED : DARN_UNIT_YES;
    if (otherwise == DARN_UNIT_YES && strcmp(function, "main") == 0)
        return DARN_UNIT_NO;
    return otherwise;
}
