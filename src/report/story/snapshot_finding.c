/* Findings of controlled runs: what a thread of a control block is about to do, and what two
 * threads met at. */
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/grow.h"
#include "report/identity.h"
#include "report/story/snapshot_private.h"
#include "report/symbol/resolve.h"
#include "site/site_calls.h"
#include "trace/event.h"
#include "trace/kinds.h"

static const char *label_of(struct darn_text_pool *pool, uint32_t thread)
{
    return darn_pool_format(pool, "T%u", thread);
}

static struct darn_finding_stack make_stack(const struct darn_snapshot *snapshot,
                                            struct darn_text_pool *pool, const uint64_t *pcs,
                                            size_t count)
{
    struct darn_finding_stack stack = {darn_pool_get(pool, count, sizeof(*stack.frames)), count};

    for (size_t i = 0; i < count; i++) {
        struct darn_frame *frame = &stack.frames[i];

        frame->pc = pcs[i];
        frame->module = darn_snapshot_locate(snapshot, pool, pcs[i], &frame->offset);
    }
    return stack;
}

static struct darn_lock make_lock(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                                  const char *kind, uint64_t address)
{
    struct darn_lock lock = {.kind = kind, .address = address};

    lock.symbol.module = darn_snapshot_locate(snapshot, pool, address, &lock.symbol.offset);
    return lock;
}

/* Where a lock was taken: the call, and those around it as far as they are known. */
static struct darn_finding_stack make_taken(const struct darn_snapshot *snapshot,
                                            struct darn_text_pool *pool,
                                            const struct darn_block_thread *thread, size_t lock)
{
    uint64_t pcs[1 + DARN_BLOCK_CALLERS] = {thread->lock_pcs[lock]};
    size_t depth = 1;

    while (depth <= DARN_BLOCK_CALLERS && thread->lock_callers[lock][depth - 1]) {
        pcs[depth] = thread->lock_callers[lock][depth - 1];
        depth++;
    }
    return make_stack(snapshot, pool, pcs, depth);
}

static void make_locks(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                       const struct darn_block_thread *thread, struct darn_finding_access *access)
{
    access->lock_count = darn_snapshot_locks(thread);
    access->locks = darn_pool_get(pool, access->lock_count, sizeof(*access->locks));
    for (size_t i = 0; i < access->lock_count; i++) {
        const char *kind = darn_snapshot_held_kind(snapshot, thread->thread, thread->locks[i]);

        access->locks[i] = make_lock(snapshot, pool, kind, thread->locks[i]);
        if (thread->lock_pcs[i])
            access->locks[i].stack = make_taken(snapshot, pool, thread, i);
    }
}

/* Where the thread is. The place of what is no access is the innermost frame, should no stack be
 * known. */
static void make_where(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                       const struct darn_block_thread *thread, struct darn_finding_access *access)
{
    size_t depth = thread->depth < DARN_BLOCK_STACK ? thread->depth : DARN_BLOCK_STACK;

    if (depth)
        access->stack = make_stack(snapshot, pool, thread->stack, depth);
    else if (thread->place && !darn_snapshot_has_site((enum darn_step_op)thread->op))
        access->stack = make_stack(snapshot, pool, &thread->place, 1);
}

static const char *copy(struct darn_text_pool *pool, const char *text)
{
    return *text ? darn_pool_text(pool, text) : NULL;
}

static void make_site(struct darn_finding *finding, const struct darn_image_site *site,
                      struct darn_finding_access *access)
{
    struct darn_text_pool *pool = &finding->pool;

    access->is_volatile = site->record.flags & DARN_SITE_VOLATILE;
    access->is_pointer = darn_site_stores_pointer(site->record.kind, site->record.flags);
    access->call = darn_call_name(site->record.flags, site->record.size);
    if (site->record.flags & DARN_SITE_ASSERT_WRITER)
        access->assertion = "exclusive-writer";
    else if (site->record.flags & DARN_SITE_ASSERT_ACCESS)
        access->assertion = "exclusive-access";
    access->file = copy(pool, site->file);
    access->dir = copy(pool, site->dir);
    access->function = copy(pool, site->function);
    access->line = site->record.line;
    access->column = site->record.column;
    access->has_site = access->file && access->line;
    /* As in predict.c: by the names of the record, before they are demangled. */
    if (access->has_site && access->op < DARN_OP_FREE)
        access->site_hash = darn_fingerprint_site(finding->kind, access->file, access->function,
                                                  access->line, access->column);
}

