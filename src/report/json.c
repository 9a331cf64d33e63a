/*
 * JSON Lines: one object per finding, for tools.
 *
 * The fields id, kind, certainty, variable, count, accesses (op, thread, file, line, column,
 * function, stack, locks), engine, schedule and outcomes are fixed (docs/howto-report-format.md);
 * others may be added.
 * Paths are not shortened: tools find the files, and `darn run --noise-from` the sites, by them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_file.h"
#include "report/counts.h"
#include "report/report_format.h"
#include "report/suppress.h"
#include "report/violation.h"

static void put_text(struct darn_json *json, const char *key, const char *text)
{
    if (text)
        darn_json_string(json, key, text);
}

static void put_number(struct darn_json *json, const char *key, uint64_t number)
{
    if (number)
        darn_json_number(json, key, (int64_t)number);
}

static void put_value(struct darn_json *json, const char *key, struct darn_value value)
{
    if (value.known)
        darn_json_hex(json, key, value.bits);
}

static void put_flag(struct darn_json *json, const char *key, bool flag)
{
    if (flag)
        darn_json_bool(json, key, true);
}

static void put_stack(struct darn_json *json, const struct darn_finding_stack *stack)
{
    darn_json_open(json, "stack", '[');
    for (size_t i = 0; i < stack->count; i++) {
        const struct darn_frame *frame = &stack->frames[i];

        darn_json_open(json, NULL, '{');
        put_text(json, "function", frame->function);
        put_text(json, "file", frame->file);
        if (frame->file && frame->file[0] != '/')
            put_text(json, "dir", frame->dir);
        put_number(json, "line", frame->line);
        put_number(json, "column", frame->column);
        put_text(json, "module", frame->module);
        if (frame->module)
            darn_json_hex(json, "offset", frame->offset);
        else
            darn_json_hex(json, "pc", frame->pc);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
}

static void put_symbol(struct darn_json *json, const struct darn_symbol *symbol)
{
    put_text(json, "name", symbol->name);
    put_number(json, "name_offset", symbol->name ? symbol->name_offset : 0);
    put_text(json, "part", symbol->part);
    put_text(json, "file", symbol->file);
    put_number(json, "line", symbol->file ? symbol->line : 0);
    put_text(json, "module", symbol->module);
    if (symbol->module)
        darn_json_hex(json, "offset", symbol->offset);
}

/* `file` and `line` of a lock are where it is declared; where it was taken has an object of its
 * own.
 */
static void put_taken(struct darn_json *json, const struct darn_frame *taken)
{
    if (!taken->file && !taken->function)
        return;
    darn_json_open(json, "taken", '{');
    put_text(json, "file", taken->file);
    put_number(json, "line", taken->line);
    put_number(json, "column", taken->column);
    put_text(json, "function", taken->function);
    darn_json_close(json, '}');
}

static void put_lock(struct darn_json *json, const char *key, const struct darn_lock *lock)
{
    darn_json_open(json, key, '{');
    put_text(json, "kind", lock->kind);
    darn_json_hex(json, "address", lock->address);
    put_symbol(json, &lock->symbol);
    put_text(json, "expression", lock->expression);
    put_taken(json, &lock->taken);
    if (lock->stack.count)
        put_stack(json, &lock->stack);
    put_number(json, "uses", lock->uses);
    darn_json_close(json, '}');
}

static void put_locks(struct darn_json *json, const char *key, const struct darn_lock *locks,
                      size_t count)
{
    darn_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        put_lock(json, NULL, &locks[i]);
    darn_json_close(json, ']');
}

static void put_target(struct darn_json *json, const struct darn_finding_access *access)
{
    if (access->awaited) {
        darn_json_open(json, "target", '{');
        darn_json_string(json, "thread", access->awaited);
        darn_json_close(json, '}');
    } else if (access->target.kind) {
        put_lock(json, "target", &access->target);
    }
    if (access->mutex.kind)
        put_lock(json, "mutex", &access->mutex);
    put_text(json, "predicate", access->predicate);
}

static void put_access(struct darn_json *json, const struct darn_finding_access *access)
{
    darn_json_open(json, NULL, '{');
    put_text(json, "op", darn_op_name(access->op));
    put_text(json, "object", access->object);
    put_text(json, "call", access->call);
    put_text(json, "thread", access->thread);
    put_text(json, "thread_name", access->thread_name);
    put_text(json, "file", access->file);
    put_text(json, "dir", access->dir);
    put_text(json, "site_file", access->site_file);
    put_number(json, "line", access->line);
    put_number(json, "column", access->column);
    put_text(json, "function", access->function);
    put_text(json, "variable", access->variable);
    put_number(json, "size", access->size);
    put_value(json, "value", access->value);
    put_flag(json, "atomic", access->atomic);
    put_flag(json, "volatile", access->is_volatile);
    put_flag(json, "pointer", access->is_pointer);
    put_flag(json, "last_seen", access->last_seen);
    put_text(json, "assertion", access->assertion);
    if (access->site_key)
        darn_json_hex(json, "site_key", access->site_key);
    put_text(json, "fault", access->fault);
    put_stack(json, &access->stack);
    put_flag(json, "locks_unknown", access->locks_unknown);
    put_locks(json, "locks", access->locks, access->lock_count);
    put_target(json, access);
    darn_json_close(json, '}');
}

