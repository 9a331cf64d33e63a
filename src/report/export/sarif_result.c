/*
 * One result: a finding.
 */
#include <inttypes.h>
#include <string.h>

#include "base/fingerprint.h"
#include "report/export/sarif.h"
#include "report/suppress.h"

/* A result that is being written. */
struct result {
    struct darn_json *json;
    const struct darn_finding *finding;
    const struct darn_root *root;
    struct darn_text_pool pool;
};

/* Relative names begin at the root; absolute ones stand for themselves. */
static void put_artifact(struct result *result, const char *dir, const char *file)
{
    const char *path = darn_export_path(result->root, dir, file, &result->pool);

    darn_json_open(result->json, "artifactLocation", '{');
    darn_json_string(result->json, "uri", darn_export_uri(path, &result->pool));
    if (path[0] != '/')
        darn_json_string(result->json, "uriBaseId", DARN_SARIF_ROOT);
    darn_json_close(result->json, '}');
}

static void put_region(struct darn_json *json, unsigned line, unsigned column)
{
    if (!line)
        return;
    darn_json_open(json, "region", '{');
    darn_json_number(json, "startLine", line);
    if (column)
        darn_json_number(json, "startColumn", column);
    darn_json_close(json, '}');
}

/* What a location says. `instead` is the file to name where the source is not known, or NULL. */
static void put_place(struct result *result, const struct darn_frame *place, const char *instead)
{
    struct darn_json *json = result->json;

    if (place->file || instead) {
        darn_json_open(json, "physicalLocation", '{');
        put_artifact(result, place->dir, place->file ? place->file : instead);
        if (place->file)
            put_region(json, place->line, place->column);
        darn_json_close(json, '}');
    }
    if (!place->function)
        return;
    darn_json_open(json, "logicalLocations", '[');
    darn_json_open(json, NULL, '{');
    darn_json_string(json, "fullyQualifiedName", place->function);
    darn_json_string(json, "kind", "function");
    darn_json_close(json, '}');
    darn_json_close(json, ']');
}

/* The place where people look, and the function of the site if that has another one. */
static struct darn_frame place_of(const struct darn_finding_access *access)
{
    struct darn_frame place = darn_export_place(access);

    if (!place.function)
        place.function = access->function;
    return place;
}

/* `key` is NULL in an array, `id` 0 where nothing refers to it. Services cannot do without a file:
 * where it is not known it is the program. */
static void put_location(struct result *result, const char *key, unsigned id,
                         const struct darn_frame *place, const char *message)
{
    struct darn_json *json = result->json;

    darn_json_open(json, key, '{');
    if (id)
        darn_json_number(json, "id", id);
    put_place(result, place, result->finding->program);
    if (message)
        darn_sarif_text(json, "message", message);
    darn_json_close(json, '}');
}

/* Inside the text of a link brackets and backslashes are escaped (3.11.6). */
static const char *link_text(const char *text, struct darn_text_pool *pool)
{
    char *escaped = darn_pool_get(pool, 2 * strlen(text) + 1, 1), *to = escaped;

    for (; *text; text++) {
        if (strchr("[]\\", *text))
            *to++ = '\\';
        *to++ = *text;
    }
    return escaped;
}

/* Elsewhere brackets stand for themselves, unless they would make a link. */
static const char *plain_text(const char *text, struct darn_text_pool *pool)
{
    return strstr(text, "](") ? link_text(text, pool) : text;
}

/* `data race on 'x': thread T1 writes 8 bytes, holding no lock; [thread T2 reads the same 8
 * bytes](1). Let both hold the same lock.` */
static void put_message(struct result *result)
{
    const struct darn_finding *finding = result->finding;
    struct darn_text_pool *pool = &result->pool;
    const char *advice = darn_export_advice(finding, pool);
    const char *text =
        darn_pool_format(pool, "%s: %s", plain_text(darn_export_title(finding, pool), pool),
                         plain_text(darn_export_step(finding, 0, pool), pool));

    for (size_t i = 1; i < finding->access_count; i++)
        text = darn_pool_format(pool, "%s; [%s](%zu)", text,
                                link_text(darn_export_step(finding, i, pool), pool), i);
    if (*advice)
        text = darn_pool_format(pool, "%s. What to do: %s", text, plain_text(advice, pool));
    darn_sarif_text(result->json, "message", text);
}

static void put_related(struct result *result)
{
    const struct darn_finding *finding = result->finding;

    if (finding->access_count < 2)
        return;
    darn_json_open(result->json, "relatedLocations", '[');
    for (size_t i = 1; i < finding->access_count; i++) {
        struct darn_frame place = place_of(&finding->accesses[i]);

        put_location(result, NULL, (unsigned)i, &place,
                     darn_export_step(finding, i, &result->pool));
    }
    darn_json_close(result->json, ']');
}