static enum darn_op op_of(enum darn_step_op op)
{
    switch (op) {
    case DARN_STEP_READ:
        return DARN_OP_READ;
    case DARN_STEP_WRITE:
        return DARN_OP_WRITE;
    case DARN_STEP_UPDATE:
        return DARN_OP_UPDATE;
    case DARN_STEP_FREE:
    case DARN_STEP_DESTROY:
    case DARN_STEP_CLOSE:
        return DARN_OP_FREE;
    case DARN_STEP_USE:
        return DARN_OP_USE;
    case DARN_STEP_LOCK:
    case DARN_STEP_READLOCK:
    case DARN_STEP_WRITELOCK:
    case DARN_STEP_RELOCK:
    case DARN_STEP_ONCE:
        return DARN_OP_ACQUIRE;
    case DARN_STEP_JOIN:
        return DARN_OP_JOIN;
    case DARN_STEP_WAIT:
    case DARN_STEP_TAKE:
    case DARN_STEP_BARRIER:
    case DARN_STEP_SPIN:
        return DARN_OP_WAIT;
    default:
        return DARN_OP_STOP;
    }
}

/* What it waits for. A spin waits for a variable to change. */
static void make_target(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                        const struct darn_block_thread *thread, const struct darn_image_site *site,
                        struct darn_finding_access *access)
{
    if (access->op == DARN_OP_STOP)
        return;
    if (access->op == DARN_OP_JOIN) {
        access->awaited = thread->owner ? label_of(pool, thread->owner - 1) : NULL;
        return;
    }
    access->target = make_lock(
        snapshot, pool, darn_snapshot_target_kind((enum darn_step_op)thread->op), thread->object);
    if (thread->op == DARN_STEP_SPIN) {
        access->target.kind = "variable";
        if (site && *site->variable)
            access->target.symbol = (struct darn_symbol){.name = copy(pool, site->variable)};
    }
    if (thread->op == DARN_STEP_WAIT && thread->mutex)
        access->mutex = make_lock(snapshot, pool, "mutex", thread->mutex);
}

void darn_snapshot_access(const struct darn_snapshot *snapshot, struct darn_finding *finding,
                          const struct darn_block_thread *thread,
                          struct darn_finding_access *access)
{
    struct darn_text_pool *pool = &finding->pool;
    struct darn_image_site site;
    bool has_site = darn_snapshot_has_site((enum darn_step_op)thread->op) &&
                    darn_snapshot_site(snapshot, thread->place, &site);

    access->op = op_of((enum darn_step_op)thread->op);
    access->atomic = thread->atomic;
    access->size = access->op < DARN_OP_USE ? thread->size : 0;
    if (access->op == DARN_OP_FREE || access->op == DARN_OP_USE)
        access->object = darn_event_object_name(thread->what);
    access->thread = label_of(pool, thread->thread);
    if (has_site)
        make_site(finding, &site, access);
    else if (access->op == DARN_OP_FREE)
        access->site_hash = darn_fingerprint_word(finding->kind, "free");
    make_where(snapshot, pool, thread, access);
    make_locks(snapshot, pool, thread, access);
    if (access->op > DARN_OP_FREE)
        make_target(snapshot, pool, thread, has_site ? &site : NULL, access);
}

struct darn_finding *darn_snapshot_finding(const struct darn_snapshot *snapshot, const char *kind,
                                           const char *engine, size_t accesses)
{
    struct darn_finding *finding = darn_need_zeroed(1, sizeof(*finding));
    struct darn_text_pool *pool = &finding->pool;

    finding->kind = kind;
    finding->certainty = "confirmed";
    finding->engine = engine;
    finding->count = 1;
    finding->program = darn_pool_text(pool, snapshot->program);
    finding->arguments = darn_pool_text(pool, snapshot->arguments ? snapshot->arguments : "");
    finding->accesses = darn_pool_get(pool, accesses, sizeof(*finding->accesses));
    finding->access_count = accesses;
    return finding;
}

void darn_snapshot_complete(const struct darn_snapshot *snapshot, struct darn_finding *finding)
{
    struct darn_text_pool *pool = &finding->pool;

    finding->threads = darn_pool_get(pool, finding->access_count, sizeof(*finding->threads));
    for (size_t i = 0; i < finding->access_count; i++) {
        const char *label = finding->accesses[i].thread;
        struct darn_finding_party *thread = &finding->threads[finding->thread_count];
        const struct darn_step *creation;

        if (!label || darn_finding_thread(finding, label))
            continue;
        creation = darn_snapshot_creation(snapshot, (uint32_t)strtoul(label + 1, NULL, 10));
        thread->thread = label;
        if (creation) {
            thread->parent = label_of(pool, creation->thread);
            if (creation->place)
                thread->stack = make_stack(snapshot, pool, &creation->place, 1);
        }
        finding->thread_count++;
    }
    darn_resolve_in(finding, snapshot->modules);
}

