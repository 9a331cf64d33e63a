#include "report/predict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/grow.h"
#include "report/identity.h"
#include "report/symbol/resolve.h"
#include "site/site_calls.h"
#include "site/site.h"
#include "trace/kinds.h"

/* What a finding is made from, and where its memory is. */
struct maker {
    const struct darn_trace *trace;
    const char *path;
    bool is_text;
    struct darn_finding *finding;
    struct darn_text_pool *pool;
};

static const struct {
    const char *kind, *reason;
} faults[] = {
    [DARN_PREDICTS_RACE] = {"data-race", NULL},
    [DARN_PREDICTS_DEADLOCK] = {"deadlock", NULL},
    [DARN_PREDICTS_LOST_SIGNAL] = {"notification", "lost-signal"},
    [DARN_PREDICTS_WRONG_WAITER] = {"notification", "wrong-waiter"},
    [DARN_PREDICTS_TWO_MUTEXES] = {"notification", "two-mutexes"},
    [DARN_PREDICTS_ATOMICITY] = {"atomicity-violation", NULL},
    [DARN_PREDICTS_IRREDUCIBLE] = {"atomicity-violation", "irreducible"},
    [DARN_PREDICTS_ORDER] = {"order-violation", NULL},
    [DARN_PREDICTS_VIEWS] = {"high-level-race", "views"},
};

/* A text that is empty counts as not known. */
static const char *copy(struct maker *maker, const char *text)
{
    return text && *text ? darn_pool_text(maker->pool, text) : NULL;
}

static const char *thread_label(struct maker *maker, uint32_t number)
{
    const char *name = darn_trace_thread_name(maker->trace, number);

    return name ? darn_pool_text(maker->pool, name) : darn_pool_format(maker->pool, "T%u", number);
}

static const char *name_of(struct maker *maker, enum darn_event_kind kind, uint64_t target)
{
    struct darn_event event = {.kind = (uint8_t)kind, .target = target};

    return copy(maker, darn_trace_target_name(maker->trace, &event));
}

/* An address as module and offset; false when it lies in none. */
static bool locate(struct maker *maker, uint64_t address, const char **path, uint64_t *offset)
{
    const struct darn_trace_module *module = darn_trace_module(maker->trace, address);

    if (!module)
        return false;
    *path = copy(maker, module->path);
    *offset = address - module->start + module->offset;
    return *path != NULL;
}

static struct darn_finding_stack make_stack(struct maker *maker, uint32_t id)
{
    const struct darn_trace_stack *from = darn_trace_stack(maker->trace, id);
    struct darn_finding_stack stack = {NULL, from ? from->depth : 0};

    stack.frames = darn_pool_get(maker->pool, stack.count, sizeof(*stack.frames));
    for (size_t i = 0; i < stack.count; i++) {
        struct darn_frame *frame = &stack.frames[i];

        frame->pc = from->pcs[i];
        (void)locate(maker, frame->pc, &frame->module, &frame->offset);
    }
    return stack;
}

/* Where a site is: in a text trace the location stands for a line of it. */
static void make_place(struct maker *maker, const struct darn_trace_site *site,
                       struct darn_frame *place)
{
    *place = (struct darn_frame){.file = maker->is_text ? maker->path : NULL};
    if (!site)
        return;
    if (site->file)
        place->file = copy(maker, site->file);
    place->dir = copy(maker, site->dir);
    place->function = copy(maker, site->function);
    place->line = site->line;
    place->column = site->column;
}

static struct darn_lock make_lock(struct maker *maker, const char *kind, uint64_t address,
                                  const char *name)
{
    struct darn_lock lock = {.kind = kind, .address = address, .symbol.name = name};

    if (!name)
        (void)locate(maker, address, &lock.symbol.module, &lock.symbol.offset);
    return lock;
}

static const char *lock_kind(uint8_t kind)
{
    static const char *const names[] = {
        [DARN_EVENT_MUTEX] = "mutex",
        [DARN_EVENT_RDLOCK] = "read",
        [DARN_EVENT_WRLOCK] = "write",
        [DARN_EVENT_SPINLOCK] = "spin",
    };

    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "lock";
}

static void make_locks(struct maker *maker, const struct darn_prediction_step *step,
                       struct darn_finding_access *access)
{
    access->lock_count = step->lock_count;
    access->locks = darn_pool_get(maker->pool, step->lock_count, sizeof(*access->locks));
    for (size_t i = 0; i < step->lock_count; i++) {
        const struct darn_prediction_lock *from = &step->locks[i];
        struct darn_lock *lock = &access->locks[i];

        *lock = make_lock(maker, lock_kind(from->kind), from->lock,
                          name_of(maker, DARN_EVENT_ACQUIRE, from->lock));
        lock->stack = make_stack(maker, from->stack);
        if (from->site)
            make_place(maker, darn_trace_site(maker->trace, from->site), &lock->taken);
    }
}

