#include "report/finding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "report/raw.h"

/* Longer lists are cut: no report needs them, and a wrong input must not take all memory. */
#define MOST_ITEMS 64

static const char *const ops[] = {
    [DARN_OP_READ] = "read", [DARN_OP_WRITE] = "write",     [DARN_OP_UPDATE] = "update",
    [DARN_OP_FREE] = "free", [DARN_OP_ACQUIRE] = "acquire", [DARN_OP_JOIN] = "join",
    [DARN_OP_WAIT] = "wait", [DARN_OP_SIGNAL] = "signal",   [DARN_OP_BROADCAST] = "broadcast",
    [DARN_OP_STOP] = "stop", [DARN_OP_UNLOCK] = "unlock",   [DARN_OP_DESTROY] = "destroy",
    [DARN_OP_INIT] = "init", [DARN_OP_HOLD] = "hold",       [DARN_OP_USE] = "use",
};

const char *darn_op_name(enum darn_op op)
{
    return ops[op];
}

static size_t length_of(const json_t *list)
{
    size_t length = json_array_size(list);

    return length < MOST_ITEMS ? length : MOST_ITEMS;
}

static struct darn_symbol read_symbol(struct darn_text_pool *pool, const json_t *object)
{
    return (struct darn_symbol){
        .module = darn_raw_text(pool, object, "module"),
        .offset = darn_raw_number(object, "offset"),
        .name = darn_raw_text(pool, object, "name"),
        .name_offset = darn_raw_number(object, "name_offset"),
        .part = darn_raw_text(pool, object, "part"),
        .file = darn_raw_text(pool, object, "file"),
        .line = darn_raw_line(object, "line"),
    };
}

static struct darn_lock read_lock(struct darn_text_pool *pool, const json_t *object)
{
    const char *kind = darn_raw_text(pool, object, "kind");

    return (struct darn_lock){
        .kind = kind ? kind : "lock",
        .address = darn_raw_number(object, "address"),
        .symbol = read_symbol(pool, object),
        .expression = darn_raw_text(pool, object, "expression"),
        .stack = darn_raw_stack(pool, object),
        .taken = darn_raw_frame(pool, json_object_get(object, "taken")),
        .uses = darn_raw_number(object, "uses"),
    };
}

static struct darn_lock *read_locks(struct darn_text_pool *pool, const json_t *list, size_t *count)
{
    struct darn_lock *locks = darn_pool_get(pool, length_of(list), sizeof(*locks));

    *count = length_of(list);
    for (size_t i = 0; i < *count; i++)
        locks[i] = read_lock(pool, json_array_get(list, i));
    return locks;
}

static void read_target(struct darn_text_pool *pool, struct darn_finding_access *access,
                        const json_t *object)
{
    const json_t *target = json_object_get(object, "target");
    const json_t *mutex = json_object_get(object, "mutex");

    access->awaited = darn_raw_text(pool, target, "thread");
    access->predicate = darn_raw_text(pool, object, "predicate");
    if (json_is_object(target) && !access->awaited)
        access->target = read_lock(pool, target);
    if (json_is_object(mutex))
        access->mutex = read_lock(pool, mutex);
}

/* False: the op is none that we know; it stands for a place. */
static bool read_op(const json_t *access, enum darn_op *op)
{
    const char *name = json_string_value(json_object_get(access, "op"));

    *op = DARN_OP_STOP;
    for (size_t i = 0; name && i < sizeof(ops) / sizeof(ops[0]); i++) {
        if (strcmp(name, ops[i]) == 0) {
            *op = (enum darn_op)i;
            return true;
        }
    }
    return false;
}

static void read_site(struct darn_text_pool *pool, struct darn_finding_access *access,
                      const json_t *object)
{
    access->file = darn_raw_text(pool, object, "file");
    access->dir = darn_raw_text(pool, object, "dir");
    access->site_file = darn_raw_text(pool, object, "site_file");
    access->function = darn_raw_text(pool, object, "function");
    access->line = darn_raw_line(object, "line");
    access->column = darn_raw_line(object, "column");
    access->has_site = access->file && access->line;
    access->site_key = darn_raw_number(object, "site_key");
}

/* False: the op is not known. */
static bool read_access(struct darn_text_pool *pool, struct darn_finding_access *access,
                        const json_t *object)
{
    access->atomic = darn_raw_flag(object, "atomic");
    access->is_volatile = darn_raw_flag(object, "volatile");
    access->is_pointer = darn_raw_flag(object, "pointer");
    access->assertion = darn_raw_text(pool, object, "assertion");
    access->object = darn_raw_text(pool, object, "object");
    access->call = darn_raw_text(pool, object, "call");
    access->fault = darn_raw_text(pool, object, "fault");
    access->size = darn_raw_number(object, "size");
    access->value = darn_raw_value(object, "value");
    access->thread = darn_raw_text(pool, object, "thread");
    access->thread_name = darn_raw_text(pool, object, "thread_name");
    access->tid = (int64_t)darn_raw_number(object, "tid");
    access->variable = darn_raw_text(pool, object, "variable");
    access->last_seen = darn_raw_flag(object, "last_seen");
    read_site(pool, access, object);
    access->stack = darn_raw_stack(pool, object);
    access->locks = read_locks(pool, json_object_get(object, "locks"), &access->lock_count);
    access->locks_unknown = darn_raw_flag(object, "locks_unknown");
    read_target(pool, access, object);
    return read_op(object, &access->op);
}