/* What the site calls it; NULL when there is no name. */
static const char *variable_of(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                               const struct darn_block_thread *thread)
{
    struct darn_image_site site;

    if (!darn_snapshot_has_site((enum darn_step_op)thread->op) ||
        !darn_snapshot_site(snapshot, thread->place, &site))
        return NULL;
    return copy(pool, site.variable);
}

/* The memory that both touch, and how it is called. */
static void make_variable(const struct darn_snapshot *snapshot, struct darn_finding *finding,
                          const struct darn_block_thread *one,
                          const struct darn_block_thread *other)
{
    struct darn_text_pool *pool = &finding->pool;
    const struct darn_block_thread *freed = darn_step_ends(one->op) ? one : other;
    const char *a = variable_of(snapshot, pool, one), *b = variable_of(snapshot, pool, other);

    finding->variable = darn_fingerprint_variable(a, b);
    finding->variable_is_vague = darn_identity_is_vague(a, b);
    finding->address = one->object > other->object ? one->object : other->object;
    finding->size = darn_step_ends(one->op) ? other->size : one->size;
    if (freed->what == DARN_EVENT_IS_DESCRIPTOR)
        finding->variable =
            darn_pool_format(pool, "file descriptor %u", darn_event_file(finding->address));
    if (freed->op == DARN_STEP_FREE && freed->size) {
        finding->location.kind = DARN_LOCATION_HEAP;
        finding->location.address = freed->object;
        finding->location.size = freed->size;
        return;
    }
    finding->location.symbol.module =
        darn_snapshot_locate(snapshot, pool, finding->address, &finding->location.symbol.offset);
    if (finding->location.symbol.module)
        finding->location.kind = DARN_LOCATION_GLOBAL;
}

/* The same side comes first in every run: the one that writes, then the one whose place is lower.
 */
int darn_snapshot_first_side(const struct darn_block_met *met)
{
    const struct darn_block_thread *one = &met->threads[0], *other = &met->threads[1];

    if (darn_step_writes(one->op) != darn_step_writes(other->op))
        return !darn_step_writes(one->op);
    return one->place != other->place ? one->place > other->place : one->thread > other->thread;
}

/* Whether the step takes the lock for its thread alone, or for it and other readers. A try may be
 * in vain. */
static bool takes(const struct darn_step *step, uint64_t lock)
{
    return step->object == lock &&
           (step->op == DARN_STEP_LOCK || step->op == DARN_STEP_RELOCK ||
            step->op == DARN_STEP_READLOCK || step->op == DARN_STEP_WRITELOCK);
}

#define MOST_USES 8

/* At how many places, or by how many threads, the memory was accessed under this lock. Of several
 * readers the last one counts: the others are counted when they are. */
static uint64_t count_uses(const struct darn_snapshot *snapshot, uint64_t lock, uint64_t address)
{
    const struct darn_step *holder = NULL, *uses[MOST_USES];
    uint64_t count = 0;

    for (uint64_t i = 0; i < darn_snapshot_steps(snapshot) && count < MOST_USES; i++) {
        const struct darn_step *step = &snapshot->block->steps[i];
        uint64_t same = 0;

        if (takes(step, lock))
            holder = step;
        if (!holder || step->thread != holder->thread)
            continue;
        if (step->object == lock &&
            (step->op == DARN_STEP_UNLOCK || step->op == DARN_STEP_RWUNLOCK))
            holder = NULL;
        if (step->object != address || !darn_step_is_access((enum darn_step_op)step->op))
            continue;
        while (same < count &&
               (uses[same]->thread != step->thread || uses[same]->place != step->place))
            same++;
        if (same == count)
            uses[count++] = step;
    }
    return count;
}

/* Of the locks of both sides: how often others hold them. */
static void make_guards(const struct darn_snapshot *snapshot, struct darn_finding *finding)
{
    const struct darn_finding_access *one = &finding->accesses[0], *other = &finding->accesses[1];
    size_t most = one->lock_count + other->lock_count;

    finding->guards = darn_pool_get(&finding->pool, most, sizeof(*finding->guards));
    for (size_t i = 0; most > 1 && i < most; i++) {
        struct darn_lock *guard = &finding->guards[finding->guard_count++];

        *guard = i < one->lock_count ? one->locks[i] : other->locks[i - one->lock_count];
        guard->stack.count = 0;
        guard->uses = count_uses(snapshot, guard->address, finding->address);
    }
}

