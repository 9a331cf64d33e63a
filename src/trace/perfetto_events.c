#include "trace/perfetto_events.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "trace/kinds.h"
#include "trace/perfetto.h"
#include "trace/trace_place.h"

#define NAME 256

/* Keys of slices that are no locks: no address of a program is as large. */
#define KEY_WAIT     (UINT64_C(1) << 62)
#define KEY_FUNCTION (UINT64_C(1) << 61)

/* What an arrow is about; the same address may be a lock and memory. */
enum edge {
    EDGE_NONE,
    EDGE_LOCK,
    EDGE_START,
    EDGE_END,
    EDGE_BARRIER,
    EDGE_COND,
    EDGE_SEMAPHORE,
    EDGE_MESSAGE,
    EDGE_SPIN,
};

struct export
{
    struct darn_trace *trace;
    struct darn_perfetto to;
    struct darn_map last;     /* of a subject: the number of the last event that may begin an arrow
                                 + 1, and its thread above */
    struct darn_map partners; /* of such an event: how many arrows begin there. When it is written:
                                 the number of the next one */
    struct darn_map seen;     /* threads: a text trace does not say where one starts */
    uint64_t arrows;
    uint64_t number; /* of the event */
    bool writes;     /* the second time */
};

static bool begins(const struct darn_event *event, enum edge *edge)
{
    switch (event->kind) {
    case DARN_EVENT_RELEASE:
        *edge = EDGE_LOCK;
        return true;
    case DARN_EVENT_FORK:
        *edge = EDGE_START;
        return true;
    case DARN_EVENT_EXIT:
        *edge = EDGE_END;
        return true;
    case DARN_EVENT_ARRIVE:
        *edge = EDGE_BARRIER;
        return true;
    case DARN_EVENT_SIGNAL:
    case DARN_EVENT_BROADCAST:
        *edge = EDGE_COND;
        return true;
    case DARN_EVENT_POST:
        *edge = EDGE_SEMAPHORE;
        return true;
    case DARN_EVENT_SEND:
        *edge = EDGE_MESSAGE;
        return event->target != DARN_EVENT_OUTSIDE;
    default:
        *edge = EDGE_SPIN;
        return darn_event_writes(event) && event->flags & DARN_EVENT_SYNC;
    }
}

static bool ends(const struct darn_event *event, enum edge *edge)
{
    switch (event->kind) {
    case DARN_EVENT_ACQUIRE:
        *edge = EDGE_LOCK;
        return true;
    case DARN_EVENT_JOIN:
        *edge = EDGE_END;
        return true;
    case DARN_EVENT_DEPART:
        *edge = EDGE_BARRIER;
        return true;
    case DARN_EVENT_WAKE:
        *edge = EDGE_COND;
        return !(event->flags & DARN_EVENT_TIMEOUT);
    case DARN_EVENT_TAKE:
        *edge = EDGE_SEMAPHORE;
        return true;
    case DARN_EVENT_RECEIVE:
        *edge = EDGE_MESSAGE;
        return event->target != DARN_EVENT_OUTSIDE;
    default:
        *edge = EDGE_SPIN;
        return event->kind == DARN_EVENT_READ && event->flags & DARN_EVENT_SYNC;
    }
}

/* Who starts or ends is known by its number. */
static uint64_t subject(const struct darn_event *event, enum edge edge)
{
    return (event->kind == DARN_EVENT_EXIT ? event->thread : event->target) * 16 + edge;
}

static void begin_arrows(struct export *export, const struct darn_event *event, enum edge edge)
{
    uintptr_t count = darn_map_get(&export->partners, export->number, 0);

    darn_map_put(&export->last, subject(event, edge),
                 (export->number + 1) << 24 | (event->thread & 0xffffff));
    if (!export->writes || !count)
        return;
    darn_map_put(&export->partners, export->number, export->arrows + 1);
    for (uintptr_t i = 0; i < count; i++)
        darn_perfetto_arrow(&export->to, event->thread, ++export->arrows, false);
}

static void end_arrow(struct export *export, const struct darn_event *event, uint64_t about)
{
    uintptr_t last = darn_map_get(&export->last, about, 0);
    uint64_t source = (last >> 24) - 1;
    uintptr_t *value;
    bool added;

    if (!last || (last & 0xffffff) == (event->thread & 0xffffff))
        return;
    value = darn_map_at(&export->partners, source, &added);
    if (export->writes)
        darn_perfetto_arrow(&export->to, event->thread, *value, true);
    ++*value;
}

/* `m`, `0x404010`; of an access what the source calls it. */
static const char *name_target(const struct export *export, const struct darn_event *event,
                               char *to, size_t size)
{
    const struct darn_trace_site *site = darn_trace_site(export->trace, event->site);
    const char *name = darn_trace_target_name(export->trace, event);

    if (!name && darn_event_is_access(event) && site && site->variable && *site->variable)
        name = site->variable;
    if (name)
        snprintf(to, size, "%s", name);
    else
        snprintf(to, size, "0x%" PRIx64, event->target);
    return to;
}