static void put_stack(struct result *result, const struct darn_finding_stack *stack)
{
    struct darn_json *json = result->json;

    if (!stack->count)
        return;
    darn_json_open(json, "stack", '{');
    darn_json_open(json, "frames", '[');
    for (size_t i = 0; i < stack->count; i++) {
        darn_json_open(json, NULL, '{');
        darn_json_open(json, "location", '{');
        put_place(result, &stack->frames[i], NULL);
        darn_json_close(json, '}');
        if (stack->frames[i].module)
            darn_json_string(json, "module", stack->frames[i].module);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
    darn_json_close(json, '}');
}

/* One step of a thread. `order` is its number among the steps of all threads; 0: not known. */
static void put_step(struct result *result, const struct darn_frame *place, const char *message,
                     const struct darn_finding_stack *stack, unsigned order)
{
    struct darn_json *json = result->json;

    darn_json_open(json, NULL, '{');
    put_location(result, "location", 0, place, message);
    put_stack(result, stack);
    if (order)
        darn_json_number(json, "executionOrder", order);
    darn_json_string(json, "importance", stack->count || order ? "essential" : "important");
    darn_json_close(json, '}');
}

static void put_creation(struct result *result, const char *thread)
{
    static const struct darn_finding_stack none;
    const struct darn_finding_party *party = darn_finding_thread(result->finding, thread);

    if (party && party->stack.count && party->stack.frames[0].file)
        put_step(result, &party->stack.frames[0],
                 darn_pool_format(&result->pool, "thread %s is created here", thread), &none, 0);
}

static void put_locks(struct result *result, const struct darn_finding_access *access)
{
    static const struct darn_finding_stack none;

    for (size_t i = 0; i < access->lock_count; i++) {
        const struct darn_lock *lock = &access->locks[i];
        struct darn_frame taken = lock->taken;
        const char *name = lock->symbol.part   ? lock->symbol.part
                           : lock->symbol.name ? lock->symbol.name
                                               : lock->expression;

        if (!taken.file)
            continue;
        if (!taken.dir)
            taken.dir = access->dir;
        put_step(result, &taken,
                 darn_pool_format(&result->pool, "thread %s takes %s%s%s%s here", access->thread,
                                  lock->kind ? lock->kind : "lock", name ? " '" : "",
                                  name ? name : "", name ? "'" : ""),
                 &none, 0);
    }
}

static bool has_thread(const struct darn_finding_access *access, const char *thread)
{
    return strcmp(access->thread ? access->thread : "", thread) == 0;
}

/* How a thread comes to what it does: where it began, what it holds, what it accesses. */
static void put_thread(struct result *result, const char *thread)
{
    const struct darn_finding *finding = result->finding;
    bool ordered = darn_finding_is(finding, "atomicity-violation");

    darn_json_open(result->json, NULL, '{');
    if (*thread)
        darn_json_string(result->json, "id", thread);
    darn_json_open(result->json, "locations", '[');
    put_creation(result, thread);
    for (size_t i = 0; i < finding->access_count; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];
        struct darn_frame place = place_of(access);

        if (!has_thread(access, thread))
            continue;
        put_locks(result, access);
        put_step(result, &place, darn_export_step(finding, i, &result->pool), &access->stack,
                 ordered ? (unsigned)i + 1 : 0);
    }
    darn_json_close(result->json, ']');
    darn_json_close(result->json, '}');
}

/* One flow, with a thread for each that has a part in it. */
static void put_flow(struct result *result)
{
    const struct darn_finding *finding = result->finding;
    struct darn_json *json = result->json;

    darn_json_open(json, "codeFlows", '[');
    darn_json_open(json, NULL, '{');
    darn_json_open(json, "threadFlows", '[');
    for (size_t i = 0; i < finding->access_count; i++) {
        const char *thread = finding->accesses[i].thread ? finding->accesses[i].thread : "";
        size_t first = 0;

        while (!has_thread(&finding->accesses[first], thread))
            first++;
        if (first == i)
            put_thread(result, thread);
    }
    darn_json_close(json, ']');
    darn_json_close(json, '}');
    darn_json_close(json, ']');
}

/* The first is our id; the second stays when lines are added above. */
static void put_fingerprints(struct result *result)
{
    char shape[DARN_FINGERPRINT_TEXT];

    darn_fingerprint_text(darn_collection_shape(result->finding), shape);
    darn_json_open(result->json, "partialFingerprints", '{');
    darn_json_string(result->json, DARN_SARIF_FINGERPRINT, result->finding->id);
    darn_json_string(result->json, "darnShape/v1", shape);
    darn_json_close(result->json, '}');
}

static void put_text(struct darn_json *json, const char *key, const char *text)
{
    if (text)
        darn_json_string(json, key, text);
}

static void put_properties(struct result *result)
{
    const struct darn_finding *finding = result->finding;
    struct darn_json *json = result->json;

    darn_json_open(json, "properties", '{');
    put_text(json, "certainty", finding->certainty ? finding->certainty : "observed");
    put_text(json, "engine", finding->engine);
    put_text(json, "variable", finding->variable);
    put_text(json, "schedule", finding->schedule);
    put_text(json, "suppression", darn_suppression_for(finding, &result->pool));
    darn_json_close(json, '}');
}

void darn_sarif_result(struct darn_json *json, const struct darn_finding *finding, uint64_t count,
                       const char *state, const struct darn_root *root)
{
    struct result result = {.json = json, .finding = finding, .root = root};
    struct darn_frame place = place_of(&finding->accesses[0]);

    darn_json_open(json, NULL, '{');
    darn_json_string(json, "ruleId", finding->kind);
    if (darn_sarif_rule(finding->kind) >= 0)
        darn_json_number(json, "ruleIndex", darn_sarif_rule(finding->kind));
    darn_json_string(json, "level", darn_finding_is_predicted(finding) ? "warning" : "error");
    put_message(&result);
    darn_json_open(json, "locations", '[');
    put_location(&result, NULL, 0, &place, NULL);
    darn_json_close(json, ']');
    put_related(&result);
    put_flow(&result);
    put_fingerprints(&result);
    if (count)
        darn_json_number(json, "occurrenceCount", (int64_t)count);
    put_text(json, "baselineState", state);
    put_properties(&result);
    darn_json_close(json, '}');
    darn_pool_release(&result.pool);
}
