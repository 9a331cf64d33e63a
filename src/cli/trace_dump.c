/*
 * One event in a line, for people:
 *
 *   T1    write     0x404010 8 bytes        bank.c:12:9 teller 'balance' [atomic]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/trace_line.h"
#include "trace/kinds.h"
#include "trace/trace_place.h"

#define TARGET       160
#define TARGET_WIDTH 24

static const struct {
    unsigned flag;
    const char *name;
} flag_names[] = {
    {DARN_EVENT_ATOMIC, "atomic"},     {DARN_EVENT_VOLATILE, "volatile"},
    {DARN_EVENT_ACQUIRES, "acquires"}, {DARN_EVENT_RELEASES, "releases"},
    {DARN_EVENT_SYNC, "spin"},         {DARN_EVENT_TRY, "try"},
    {DARN_EVENT_TIMEOUT, "timeout"},
};

static void write_thread(const struct darn_trace *trace, uint64_t number, char *to, size_t size)
{
    const char *name = darn_trace_thread_name(trace, (uint32_t)number);

    if (name)
        snprintf(to, size, "%s", name);
    else
        snprintf(to, size, "T%" PRIu64, number);
    darn_trace_printable(to);
}

/* `0x10 to 0x2000`; the piece of a stack has a length. */
static void write_pointer(const struct darn_trace *trace, const struct darn_event *event,
                          const char *what, char *to, size_t size)
{
    const char *name = darn_trace_pointee_name(trace, event);
    int length = snprintf(to, size, "%s to ", event->target ? what : "a new thread,");

    if (name)
        snprintf(to + length, size - (size_t)length, "%s", name);
    else if (event->size)
        snprintf(to + length, size - (size_t)length, "0x%" PRIx64 " %" PRIu32 " bytes",
                 event->extra, event->size);
    else
        snprintf(to + length, size - (size_t)length, "0x%" PRIx64, event->extra);
}

/* What the event is about. */
static void write_target(const struct darn_trace *trace, const struct darn_event *event, char *to,
                         size_t size)
{
    const char *name = darn_trace_target_name(trace, event);
    char place[DARN_TRACE_PLACE], what[TARGET / 2];

    snprintf(what, sizeof(what), "0x%" PRIx64, event->target);
    if (name)
        snprintf(what, sizeof(what), "%s", name);
    darn_trace_printable(what);
    switch (event->kind) {
    case DARN_EVENT_READ:
    case DARN_EVENT_WRITE:
    case DARN_EVENT_UPDATE:
        snprintf(to, size, "%s %" PRIu32 " byte%s", what, event->size, event->size == 1 ? "" : "s");
        break;
    case DARN_EVENT_ALLOC:
    case DARN_EVENT_FREE:
    case DARN_EVENT_STACK:
        snprintf(to, size, "%s %" PRIu64 " byte%s", what, event->extra,
                 event->extra == 1 ? "" : "s");
        break;
    case DARN_EVENT_USE:
    case DARN_EVENT_DESTROY:
        name = darn_event_object_name(darn_event_object(event));
        snprintf(to, size, "%s %s", what, name ? name : "object");
        break;
    case DARN_EVENT_ACQUIRE:
    case DARN_EVENT_RELEASE:
    case DARN_EVENT_REQUEST:
        snprintf(to, size, "%s %s", what, darn_event_lock_name(event->lock));
        break;
    case DARN_EVENT_FORK:
    case DARN_EVENT_JOIN:
    case DARN_EVENT_START: /* its creator */
        write_thread(trace, event->target, to, size);
        break;
    case DARN_EVENT_WAIT:
    case DARN_EVENT_WAKE:
        snprintf(to, size, "%s with mutex 0x%" PRIx64, what, event->extra);
        break;
    case DARN_EVENT_SPIN:
        darn_trace_place(trace, (uint32_t)event->extra, 0, place, sizeof(place));
        snprintf(to, size, "ended by the store at %.100s", place);
        break;
    case DARN_EVENT_POINTER:
        write_pointer(trace, event, what, to, size);
        break;
    case DARN_EVENT_EXIT:
    case DARN_EVENT_FENCE:
    case DARN_EVENT_AFTER_ALL:
        to[0] = '\0';
        break;
    default:
        snprintf(to, size, "%s", event->target ? what : "");
    }
}

static void print_event(const struct darn_trace *trace, const struct darn_event *event)
{
    const struct darn_trace_site *site = darn_trace_site(trace, event->site);
    char thread[64], target[TARGET], place[DARN_TRACE_PLACE];

    write_thread(trace, event->thread, thread, sizeof(thread));
    write_target(trace, event, target, sizeof(target));
    darn_trace_place(trace, event->site, event->stack, place, sizeof(place));
    printf("%-5s %-*s%s", thread, *target || *place ? 10 : 0, darn_event_kind_name(event->kind),
           target);
    if (*place) {
        int width = (int)strlen(target);

        printf("%*s%s", width < TARGET_WIDTH ? TARGET_WIDTH - width : 1, "", place);
        if (site && site->file && site->function)
            printf(" %s", site->function);
        if (site && site->file && site->variable)
            printf(" '%s'", site->variable);
    }
    for (size_t i = 0; i < sizeof(flag_names) / sizeof(flag_names[0]); i++)
        if (event->kind != DARN_EVENT_ALLOC && event->flags & flag_names[i].flag)
            printf(" [%s]", flag_names[i].name);
    putchar('\n');
}

int darn_trace_dump(struct darn_trace *trace)
{
    struct darn_event event;
    int result;

    while ((result = darn_trace_next(trace, &event)) > 0)
        print_event(trace, &event);
    return result;
}
