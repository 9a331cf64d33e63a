/*
 * JSON Lines: one object per finding, for tools.
 *
 * The fields id, kind, certainty, variable, count, accesses (op, thread, file, line, column,
 * function, stack, locks), engine, schedule and outcomes are fixed (docs/howto-report-format.md);
 * others may be added.
 * Paths are not shortened: tools find the files, and `darn run --noise-from` the sites, by them.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/counts.h"
#include "report/report_format.h"
#include "report/suppress.h"
#include "report/text/utf8.h"
#include "report/violation.h"

/* JSON is UTF-8; names from debug information need not be. */
static json_t *text_object(const char *text)
{
    json_t *object = json_string(text);
    char *copy = object ? NULL : strdup(text);

    if (copy) {
        darn_utf8_repair(copy, strlen(copy));
        object = json_string_nocheck(copy);
        free(copy);
    }
    return object;
}

static void put_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, text_object(text));
}

static void put_number(json_t *object, const char *key, uint64_t number)
{
    if (number)
        json_object_set_new(object, key, json_integer((json_int_t)number));
}

/* JSON numbers are doubles to many readers: 64 bits go as text. */
static void put_hex(json_t *object, const char *key, uint64_t bits)
{
    char text[sizeof("0x") + 16];

    snprintf(text, sizeof(text), "0x%" PRIx64, bits);
    put_text(object, key, text);
}

static void put_value(json_t *object, const char *key, struct darn_value value)
{
    if (value.known)
        put_hex(object, key, value.bits);
}

static void put_flag(json_t *object, const char *key, bool flag)
{
    if (flag)
        json_object_set_new(object, key, json_true());
}

static json_t *stack_object(const struct darn_finding_stack *stack)
{
    json_t *list = json_array();

    for (size_t i = 0; i < stack->count; i++) {
        const struct darn_frame *frame = &stack->frames[i];
        json_t *object = json_object();

        put_text(object, "function", frame->function);
        put_text(object, "file", frame->file);
        put_number(object, "line", frame->line);
        put_number(object, "column", frame->column);
        put_text(object, "module", frame->module);
        if (frame->module)
            put_hex(object, "offset", frame->offset);
        else
            put_hex(object, "pc", frame->pc);
        json_array_append_new(list, object);
    }
    return list;
}

static void put_symbol(json_t *object, const struct darn_symbol *symbol)
{
    put_text(object, "name", symbol->name);
    put_number(object, "name_offset", symbol->name ? symbol->name_offset : 0);
    put_text(object, "part", symbol->part);
    put_text(object, "file", symbol->file);
    put_number(object, "line", symbol->file ? symbol->line : 0);
    put_text(object, "module", symbol->module);
    if (symbol->module)
        put_hex(object, "offset", symbol->offset);
}

/* `file` and `line` of a lock are where it is declared; where it was taken has an object of its
 * own.
 */
static json_t *taken_object(const struct darn_frame *taken)
{
    json_t *object = json_object();

    put_text(object, "file", taken->file);
    put_number(object, "line", taken->line);
    put_number(object, "column", taken->column);
    put_text(object, "function", taken->function);
    return object;
}

static json_t *lock_object(const struct darn_lock *lock)
{
    json_t *object = json_object();

    put_text(object, "kind", lock->kind);
    put_hex(object, "address", lock->address);
    put_symbol(object, &lock->symbol);
    if (lock->taken.file || lock->taken.function)
        json_object_set_new(object, "taken", taken_object(&lock->taken));
    if (lock->stack.count)
        json_object_set_new(object, "stack", stack_object(&lock->stack));
    return object;
}

static json_t *locks_object(const struct darn_finding_access *access)
{
    json_t *list = json_array();

    for (size_t i = 0; i < access->lock_count; i++)
        json_array_append_new(list, lock_object(&access->locks[i]));
    return list;
}

static void put_target(json_t *object, const struct darn_finding_access *access)
{
    if (access->awaited)
        json_object_set_new(object, "target",
                            json_pack("{s:o}", "thread", text_object(access->awaited)));
    else if (access->target.kind)
        json_object_set_new(object, "target", lock_object(&access->target));
    if (access->mutex.kind)
        json_object_set_new(object, "mutex", lock_object(&access->mutex));
    put_text(object, "predicate", access->predicate);
}

static json_t *access_object(const struct darn_finding_access *access)
{
    json_t *object = json_object();

    put_text(object, "op", darn_op_name(access->op));
    put_text(object, "thread", access->thread);
    put_text(object, "thread_name", access->thread_name);
    put_text(object, "file", access->file);
    put_text(object, "dir", access->dir);
    put_number(object, "line", access->line);
    put_number(object, "column", access->column);
    put_text(object, "function", access->function);
    put_text(object, "variable", access->variable);
    put_number(object, "size", access->size);
    put_value(object, "value", access->value);
    put_flag(object, "atomic", access->atomic);
    put_flag(object, "volatile", access->is_volatile);
    put_flag(object, "last_seen", access->last_seen);
    put_text(object, "assertion", access->assertion);
    json_object_set_new(object, "stack", stack_object(&access->stack));
    json_object_set_new(object, "locks", locks_object(access));
    put_target(object, access);
    return object;
}

