#include "report/identity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/variable.h"

#define MOST 64 /* places of one finding; the reader of raw findings has no more */

static uint64_t never_zero(uint64_t hash)
{
    return hash ? hash : 1;
}

static const char *text_of(const char *text)
{
    return text ? text : "";
}

uint64_t darn_identity_site(const char *kind, const char *file, const char *function, unsigned line,
                            unsigned column)
{
    uint64_t hash = darn_hash_string(DARN_HASH_START, kind);

    hash = darn_hash_string(hash, text_of(file));
    hash = darn_hash_string(hash, text_of(function));
    return never_zero(darn_hash_number(darn_hash_number(hash, line), column));
}

uint64_t darn_identity_free(const char *kind)
{
    return darn_hash_string(darn_hash_string(DARN_HASH_START, kind), "free");
}

const char *darn_identity_variable(const char *a, const char *b)
{
    static const char parts[] = "->*[";

    if (!a || !b)
        return a ? a : b;
    if (!strpbrk(a, parts) != !strpbrk(b, parts))
        return strpbrk(a, parts) ? b : a;
    return strcmp(a, b) <= 0 ? a : b;
}

bool darn_identity_is_vague(const char *a, const char *b)
{
    bool a_is_plain = a && !strpbrk(a, "->*["), b_is_plain = b && !strpbrk(b, "->*[");

    return a && b && strcmp(a, b) != 0 && a_is_plain == b_is_plain;
}

static const char *id_text(struct darn_text_pool *pool, uint64_t hash)
{
    return darn_pool_format(pool, "%016" PRIx64, hash);
}

const char *darn_identity_race(struct darn_text_pool *pool, uint64_t one, uint64_t other,
                               const char *variable)
{
    uint64_t both = one < other ? one * 31 + other : other * 31 + one;

    return id_text(pool, darn_hash_variable(both, text_of(variable)));
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
        return never_zero(darn_hash_number(hash, top->function ? 0 : (uint32_t)top->offset));
    }
    hash = darn_hash_string(hash, text_of(access->file));
    hash = darn_hash_string(hash, text_of(access->function));
    return never_zero(darn_hash_number(hash, access->line));
}

static int compare_hashes(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return (one > other) - (one < other);
}

/* A failure is where its first thread was: what the others did meanwhile is chance. */
static size_t count_places(const struct darn_finding *finding)
{
    if (darn_finding_is(finding, "failure"))
        return 1;
    return finding->access_count < MOST ? finding->access_count : MOST;
}

const char *darn_identity_places(struct darn_finding *finding)
{
    size_t count = count_places(finding);
    uint64_t hash = darn_hash_string(DARN_HASH_START, finding->kind);
    uint64_t places[MOST];

    for (size_t i = 0; i < count; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];

        places[i] = access->site_hash ? access->site_hash : hash_place(finding->kind, access);
        places[i] = darn_hash_string(places[i], darn_op_name(access->op));
    }
    qsort(places, count, sizeof(places[0]), compare_hashes);
    for (size_t i = 0; i < count; i++)
        hash = hash * 31 + places[i];
    if (finding->reason)
        hash = darn_hash_string(hash, finding->reason);
    return id_text(&finding->pool, darn_hash_variable(hash, text_of(finding->variable)));
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

void darn_identify(struct darn_finding *finding)
{
    bool is_about_waiting =
        darn_finding_is(finding, "deadlock") || darn_finding_is(finding, "notification");

    if (is_about_waiting && !finding->variable)
        finding->variable = name_targets(finding);
    if (finding->id && !is_about_waiting)
        return;
    finding->run_id = finding->id;
    finding->id = darn_identity_places(finding);
}