/* False: an op is not known. */
static bool read_accesses(struct darn_finding *finding, const json_t *list)
{
    bool known = true;

    finding->access_count = length_of(list);
    finding->accesses =
        darn_pool_get(&finding->pool, finding->access_count, sizeof(*finding->accesses));
    for (size_t i = 0; i < finding->access_count; i++) {
        struct darn_finding_access *access = &finding->accesses[i];

        known &= read_access(&finding->pool, access, json_array_get(list, i));
        if (access->assertion)
            finding->assertion = access->assertion;
    }
    return known;
}

static void read_location(struct darn_text_pool *pool, struct darn_location *location,
                          const json_t *object)
{
    const char *kind = json_string_value(json_object_get(object, "kind"));

    if (!kind)
        return;
    if (strcmp(kind, "global") == 0)
        location->kind = DARN_LOCATION_GLOBAL;
    else if (strcmp(kind, "heap") == 0)
        location->kind = DARN_LOCATION_HEAP;
    else if (strcmp(kind, "stack") == 0)
        location->kind = DARN_LOCATION_STACK;
    location->address = darn_raw_number(object, "address");
    location->size = darn_raw_number(object, "size");
    location->thread = darn_raw_text(pool, object, "thread");
    location->stack = darn_raw_stack(pool, object);
    location->symbol = read_symbol(pool, object);
}

static void read_blocks(struct darn_finding *finding, const json_t *list)
{
    finding->block_count = length_of(list);
    finding->blocks = darn_pool_get(&finding->pool, finding->block_count, sizeof(*finding->blocks));
    for (size_t i = 0; i < finding->block_count; i++)
        read_location(&finding->pool, &finding->blocks[i], json_array_get(list, i));
}

static void read_threads(struct darn_finding *finding, const json_t *list)
{
    struct darn_text_pool *pool = &finding->pool;

    finding->thread_count = length_of(list);
    finding->threads = darn_pool_get(pool, finding->thread_count, sizeof(*finding->threads));
    for (size_t i = 0; i < finding->thread_count; i++) {
        const json_t *object = json_array_get(list, i);
        struct darn_finding_party *thread = &finding->threads[i];

        thread->thread = darn_raw_text(pool, object, "thread");
        thread->name = darn_raw_text(pool, object, "name");
        thread->parent = darn_raw_text(pool, object, "parent");
        thread->tid = (int64_t)darn_raw_number(object, "tid");
        thread->stack = darn_raw_stack(pool, object);
    }
}

static void read_head(struct darn_finding *finding, const json_t *root)
{
    struct darn_text_pool *pool = &finding->pool;
    const char *origin = json_string_value(json_object_get(root, "origin"));
    uint64_t count = darn_raw_number(root, "count");

    finding->pid = (int64_t)darn_raw_number(root, "pid");
    finding->program = darn_raw_text(pool, root, "program");
    if (darn_raw_flag(root, "had_arguments"))
        finding->arguments = " ARGUMENTS...";
    finding->id = darn_raw_text(pool, root, "id");
    finding->variant_of = darn_raw_text(pool, root, "variant_of");
    finding->kind = darn_raw_text(pool, root, "kind");
    finding->certainty = darn_raw_text(pool, root, "certainty");
    finding->engine = darn_raw_text(pool, root, "engine");
    finding->variable = darn_raw_text(pool, root, "variable");
    finding->reason = darn_raw_text(pool, root, "reason");
    finding->assertion = darn_raw_text(pool, root, "assertion");
    finding->count = count ? count : 1;
    finding->address = darn_raw_number(root, "address");
    finding->size = darn_raw_number(root, "size");
    finding->before = darn_raw_value(root, "before");
    finding->after = darn_raw_value(root, "after");
    finding->same_value = darn_raw_flag(root, "same_value");
    finding->was_predicted = darn_raw_flag(root, "was_predicted");
    finding->preloaded = darn_raw_flag(root, "preloaded");
    finding->unknown_origin = origin && strcmp(origin, "unknown") == 0;
}

static void read_section(struct darn_finding *finding, const json_t *object)
{
    struct darn_text_pool *pool = &finding->pool;

    finding->section = (struct darn_violated){
        .kind = darn_raw_text(pool, object, "kind"),
        .function = darn_raw_text(pool, object, "function"),
        .at = darn_raw_text(pool, object, "at"),
        .allow = darn_raw_text(pool, object, "allow"),
    };
}