static void put_location(struct darn_json *json, const char *key,
                         const struct darn_location *location)
{
    static const char *const kinds[] = {
        [DARN_LOCATION_UNKNOWN] = NULL,
        [DARN_LOCATION_GLOBAL] = "global",
        [DARN_LOCATION_HEAP] = "heap",
        [DARN_LOCATION_STACK] = "stack",
    };

    if (location->kind == DARN_LOCATION_UNKNOWN)
        return;
    darn_json_open(json, key, '{');
    put_text(json, "kind", kinds[location->kind]);
    put_text(json, "thread", location->thread);
    if (location->kind == DARN_LOCATION_HEAP) {
        darn_json_hex(json, "address", location->address);
        put_number(json, "size", location->size);
        put_stack(json, &location->stack);
    } else if (location->kind == DARN_LOCATION_GLOBAL) {
        put_symbol(json, &location->symbol);
    }
    darn_json_close(json, '}');
}

static void put_blocks(struct darn_json *json, const struct darn_finding *finding)
{
    if (!finding->block_count)
        return;
    darn_json_open(json, "blocks", '[');
    for (size_t i = 0; i < finding->block_count; i++)
        put_location(json, NULL, &finding->blocks[i]);
    darn_json_close(json, ']');
}

static void put_threads(struct darn_json *json, const struct darn_finding *finding)
{
    darn_json_open(json, "threads", '[');
    for (size_t i = 0; i < finding->thread_count; i++) {
        const struct darn_finding_party *thread = &finding->threads[i];

        darn_json_open(json, NULL, '{');
        put_text(json, "thread", thread->thread);
        put_text(json, "name", thread->name);
        put_text(json, "parent", thread->parent);
        put_stack(json, &thread->stack);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
}

static void put_violation(struct darn_json *json, const struct darn_finding *finding,
                          struct darn_text_pool *pool)
{
    static const struct darn_style whole_paths;
    const struct darn_violated *section = &finding->section;

    if (section->kind || section->function || section->at || section->allow) {
        darn_json_open(json, "section", '{');
        put_text(json, "kind", section->kind);
        put_text(json, "function", section->function);
        put_text(json, "at", section->at);
        put_text(json, "allow", section->allow);
        darn_json_close(json, '}');
    }
    put_text(json, "pattern", darn_violation_pattern(finding, &whole_paths, pool));
}

static void put_proof(struct darn_json *json, const struct darn_finding *finding)
{
    put_text(json, "schedule", finding->schedule);
    if (!darn_finding_is_confirmed(finding) && !finding->outcome_count)
        return;
    darn_json_open(json, "outcomes", '[');
    for (size_t i = 0; i < finding->outcome_count; i++)
        darn_json_string(json, NULL, finding->outcomes[i]);
    darn_json_close(json, ']');
    if (finding->is_suspicion)
        darn_json_bool(json, "suspicion", true);
    if (finding->is_cut_off)
        darn_json_bool(json, "cut_off", true);
    if (!finding->trials)
        return;
    put_number(json, "trials", finding->trials);
    darn_json_number(json, "hits", finding->hits);
}

static void put_head(struct darn_json *json, const struct darn_finding *finding)
{
    put_text(json, "id", finding->id);
    put_text(json, "kind", finding->kind);
    put_text(json, "certainty", finding->certainty ? finding->certainty : "observed");
    put_text(json, "variable", finding->variable ? finding->variable : "");
    darn_json_number(json, "count", (int64_t)finding->count);
    darn_json_open(json, "accesses", '[');
    for (size_t i = 0; i < finding->access_count; i++)
        put_access(json, &finding->accesses[i]);
    darn_json_close(json, ']');
    put_text(json, "engine", finding->engine);
    put_number(json, "came", finding->came);
}

static void put_finding(struct darn_json *json, const struct darn_finding *finding)
{
    struct darn_text_pool pool = {0};

    darn_json_open(json, NULL, '{');
    put_head(json, finding);
    put_proof(json, finding);
    put_violation(json, finding, &pool);
    put_text(json, "reason", finding->reason);
    put_text(json, "detail", finding->detail);
    if (finding->address)
        darn_json_hex(json, "address", finding->address);
    put_number(json, "size", finding->size);
    put_value(json, "before", finding->before);
    put_value(json, "after", finding->after);
    darn_json_bool(json, "same_value", finding->same_value);
    put_text(json, "origin", finding->unknown_origin ? "unknown" : NULL);
    put_text(json, "assertion", finding->assertion);
    if (finding->guard_count)
        put_locks(json, "guards", finding->guards, finding->guard_count);
    put_location(json, "place", &finding->location);
    put_blocks(json, finding);
    put_threads(json, finding);
    put_text(json, "suppression", darn_suppression_for(finding, &pool));
    put_text(json, "program", finding->program);
    /* Not which ones: there may be a secret among them. */
    if (finding->arguments && *finding->arguments)
        darn_json_bool(json, "had_arguments", true);
    put_number(json, "pid", (uint64_t)finding->pid);
    put_text(json, "run_id", finding->run_id);
    put_text(json, "variant_of", finding->variant_of);
    put_number(json, "files", finding->files);
    darn_json_close(json, '}');
    darn_json_end_line(json);
    darn_pool_release(&pool);
}

static void print_finding(FILE *out, const struct darn_finding *finding,
                          const struct darn_style *style)
{
    struct darn_json json;

    (void)style;
    darn_json_start_growing(&json);
    put_finding(&json, finding);
    darn_counts_print(out, json.text.to);
    darn_json_release(&json);
}

/* The counts of a file that was written are brought up to date by darn_counts_update. */
const struct darn_format darn_format_json = {
    .name = "json",
    .finding = print_finding,
};