/* A call that locks, signals or sends uses what the other thread ends. */
static void make_use(struct darn_block_thread *use, const struct darn_block_thread *end)
{
    if (!use->what)
        use->what = end->what;
    use->op = DARN_STEP_USE;
}

/* As in predict.c: calls are known by their places alone. */
static void make_race_id(struct darn_finding *finding)
{
    struct darn_finding_access *one = &finding->accesses[0], *other = &finding->accesses[1];

    if (!one->has_site && !other->has_site)
        one->site_hash = other->site_hash = 0;
    if (one->site_hash && other->site_hash)
        finding->id =
            darn_identity_race(&finding->pool, one->site_hash, other->site_hash, finding->variable);
}

static struct darn_finding *make_race(const struct darn_snapshot *snapshot,
                                      const struct darn_block_met *met)
{
    struct darn_finding *finding = darn_snapshot_finding(snapshot, "data-race", "racefuzzer", 2);
    int first = darn_snapshot_first_side(met);

    for (int side = 0; side < 2; side++) {
        /* A read that spins is a read all the same. */
        struct darn_block_thread thread = met->threads[side ^ first];

        if (thread.op == DARN_STEP_SPIN)
            thread.op = DARN_STEP_READ;
        else if (!darn_step_is_access(thread.op) && !darn_step_ends(thread.op))
            make_use(&thread, &met->threads[side ^ first ^ 1]);
        darn_snapshot_access(snapshot, finding, &thread, &finding->accesses[side]);
        if (finding->accesses[side].assertion)
            finding->assertion = finding->accesses[side].assertion;
    }
    make_variable(snapshot, finding, &met->threads[0], &met->threads[1]);
    make_guards(snapshot, finding);
    make_race_id(finding);
    return finding;
}

/* Local, remote, local: in the order in which they happen. */
static struct darn_finding *make_triple(const struct darn_snapshot *snapshot,
                                        const struct darn_block_met *met)
{
    struct darn_finding *finding =
        darn_snapshot_finding(snapshot, "atomicity-violation", "racefuzzer", 3);
    bool is_known = true;

    for (size_t i = 0; i < 3; i++) {
        darn_snapshot_access(snapshot, finding, &met->threads[2 - i], &finding->accesses[i]);
        is_known &= finding->accesses[i].site_hash != 0;
    }
    make_variable(snapshot, finding, &met->threads[0], &met->threads[1]);
    if (!finding->variable)
        finding->variable = variable_of(snapshot, &finding->pool, &met->threads[2]);
    if (is_known)
        finding->id = darn_identity_places(finding);
    return finding;
}

/* Whether an earlier access of the quad touches the same memory. */
static bool is_touched(const struct darn_block_met *met, int access)
{
    for (int i = 0; i < access; i++)
        if (met->threads[3 - i].object == met->threads[3 - access].object)
            return true;
    return false;
}

/* Four accesses, in the order in which they happen; each variable is named once, as in what is
 * predicted. */
static struct darn_finding *make_quad(const struct darn_snapshot *snapshot,
                                      const struct darn_block_met *met)
{
    struct darn_finding *finding =
        darn_snapshot_finding(snapshot, "atomicity-violation", "racefuzzer", 4);
    struct darn_text_pool *pool = &finding->pool;
    bool is_known = true;

    finding->reason = "two-variables";
    for (int i = 0; i < 4; i++) {
        struct darn_finding_access *access = &finding->accesses[i];
        const char *names = finding->variable;

        darn_snapshot_access(snapshot, finding, &met->threads[3 - i], access);
        access->variable = variable_of(snapshot, pool, &met->threads[3 - i]);
        is_known &= access->site_hash != 0;
        if (access->variable && !is_touched(met, i) &&
            !(names && strcmp(names, access->variable) == 0))
            finding->variable = names ? darn_pool_format(pool, "%s, %s", names, access->variable)
                                      : access->variable;
    }
    if (is_known)
        finding->id = darn_identity_places(finding);
    return finding;
}

struct darn_finding *darn_snapshot_met(const struct darn_snapshot *snapshot,
                                       const struct darn_block_met *met)
{
    struct darn_finding *finding;

    if (met->kind == DARN_MET_ORDER)
        return NULL; /* what the run comes to is the finding */
    finding = met->kind == DARN_MET_TRIPLE ? make_triple(snapshot, met)
              : met->kind == DARN_MET_QUAD ? make_quad(snapshot, met)
                                           : make_race(snapshot, met);
    darn_snapshot_complete(snapshot, finding);
    return finding;
}