/* How the runs ended in which the one or the other access came first. */
static void read_orders(struct darn_finding *finding, const json_t *orders)
{
    for (size_t i = 0; i < length_of(orders); i++) {
        json_t *order = json_array_get(orders, i), *ends = json_object_get(order, "ends"), *count;
        uint64_t first = darn_raw_number(order, "first");
        const char *word;

        if (first > 1)
            continue;
        json_object_foreach (ends, word, count) {
            if (strcmp(word, "ok") == 0)
                finding->well[first] += (uint32_t)json_integer_value(count);
            else if (strcmp(word, "none") != 0 && strcmp(word, "cut") != 0)
                finding->badly[first] += (uint32_t)json_integer_value(count);
        }
    }
}

static void read_proof(struct darn_finding *finding, const json_t *root)
{
    struct darn_text_pool *pool = &finding->pool;
    const json_t *outcomes = json_object_get(root, "outcomes");
    size_t count = length_of(outcomes);

    finding->detail = darn_raw_text(pool, root, "detail");
    finding->schedule = darn_raw_text(pool, root, "schedule");
    finding->came = (uint64_t)darn_raw_number(root, "came");
    finding->trials = (uint32_t)darn_raw_number(root, "trials");
    finding->hits = (uint32_t)darn_raw_number(root, "hits");
    finding->is_suspicion = json_is_true(json_object_get(root, "suspicion"));
    finding->is_cut_off = json_is_true(json_object_get(root, "cut_off"));
    read_orders(finding, json_object_get(root, "orders"));
    finding->outcomes = darn_pool_get(pool, count, sizeof(*finding->outcomes));
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(outcomes, i));

        if (word && *word)
            finding->outcomes[finding->outcome_count++] = darn_pool_text(pool, word);
    }
}

/* All of it. False: an op is not known. */
static bool read_finding(struct darn_finding *finding, const json_t *root)
{
    bool known;

    read_head(finding, root);
    known = read_accesses(finding, json_object_get(root, "accesses"));
    finding->guards =
        read_locks(&finding->pool, json_object_get(root, "guards"), &finding->guard_count);
    read_location(&finding->pool, &finding->location, json_object_get(root, "place"));
    read_blocks(finding, json_object_get(root, "blocks"));
    read_threads(finding, json_object_get(root, "threads"));
    read_section(finding, json_object_get(root, "section"));
    read_proof(finding, root);
    return known;
}

/* What reports cannot do without. */
static int read_raw(struct darn_finding *finding, const json_t *root, char *error,
                    size_t error_size)
{
    bool known = read_finding(finding, root);

    if (!finding->kind || !finding->id) {
        snprintf(error, error_size, "the raw finding has no %s", finding->kind ? "id" : "kind");
        return -1;
    }
    if (!known || !finding->access_count) {
        snprintf(
            error, error_size,
            "the raw finding has no accesses, or one whose op is not read, write, update, use, "
            "free, acquire, join, wait, signal, broadcast, stop, unlock, destroy, init or "
            "hold");
        return -1;
    }
    return 0;
}

struct darn_finding *darn_finding_read(const char *json, size_t length, char *error,
                                       size_t error_size)
{
    json_t *root = darn_raw_load(json, length, error, error_size);
    struct darn_finding *finding = root ? darn_need_zeroed(1, sizeof(*finding)) : NULL;

    if (finding && read_raw(finding, root, error, error_size)) {
        darn_finding_free(finding);
        finding = NULL;
    }
    json_decref(root);
    return finding;
}

struct darn_finding *darn_finding_reported(const json_t *object)
{
    struct darn_finding *finding = darn_need_zeroed(1, sizeof(*finding));

    (void)read_finding(finding, object);
    if (!finding->kind)
        finding->kind = "";
    if (!finding->certainty)
        finding->certainty = "observed";
    for (size_t i = 0; i < finding->access_count; i++)
        if (!finding->accesses[i].thread)
            finding->accesses[i].thread = "another thread";
    return finding;
}

void darn_finding_free(struct darn_finding *finding)
{
    if (!finding)
        return;
    darn_pool_release(&finding->pool);
    free(finding);
}

bool darn_finding_is(const struct darn_finding *finding, const char *kind)
{
    return strcmp(finding->kind, kind) == 0;
}

bool darn_finding_is_predicted(const struct darn_finding *finding)
{
    return finding->certainty && strcmp(finding->certainty, "predicted") == 0;
}

bool darn_finding_is_observed(const struct darn_finding *finding)
{
    return finding->certainty && strcmp(finding->certainty, "observed") == 0;
}

bool darn_finding_is_confirmed(const struct darn_finding *finding)
{
    return finding->certainty && strcmp(finding->certainty, "confirmed") == 0;
}

const struct darn_finding_party *darn_finding_thread(const struct darn_finding *finding,
                                                     const char *thread)
{
    for (size_t i = 0; thread && i < finding->thread_count; i++) {
        const char *name = finding->threads[i].thread;

        if (name && strcmp(name, thread) == 0)
            return &finding->threads[i];
    }
    return NULL;
}