static enum darn_op op_of(const struct darn_event *event)
{
    switch (event->kind) {
    case DARN_EVENT_READ:
        return DARN_OP_READ;
    case DARN_EVENT_UPDATE:
        return DARN_OP_UPDATE;
    case DARN_EVENT_FREE:
    case DARN_EVENT_DESTROY:
        return DARN_OP_FREE;
    case DARN_EVENT_USE:
        return DARN_OP_USE;
    case DARN_EVENT_ACQUIRE:
    case DARN_EVENT_REQUEST:
        return DARN_OP_ACQUIRE;
    case DARN_EVENT_JOIN:
        return DARN_OP_JOIN;
    case DARN_EVENT_WAIT:
        return DARN_OP_WAIT;
    case DARN_EVENT_SIGNAL:
        return DARN_OP_SIGNAL;
    case DARN_EVENT_BROADCAST:
        return DARN_OP_BROADCAST;
    default:
        return DARN_OP_WRITE;
    }
}

/* What a step that is no access to memory is about. */
static void make_target(struct maker *maker, const struct darn_event *event,
                        struct darn_finding_access *access)
{
    const char *name = copy(maker, darn_trace_target_name(maker->trace, event));

    if (access->op == DARN_OP_JOIN)
        access->awaited = thread_label(maker, (uint32_t)event->target);
    else if (access->op == DARN_OP_ACQUIRE)
        access->target = make_lock(maker, lock_kind(event->lock), event->target, name);
    else
        access->target = make_lock(maker, "cond", event->target, name);
    if (access->op == DARN_OP_WAIT && event->extra)
        access->mutex = make_lock(maker, "mutex", event->extra,
                                  name_of(maker, DARN_EVENT_ACQUIRE, event->extra));
}

/* By the names of the record: those of the report are demangled later. The name of a text trace is
 * left out, so that several traces of one program have the same findings. */
static uint64_t hash_site(struct maker *maker, const struct darn_finding_access *access,
                          const struct darn_trace_site *site)
{
    const char *kind = maker->finding->kind;

    if (maker->is_text)
        return darn_fingerprint_site(kind, site ? site->file : NULL, site ? site->function : NULL,
                                     access->line, access->column);
    if (access->op == DARN_OP_FREE)
        return darn_fingerprint_word(kind, "free");
    if (!access->has_site || access->op > DARN_OP_FREE)
        return 0;
    return darn_fingerprint_site(kind, access->file, access->function, access->line,
                                 access->column);
}

static void make_access(struct maker *maker, const struct darn_prediction_step *step,
                        struct darn_finding_access *access)
{
    const struct darn_event *event = &step->event;
    const struct darn_trace_site *site = darn_trace_site(maker->trace, event->site);
    const struct darn_trace_thread *thread = darn_trace_thread(maker->trace, event->thread);
    struct darn_frame place;

    access->op = op_of(event);
    access->atomic = event->flags & DARN_EVENT_ATOMIC;
    access->is_volatile = event->flags & DARN_EVENT_VOLATILE;
    if (access->op == DARN_OP_FREE || access->op == DARN_OP_USE)
        access->object = darn_event_object_name(darn_event_object(event));
    access->size = maker->is_text || access->op == DARN_OP_FREE ? 0 : event->size;
    access->call = site ? darn_call_name(site->flags, site->size) : NULL;
    access->thread = thread_label(maker, event->thread);
    if (thread && !maker->is_text) {
        access->thread_name = copy(maker, thread->name);
        access->tid = thread->tid;
    }
    make_place(maker, site, &place);
    access->file = place.file;
    access->dir = place.dir;
    access->function = place.function;
    access->line = place.line;
    access->column = place.column;
    access->has_site = access->file && access->line;
    access->stack = make_stack(maker, event->stack);
    make_locks(maker, step, access);
    if (access->op > DARN_OP_FREE)
        make_target(maker, event, access);
    if (access->op == DARN_OP_WAIT && site)
        access->predicate = copy(maker, site->variable);
    access->site_hash = hash_site(maker, access, site);
    access->site_key = site ? site->key : 0;
    access->is_pointer = site && darn_site_stores_pointer(site->kind, site->flags);
    access->has_copy = site && site->has_copy;
    access->site_copy = site ? site->inlined : 0;
}

/* The name that the site, or in a text trace the event, has for what is accessed. */
static const char *variable_of(struct maker *maker, const struct darn_event *event)
{
    const struct darn_trace_site *site = darn_trace_site(maker->trace, event->site);

    if (maker->is_text)
        return copy(maker, darn_trace_target_name(maker->trace, event));
    if (!site || !(darn_event_is_access(event)))
        return NULL;
    return copy(maker, site->variable);
}

