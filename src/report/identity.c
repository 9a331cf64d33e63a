#include "report/identity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/hash.h"

#define MOST   64 /* places of one finding; the reader of raw findings has no more */
#define FRAMES 4  /* of the stack of a sanitizer's report */

static const char *text_of(const char *text)
{
    return text ? text : "";
}

bool darn_identity_is_vague(const char *a, const char *b)
{
    return a && b && strcmp(a, b) != 0 &&
           darn_fingerprint_is_plain(a) == darn_fingerprint_is_plain(b);
}

static const char *id_text(struct darn_text_pool *pool, uint64_t fingerprint)
{
    char text[DARN_FINGERPRINT_TEXT];

    darn_fingerprint_text(fingerprint, text);
    return darn_pool_text(pool, text);
}

const char *darn_identity_race(struct darn_text_pool *pool, uint64_t one, uint64_t other,
                               const char *variable)
{
    return id_text(pool, darn_fingerprint_race(one, other, variable));
}

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path;
}

/* A place that is known by its stack only. Without debug information it is named by the module, and
 * without a symbol by the distance in it. */
static uint64_t hash_place(const char *kind, const struct darn_finding_access *access)
{
    const struct darn_finding_stack *stack = &access->stack;
    const struct darn_frame *top = stack->count ? &stack->frames[0] : NULL;
    uint64_t hash = darn_hash_string(DARN_HASH_START, kind);

    if (!access->file && top) {
        hash = darn_hash_string(hash, text_of(base_name(top->module)));
        hash = darn_hash_string(hash, text_of(top->function));
        return darn_hash_number(hash, top->function ? 0 : (uint32_t)top->offset);
    }
    hash = darn_hash_string(hash, text_of(access->file));
    hash = darn_hash_string(hash, text_of(access->function));
    return darn_hash_number(hash, access->line);
}

/* A failure is where its first thread was: what the others did meanwhile is chance. */
static size_t count_places(const struct darn_finding *finding)
{
    if (darn_finding_is(finding, "failure"))
        return 1;
    return finding->access_count < MOST ? finding->access_count : MOST;
}

static bool has_failed_by(const struct darn_finding *finding, const char *reason)
{
    return finding->reason && strcmp(finding->reason, reason) == 0;
}

/* What a sanitizer reports is one error for each kind and each stack, and two statuses are two
 * failures. */
static uint64_t hash_detail(uint64_t hash, const struct darn_finding *finding)
{
    const struct darn_finding_stack *stack = &finding->accesses[0].stack;

    if (has_failed_by(finding, "exit"))
        return darn_hash_string(hash, text_of(finding->detail));
    if (!has_failed_by(finding, "sanitizer"))
        return hash;
    hash = darn_hash_string(hash, text_of(finding->detail));
    for (size_t i = 1; i < stack->count && i < FRAMES; i++) {
        hash = darn_hash_string(hash, text_of(stack->frames[i].function));
        hash = darn_hash_number(hash, stack->frames[i].line);
    }
    return hash;
}

/* The number of a file descriptor is chance. */
static const char *lasting_variable(const struct darn_finding *finding)
{
    const char *object = finding->accesses[0].object;

    return object && strcmp(object, "descriptor") == 0 ? object : finding->variable;
}

const char *darn_identity_places(struct darn_finding *finding)
{
    size_t count = count_places(finding);
    uint64_t places[MOST];

    for (size_t i = 0; i < count; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];

        places[i] = access->site_hash ? access->site_hash : hash_place(finding->kind, access);
        places[i] = darn_hash_string(places[i], darn_op_name(access->op));
    }
    if (count && darn_finding_is(finding, "failure"))
        places[0] = hash_detail(places[0], finding);
    return id_text(&finding->pool,
                   darn_fingerprint_places(finding->kind, places, count, finding->reason,
                                           lasting_variable(finding)));
}

static const char *name_of(struct darn_text_pool *pool, const struct darn_symbol *symbol)
{
    if (symbol->part)
        return symbol->part;
    if (symbol->name && symbol->name_offset)
        return darn_pool_format(pool, "%s+%" PRIu64, symbol->name, symbol->name_offset);
    return symbol->name;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What the threads wait for, each once. */
static const char *name_targets(struct darn_finding *finding)
{
    const char *names[MOST], *joined = NULL;
    size_t count = 0;

    for (size_t i = 0; i < finding->access_count && count < MOST; i++) {
        const char *name = name_of(&finding->pool, &finding->accesses[i].target.symbol);

        if (name)
            names[count++] = name;
    }
    qsort(names, count, sizeof(names[0]), compare_names);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(names[i], names[i - 1]) == 0)
            continue;
        joined = joined ? darn_pool_format(&finding->pool, "%s, %s", joined, names[i]) : names[i];
    }
    return joined;
}

/* A race of calls, as of an unlock and a destroy. */
static bool has_no_site(const struct darn_finding *finding)
{
    for (size_t i = 0; i < finding->access_count; i++)
        if (finding->accesses[i].has_site)
            return false;
    return darn_finding_is(finding, "data-race");
}

void darn_identify(struct darn_finding *finding)
{
    bool is_about_waiting = darn_finding_is(finding, "deadlock") ||
                            darn_finding_is(finding, "notification") ||
                            darn_finding_is(finding, "sync-misuse");
    bool has_died = finding->engine && strcmp(finding->engine, "signal") == 0;

    if (is_about_waiting && !finding->variable)
        finding->variable = name_targets(finding);
    if (finding->id && !is_about_waiting && !has_died && !has_no_site(finding))
        return;
    finding->run_id = finding->id;
    finding->id = darn_identity_places(finding);
}
