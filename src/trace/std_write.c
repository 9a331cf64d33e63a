#include "trace/std_write.h"

#include <inttypes.h>
#include <stddef.h>

/* One event, and what all of its lines have in common. */
struct lines {
    FILE *to;
    const struct darn_trace *trace;
    const struct darn_event *event;
};

static void put_thread(const struct lines *lines, uint32_t number)
{
    const char *name = darn_trace_thread_name(lines->trace, number);

    if (name)
        fputs(name, lines->to);
    else
        fprintf(lines->to, "T%" PRIu32, number);
}

/* The names of a text are used again, and its locations; a binary trace has addresses and ids. */
static void begin_line(const struct lines *lines, const char *operation)
{
    put_thread(lines, lines->event->thread);
    fprintf(lines->to, "|%s", operation);
}

static void end_line(const struct lines *lines)
{
    const struct darn_trace_site *site = NULL;
    uint32_t location = lines->event->site;

    if (darn_trace_thread_name(lines->trace, lines->event->thread))
        site = darn_trace_site(lines->trace, location);
    fprintf(lines->to, "|%" PRIu32 "\n", site ? site->line : location);
}

/* `letter` tells the names of different things at one address apart. */
static void put_line(const struct lines *lines, const char *operation, char letter)
{
    const char *name = darn_trace_target_name(lines->trace, lines->event);

    begin_line(lines, operation);
    if (name)
        fprintf(lines->to, "(%s)", name);
    else
        fprintf(lines->to, "(%c%" PRIx64 ")", letter, lines->event->target);
    end_line(lines);
}

static void put_thread_line(const struct lines *lines, const char *operation, char letter)
{
    (void)letter;
    begin_line(lines, operation);
    fputc('(', lines->to);
    put_thread(lines, (uint32_t)lines->event->target);
    fputc(')', lines->to);
    end_line(lines);
}

/* Whoever takes the lock later comes after whoever took it before. */
static void put_edge(const struct lines *lines, const char *operation, char letter)
{
    (void)operation;
    put_line(lines, "acq", letter);
    put_line(lines, "rel", letter);
}

static void put_wake(const struct lines *lines, const char *operation, char letter)
{
    if (!(lines->event->flags & DARN_EVENT_TIMEOUT))
        put_edge(lines, operation, letter);
}

/* Atomic accesses, and those of recognised spins, are done under a lock of their own: they do not
 * race with one another, and order what is around them. */
static void put_access(const struct lines *lines, const char *operation, char letter)
{
    bool locked = lines->event->flags & (DARN_EVENT_ATOMIC | DARN_EVENT_SYNC);

    (void)operation;
    if (locked)
        put_line(lines, "acq", 'A');
    if (lines->event->kind != DARN_EVENT_WRITE)
        put_line(lines, "r", letter);
    if (lines->event->kind != DARN_EVENT_READ)
        put_line(lines, "w", letter);
    if (locked)
        put_line(lines, "rel", 'A');
}

/* Functions of binary traces are known by their site. */
static void put_block(const struct lines *lines, const char *operation, char letter)
{
    const char *name = darn_trace_target_name(lines->trace, lines->event);

    (void)letter;
    begin_line(lines, operation);
    if (name)
        fprintf(lines->to, "(%s)", name);
    end_line(lines);
}

/* What other tools do not know is for texts only, which have names: it comes out as it went in. */
static void put_named(const struct lines *lines, const char *operation, char letter)
{
    if (darn_trace_target_name(lines->trace, lines->event))
        put_line(lines, operation, letter);
}

static void put_pointer(const struct lines *lines, const char *operation, char letter)
{
    const char *name = darn_trace_target_name(lines->trace, lines->event);
    const char *pointee = darn_trace_pointee_name(lines->trace, lines->event);

    (void)letter;
    if (!pointee)
        return;
    begin_line(lines, name ? operation : "give");
    fprintf(lines->to, "(%s%s%s)", name ? name : "", name ? "," : "", pointee);
    end_line(lines);
}

/*
 * Kinds that are not here are left out. A fence orders atomic accesses, which are ordered already;
 * the edges of START, EXIT, REQUEST, WAIT and SPIN are those of fork, join, the mutex and the
 * accesses of the spin.
 */
static const struct {
    void (*put)(const struct lines *lines, const char *operation, char letter);
    const char *operation;
    char letter;
} forms[DARN_EVENT_KINDS] = {
    [DARN_EVENT_READ] = {put_access, NULL, 'V'},
    [DARN_EVENT_WRITE] = {put_access, NULL, 'V'},
    [DARN_EVENT_UPDATE] = {put_access, NULL, 'V'},
    [DARN_EVENT_ACQUIRE] = {put_line, "acq", 'L'},
    [DARN_EVENT_RELEASE] = {put_line, "rel", 'L'},
    [DARN_EVENT_FORK] = {put_thread_line, "fork", 'T'},
    [DARN_EVENT_JOIN] = {put_thread_line, "join", 'T'},
    [DARN_EVENT_ARRIVE] = {put_edge, NULL, 'B'},
    [DARN_EVENT_DEPART] = {put_edge, NULL, 'B'},
    [DARN_EVENT_WAKE] = {put_wake, NULL, 'C'},
    [DARN_EVENT_SIGNAL] = {put_edge, NULL, 'C'},
    [DARN_EVENT_BROADCAST] = {put_edge, NULL, 'C'},
    [DARN_EVENT_POST] = {put_edge, NULL, 'S'},
    [DARN_EVENT_TAKE] = {put_edge, NULL, 'S'},
    [DARN_EVENT_SEND] = {put_edge, NULL, 'M'},
    [DARN_EVENT_RECEIVE] = {put_edge, NULL, 'M'},
    [DARN_EVENT_BEGIN] = {put_block, "begin", 0},
    [DARN_EVENT_END] = {put_block, "end", 0},
    [DARN_EVENT_ALLOC] = {put_named, "alloc", 0},
    [DARN_EVENT_FREE] = {put_named, "free", 0},
    [DARN_EVENT_DESTROY] = {put_named, "destroy", 0},
    [DARN_EVENT_POINTER] = {put_pointer, "store", 0},
};

void darn_std_write_event(FILE *to, const struct darn_trace *trace, const struct darn_event *event)
{
    struct lines lines = {to, trace, event};

    if (event->kind < DARN_EVENT_KINDS && forms[event->kind].put)
        forms[event->kind].put(&lines, forms[event->kind].operation, forms[event->kind].letter);
}