static void make_block(struct maker *maker, const struct darn_event *alloc)
{
    struct darn_location *location = &maker->finding->location;

    location->kind = DARN_LOCATION_HEAP;
    location->address = alloc->target;
    location->size = alloc->extra;
    location->thread = thread_label(maker, alloc->thread);
    location->stack = make_stack(maker, alloc->stack);
}

/* Calls are known by their places alone, and a file descriptor by its number (trace/event.h). */
static void make_calls(struct maker *maker, const struct darn_prediction *prediction)
{
    struct darn_finding *finding = maker->finding;

    for (size_t i = 0; i < finding->access_count; i++) {
        if (finding->accesses[i].has_site)
            return;
    }
    for (size_t i = 0; i < finding->access_count; i++)
        finding->accesses[i].site_hash = 0;
    if (darn_event_object(&prediction->steps[0].event) == DARN_EVENT_IS_DESCRIPTOR)
        finding->variable = darn_pool_format(maker->pool, "file descriptor %u",
                                             (unsigned)darn_event_file(prediction->target));
}

/* The names of a text trace lie nowhere. */
static void make_location(struct maker *maker, const struct darn_predicted *predicted)
{
    struct darn_finding *finding = maker->finding;

    if (maker->is_text)
        return;
    finding->address = predicted->prediction->target;
    finding->size = finding->accesses[0].size;
    if (predicted->block)
        make_block(maker, predicted->block);
    else if (locate(maker, finding->address, &finding->location.symbol.module,
                    &finding->location.symbol.offset))
        finding->location.kind = DARN_LOCATION_GLOBAL;
}

static void make_variable(struct maker *maker, const struct darn_predicted *predicted)
{
    const struct darn_prediction *prediction = predicted->prediction;
    struct darn_finding *finding = maker->finding;
    const char *a = variable_of(maker, &prediction->steps[0].event);
    const char *b =
        prediction->step_count > 1 ? variable_of(maker, &prediction->steps[1].event) : NULL;

    finding->variable = darn_fingerprint_variable(a, b);
    finding->variable_is_vague = darn_identity_is_vague(a, b);
    make_calls(maker, prediction);
    if (finding->access_count > 1 && finding->accesses[0].site_hash &&
        finding->accesses[1].site_hash)
        finding->id = darn_identity_race(maker->pool, finding->accesses[0].site_hash,
                                         finding->accesses[1].site_hash, finding->variable);
    make_location(maker, predicted);
}

/* Whether the address of a step was not that of an earlier one. */
static bool is_new_target(const struct darn_prediction *prediction, size_t step)
{
    for (size_t i = 0; i < step; i++)
        if (prediction->steps[i].event.target == prediction->steps[step].event.target)
            return false;
    return true;
}

/* `head`, `head, tail`: each variable once. NULL when no name is known. */
static const char *variables_of(struct maker *maker, const struct darn_prediction *prediction)
{
    const char *names = NULL;

    for (size_t i = 0; i < prediction->step_count; i++) {
        const struct darn_event *event = &prediction->steps[i].event;
        const char *name = darn_event_is_access(event) && is_new_target(prediction, i)
                               ? variable_of(maker, event)
                               : NULL;

        /* Two elements of one array have one name. */
        if (name && !(names && strcmp(names, name) == 0))
            names = names ? darn_pool_format(maker->pool, "%s, %s", names, name) : name;
    }
    return names;
}

/* The transaction is told like a section: it is what should be atomic. */
static void make_unit(struct maker *maker, const struct darn_prediction *prediction)
{
    const struct darn_trace_site *site = darn_trace_site(maker->trace, prediction->steps[0].unit);

    if (!site || !site->function)
        return;
    maker->finding->section.kind = "transaction";
    maker->finding->section.function = copy(maker, site->function);
}

static void make_atomicity(struct maker *maker, const struct darn_predicted *predicted)
{
    const struct darn_prediction *prediction = predicted->prediction;
    struct darn_finding *finding = maker->finding;

    if (prediction->kind == DARN_PREDICTS_ATOMICITY && prediction->step_count > 3)
        finding->reason = prediction->step_count == 4 ? "two-variables" : "cycle";
    for (size_t i = 0; finding->reason && i < finding->access_count; i++)
        if (finding->accesses[i].op <= DARN_OP_FREE)
            finding->accesses[i].variable = variable_of(maker, &prediction->steps[i].event);
    for (size_t i = 0; i < finding->access_count; i++) {
        const struct darn_trace_site *unit =
            darn_trace_site(maker->trace, prediction->steps[i].unit);

        if (unit && unit->kind == DARN_SITE_FUNCTION)
            finding->accesses[i].unit_key = unit->key;
    }
    finding->variable = variables_of(maker, prediction);
    make_unit(maker, prediction);
    if (prediction->kind == DARN_PREDICTS_ATOMICITY && !finding->reason)
        make_location(maker, predicted);
}