static void name_thread(const struct export *export, uint64_t number, char *to, size_t size)
{
    const char *given = darn_trace_thread_name(export->trace, (uint32_t)number);
    const struct darn_trace_thread *thread = darn_trace_thread(export->trace, (uint32_t)number);

    if (given)
        snprintf(to, size, "%s", given);
    else if (thread && thread->name && *thread->name)
        snprintf(to, size, "T%" PRIu64 " %s", number, thread->name);
    else
        snprintf(to, size, "T%" PRIu64, number);
}

/* What the event is about, after its verb. */
static void describe(const struct export *export, const struct darn_event *event, char *to,
                     size_t size)
{
    char what[NAME / 2];

    switch (event->kind) {
    case DARN_EVENT_FORK:
    case DARN_EVENT_JOIN:
        name_thread(export, event->target, what, sizeof(what));
        break;
    case DARN_EVENT_FENCE:
    case DARN_EVENT_AFTER_ALL:
        what[0] = '\0';
        break;
    default:
        name_target(export, event, what, sizeof(what));
    }
    snprintf(to, size, "%s%s%s", darn_event_kind_name(event->kind), *what ? " " : "", what);
}

static void open_slice(struct export *export, const struct darn_event *event, uint64_t key,
                       const char *before, const char *name, const char *place)
{
    char text[NAME];

    snprintf(text, sizeof(text), "%s%s", before, name);
    darn_perfetto_open(&export->to, event->thread, key, text, place);
}

/* A function is known by its site. */
static void open_function(struct export *export, const struct darn_event *event, const char *place)
{
    const struct darn_trace_site *site = darn_trace_site(export->trace, event->site);
    const char *name = darn_trace_target_name(export->trace, event);

    if (!name)
        name = site && site->function ? site->function : "transaction";
    darn_perfetto_open(&export->to, event->thread, KEY_FUNCTION, name, place);
}

/* Events that say something about memory only, or that another one says as well. */
static bool is_left_out(const struct darn_event *event)
{
    return event->kind == DARN_EVENT_STACK || event->kind == DARN_EVENT_POINTER ||
           event->kind == DARN_EVENT_START || event->kind == DARN_EVENT_SPIN;
}

static void put_before(struct export *export, const struct darn_event *event, const char *name,
                       const char *place)
{
    char target[NAME / 2];

    name_target(export, event, target, sizeof(target));
    if (event->kind != DARN_EVENT_REQUEST)
        darn_perfetto_close(&export->to, event->thread, KEY_WAIT);
    if (darn_event_is_access(event) || event->kind == DARN_EVENT_ALLOC)
        darn_perfetto_instant(&export->to, event->thread, name, place);
    else if (event->kind == DARN_EVENT_ACQUIRE)
        open_slice(export, event, event->target, "", target, place);
    else if (event->kind == DARN_EVENT_REQUEST)
        open_slice(export, event, KEY_WAIT, "wait for ", target, place);
    else if (event->kind == DARN_EVENT_BEGIN)
        open_function(export, event, place);
    else if (event->kind == DARN_EVENT_END)
        darn_perfetto_close(&export->to, event->thread, KEY_FUNCTION);
    else if (event->kind != DARN_EVENT_RELEASE && event->kind != DARN_EVENT_EXIT &&
             !is_left_out(event))
        darn_perfetto_slice(&export->to, event->thread, name, place);
}

static void put_event(struct export *export, const struct darn_event *event)
{
    char name[NAME], place[DARN_TRACE_PLACE];
    enum edge edge;

    if (export->writes) {
        darn_perfetto_at(&export->to, export->number + 1);
        name_thread(export, event->thread, name, sizeof(name));
        darn_perfetto_thread(&export->to, event->thread, name);
        describe(export, event, name, sizeof(name));
        darn_trace_place(export->trace, event->site, event->stack, place, sizeof(place));
        put_before(export, event, name, place);
    }
    if (!darn_map_get(&export->seen, event->thread + UINT64_C(1), 0)) {
        darn_map_put(&export->seen, event->thread + UINT64_C(1), 1);
        end_arrow(export, event, event->thread * UINT64_C(16) + EDGE_START);
    }
    if (ends(event, &edge))
        end_arrow(export, event, subject(event, edge));
    if (begins(event, &edge))
        begin_arrows(export, event, edge);
    if (!export->writes)
        return;
    if (event->kind == DARN_EVENT_RELEASE)
        darn_perfetto_close(&export->to, event->thread, event->target);
    if (event->kind == DARN_EVENT_EXIT)
        darn_perfetto_exit(&export->to, event->thread);
}

static int read_all(struct export *export)
{
    struct darn_event event;
    int result;

    export->number = 0;
    while ((result = darn_trace_next(export->trace, &event)) > 0) {
        put_event(export, &event);
        export->number++;
    }
    darn_map_clear(&export->last);
    darn_map_clear(&export->seen);
    return result;
}

int darn_trace_perfetto(struct darn_trace *trace, FILE *out)
{
    struct export export = {.trace = trace};
    const char *program = darn_trace_about(trace).program;
    int result;

    (void)read_all(&export);
    darn_trace_rewind(trace);
    export.writes = true;
    darn_perfetto_begin(&export.to, out, program ? program : "trace");
    result = read_all(&export);
    darn_perfetto_end(&export.to);
    darn_map_free(&export.last);
    darn_map_free(&export.seen);
    darn_map_free(&export.partners);
    return result;
}