static json_t *accesses_object(const struct darn_finding *finding)
{
    json_t *list = json_array();

    for (size_t i = 0; i < finding->access_count; i++)
        json_array_append_new(list, access_object(&finding->accesses[i]));
    return list;
}

static json_t *place_object(const struct darn_place *place)
{
    static const char *const kinds[] = {
        [DARN_PLACE_UNKNOWN] = NULL,
        [DARN_PLACE_GLOBAL] = "global",
        [DARN_PLACE_HEAP] = "heap",
        [DARN_PLACE_STACK] = "stack",
    };
    json_t *object = json_object();

    put_text(object, "kind", kinds[place->kind]);
    put_text(object, "thread", place->thread);
    if (place->kind == DARN_PLACE_HEAP) {
        put_hex(object, "address", place->address);
        put_number(object, "size", place->size);
        json_object_set_new(object, "stack", stack_object(&place->stack));
    } else if (place->kind == DARN_PLACE_GLOBAL) {
        put_symbol(object, &place->symbol);
    }
    return object;
}

static json_t *threads_object(const struct darn_finding *finding)
{
    json_t *list = json_array();

    for (size_t i = 0; i < finding->thread_count; i++) {
        const struct darn_finding_party *thread = &finding->threads[i];
        json_t *object = json_object();

        put_text(object, "thread", thread->thread);
        put_text(object, "name", thread->name);
        put_text(object, "parent", thread->parent);
        json_object_set_new(object, "stack", stack_object(&thread->stack));
        json_array_append_new(list, object);
    }
    return list;
}

static void put_violation(json_t *object, const struct darn_finding *finding,
                          struct darn_text_pool *pool)
{
    static const struct darn_style whole_paths;
    const struct darn_violated *section = &finding->section;
    json_t *fields = json_object();

    put_text(fields, "kind", section->kind);
    put_text(fields, "function", section->function);
    put_text(fields, "at", section->at);
    put_text(fields, "allow", section->allow);
    if (json_object_size(fields))
        json_object_set(object, "section", fields);
    json_decref(fields);
    put_text(object, "pattern", darn_violation_pattern(finding, &whole_paths, pool));
}

static void put_proof(json_t *object, const struct darn_finding *finding)
{
    json_t *list;

    put_text(object, "schedule", finding->schedule);
    if (!darn_finding_is_confirmed(finding) && !finding->outcome_count)
        return;
    list = json_array();
    for (size_t i = 0; i < finding->outcome_count; i++)
        json_array_append_new(list, text_object(finding->outcomes[i]));
    json_object_set_new(object, "outcomes", list);
    if (!finding->trials)
        return;
    put_number(object, "trials", finding->trials);
    json_object_set_new(object, "hits", json_integer(finding->hits));
}

static json_t *finding_object(const struct darn_finding *finding)
{
    struct darn_text_pool pool = {NULL};
    json_t *object = json_object();

    put_text(object, "id", finding->id);
    put_text(object, "kind", finding->kind);
    put_text(object, "certainty", finding->certainty ? finding->certainty : "observed");
    put_text(object, "variable", finding->variable ? finding->variable : "");
    json_object_set_new(object, "count", json_integer((json_int_t)finding->count));
    json_object_set_new(object, "accesses", accesses_object(finding));
    put_text(object, "engine", finding->engine);
    put_proof(object, finding);
    put_violation(object, finding, &pool);
    put_text(object, "reason", finding->reason);
    put_text(object, "detail", finding->detail);
    if (finding->address)
        put_hex(object, "address", finding->address);
    put_number(object, "size", finding->size);
    put_value(object, "before", finding->before);
    put_value(object, "after", finding->after);
    json_object_set_new(object, "same_value", json_boolean(finding->same_value));
    put_text(object, "origin", finding->unknown_origin ? "unknown" : NULL);
    put_text(object, "assertion", finding->assertion);
    if (finding->place.kind != DARN_PLACE_UNKNOWN)
        json_object_set_new(object, "place", place_object(&finding->place));
    json_object_set_new(object, "threads", threads_object(finding));
    put_text(object, "suppression", darn_suppression_for(finding, &pool));
    put_text(object, "program", finding->program);
    put_number(object, "pid", (uint64_t)finding->pid);
    put_text(object, "run_id", finding->run_id);
    darn_pool_release(&pool);
    return object;
}

static void print_finding(FILE *out, const struct darn_finding *finding,
                          const struct darn_style *style)
{
    json_t *object = finding_object(finding);
    char *text = json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER);

    (void)style;
    if (text) {
        darn_counts_print(out, text);
        fputc('\n', out);
    }
    free(text);
    json_decref(object);
}

/* The counts of a file that was written are brought up to date by darn_counts_update. */
const struct darn_format darn_format_json = {
    .name = "json",
    .finding = print_finding,
};