static bool is_listed(const struct darn_finding *finding, const char *thread)
{
    return darn_finding_thread(finding, thread) != NULL;
}

/* Adds the locks of one access to those under which the memory is accessed. */
static void add_guards(struct maker *maker, const struct darn_prediction_step *step)
{
    struct darn_finding *finding = maker->finding;

    for (size_t i = 0; i < step->lock_count; i++) {
        uint64_t lock = step->locks[i].lock;
        size_t at = 0;

        while (at < finding->guard_count && finding->guards[at].address != lock)
            at++;
        if (at == finding->guard_count)
            finding->guards[finding->guard_count++] =
                make_lock(maker, lock_kind(step->locks[i].kind), lock,
                          name_of(maker, DARN_EVENT_ACQUIRE, lock));
        finding->guards[at].uses++;
    }
}

static void make_guards(struct maker *maker, const struct darn_predicted *predicted)
{
    size_t most = 0;

    for (size_t i = 0; i < predicted->guard_count; i++)
        most += predicted->guards[i].lock_count;
    maker->finding->guards = darn_pool_get(maker->pool, most, sizeof(*maker->finding->guards));
    for (size_t i = 0; i < predicted->guard_count; i++)
        add_guards(maker, &predicted->guards[i]);
}

/* Who the threads of the steps are. */
static void make_threads(struct maker *maker, const struct darn_prediction *prediction)
{
    struct darn_finding *finding = maker->finding;

    finding->threads =
        darn_pool_get(maker->pool, prediction->step_count, sizeof(*finding->threads));
    for (size_t i = 0; i < prediction->step_count; i++) {
        const struct darn_trace_thread *from =
            darn_trace_thread(maker->trace, prediction->steps[i].event.thread);
        const char *label = finding->accesses[i].thread;
        struct darn_finding_party *thread = &finding->threads[finding->thread_count];

        if (!from || is_listed(finding, label))
            continue;
        thread->thread = label;
        thread->name = maker->is_text ? NULL : copy(maker, from->name);
        thread->tid = from->tid;
        thread->parent = from->has_parent ? thread_label(maker, from->parent) : NULL;
        thread->stack = make_stack(maker, from->stack);
        finding->thread_count++;
    }
}

static void make_finding(struct maker *maker, const struct darn_predicted *predicted)
{
    const struct darn_prediction *prediction = predicted->prediction;
    struct darn_trace_about about = darn_trace_about(predicted->trace);
    struct darn_finding *finding = maker->finding;

    finding->kind = faults[prediction->kind].kind;
    finding->reason = faults[prediction->kind].reason;
    finding->certainty = "predicted";
    finding->engine = darn_pool_text(maker->pool, predicted->engine);
    finding->count = prediction->count ? prediction->count : 1;
    finding->pid = about.pid;
    finding->from_text_trace = maker->is_text;
    finding->program = copy(maker, about.program);
    finding->preloaded = about.program && !darn_trace_site_count(predicted->trace);
    finding->access_count = prediction->step_count;
    finding->accesses =
        darn_pool_get(maker->pool, finding->access_count, sizeof(*finding->accesses));
    for (size_t i = 0; i < finding->access_count; i++)
        make_access(maker, &prediction->steps[i], &finding->accesses[i]);
    if (prediction->kind == DARN_PREDICTS_RACE || prediction->kind == DARN_PREDICTS_ORDER)
        make_variable(maker, predicted);
    if (prediction->kind == DARN_PREDICTS_ORDER)
        finding->came = finding->count;
    make_guards(maker, predicted);
    if (prediction->kind == DARN_PREDICTS_ATOMICITY ||
        prediction->kind == DARN_PREDICTS_IRREDUCIBLE || prediction->kind == DARN_PREDICTS_VIEWS)
        make_atomicity(maker, predicted);
    make_threads(maker, prediction);
}

struct darn_finding *darn_finding_predicted(const struct darn_predicted *predicted)
{
    struct darn_finding *finding = darn_need_zeroed(1, sizeof(*finding));
    struct maker maker = {
        .trace = predicted->trace,
        .is_text = darn_trace_about(predicted->trace).is_text,
        .finding = finding,
        .pool = &finding->pool,
    };

    maker.path = darn_pool_text(maker.pool, predicted->path);
    make_finding(&maker, predicted);
    return finding;
}

void darn_finding_complete(struct darn_finding *finding, struct darn_modules *modules)
{
    if (finding->from_text_trace)
        darn_identify(finding);
    else
        darn_resolve_in(finding, modules);
}
