/*
 * A lock for what a race or an atomicity violation is about: one that is held at other accesses, or
 * a new one; around the accesses that are known, or around all that the text shows.
 */
#include <string.h>

#include "report/fix/patch_private.h"
#include "report/violation.h"

bool darn_stretch_of(const struct darn_finding_stack *one, const struct darn_finding_stack *other,
                     struct darn_stretch *stretch)
{
    for (size_t i = 0; i < one->count; i++)
        for (size_t j = 0; j < other->count; j++) {
            const struct darn_frame *a = &one->frames[i], *b = &other->frames[j];

            if (!a->function || !b->function || !a->file || !b->file || !a->line || !b->line ||
                strcmp(a->function, b->function) != 0 || strcmp(a->file, b->file) != 0)
                continue;
            *stretch = (struct darn_stretch){
                .dir = a->dir,
                .file = a->file,
                .first = a->line < b->line ? a->line : b->line,
                .last = a->line < b->line ? b->line : a->line,
            };
            return true;
        }
    return false;
}

static struct darn_stretch stretch_at(const struct darn_finding_access *access)
{
    return (struct darn_stretch){
        .dir = access->dir,
        .file = access->file,
        .first = access->line,
        .last = access->line,
        .locks = access->locks,
        .lock_count = access->lock_count,
    };
}

struct stretches {
    struct darn_stretch list[DARN_MOST_STRETCHES];
    size_t count;
};

static void add(struct stretches *stretches, struct darn_stretch stretch)
{
    if (stretch.file && stretch.first && stretches->count < DARN_MOST_STRETCHES)
        stretches->list[stretches->count++] = stretch;
}

static bool is_held(const struct darn_stretch *stretch, const struct darn_lock *lock)
{
    for (size_t i = 0; i < stretch->lock_count; i++)
        if (stretch->locks[i].address == lock->address)
            return true;
    return false;
}

/* ---- which lines ---- */

static bool mentions(const struct darn_source *source, unsigned line, const char *name)
{
    const struct darn_source_row *row = &source->rows[line];

    return row->last && !row->directive && darn_text_word(row->text, name);
}

/* Every statement of the files that names the variable; with `whole` from the first to the last in
 * each function. */
static void add_mentions(struct stretches *to, struct darn_patch *patch, const char *name,
                         bool whole)
{
    for (size_t i = 0; i < patch->count; i++) {
        struct darn_source *source = &patch->files[i];
        unsigned last_function = 0;

        for (unsigned line = 1; line <= source->count; line++) {
            unsigned function =
                mentions(source, line, name) ? darn_source_function(source, line) : 0;

            if (!function)
                continue;
            if (whole && function == last_function && to->count)
                to->list[to->count - 1].last = line;
            else
                add(to, (struct darn_stretch){
                            .dir = source->dir, .file = source->file, .first = line, .last = line});
            last_function = function;
        }
    }
}

/* Whether the access is made from within the lines: a lock around them is held there, too. */
static bool is_within(const struct darn_finding_access *access, const struct darn_stretch *stretch)
{
    for (size_t i = 0; i < access->stack.count; i++) {
        const struct darn_frame *frame = &access->stack.frames[i];

        if (frame->file && strcmp(frame->file, stretch->file) == 0 &&
            frame->line >= stretch->first && frame->line <= stretch->last)
            return true;
    }
    return false;
}

/* The lines of a finding: of a violation those of the section are one stretch. */
static void add_accesses(struct stretches *to, const struct darn_finding *finding)
{
    size_t i = 0;

    if (darn_violation_is_whole(finding)) {
        const struct darn_finding_access *entry = &finding->accesses[DARN_VIOLATION_ENTRY];
        const struct darn_finding_access *end = &finding->accesses[DARN_VIOLATION_END];
        struct darn_stretch stretch;

        if (darn_stretch_of(&entry->stack, &end->stack, &stretch)) {
            if (stretch.first == entry->line || stretch.last == entry->line) {
                stretch.locks = entry->locks;
                stretch.lock_count = entry->lock_count;
            }
            add(to, stretch);
            if (!is_within(&finding->accesses[DARN_VIOLATION_REMOTE], &stretch))
                add(to, stretch_at(&finding->accesses[DARN_VIOLATION_REMOTE]));
            return;
        }
    }
    for (; i < finding->access_count; i++)
        add(to, stretch_at(&finding->accesses[i]));
}

/* Both of a race in one function belong together, maybe. */
static bool add_span(struct stretches *to, const struct darn_finding *finding)
{
    struct darn_stretch stretch;

    if (darn_violation_is_whole(finding) || finding->access_count < 2 ||
        !darn_stretch_of(&finding->accesses[0].stack, &finding->accesses[1].stack, &stretch) ||
        stretch.first == stretch.last)
        return false;
    add(to, stretch);
    return true;
}

/* From the first use of the variable to the end of the function: what was read there may be used
 * until then. */
static void add_rest(struct stretches *to, struct darn_patch *patch,
                     const struct darn_finding *finding)
{
    const char *name =
        finding->variable ? darn_text_last_name(&patch->pool, finding->variable) : "";

    for (size_t i = 0; i < finding->access_count; i++) {
        struct darn_stretch stretch = stretch_at(&finding->accesses[i]);
        struct darn_source *source = darn_patch_file(patch, stretch.dir, stretch.file);
        unsigned function = source ? darn_source_function(source, stretch.first) : 0;

        if (function && !stretch.lock_count) {
            stretch.last = darn_source_function_end(source, function) - 1;
            while (stretch.last > stretch.first && !source->rows[stretch.last].last)
                stretch.last--;
            for (unsigned line = stretch.first; line > function; line--)
                if (mentions(source, line, name))
                    stretch.first = line;
        }
        add(to, stretch);
    }
}

/* ---- one candidate ---- */

static const char *describe(struct darn_patch *patch, const struct darn_guard_words *words,
                            const struct stretches *stretches, const char *where)
{
    if (where)
        return darn_pool_format(&patch->pool, "hold '%s' %s", words->name, where);
    if (stretches->count == 1 && stretches->list[0].first == stretches->list[0].last)
        return darn_pool_format(&patch->pool, "hold '%s' at line %u", words->name,
                                stretches->list[0].first);
    if (stretches->list[0].first != stretches->list[0].last)
        return darn_pool_format(&patch->pool, "hold '%s' from line %u to line %u", words->name,
                                stretches->list[0].first, stretches->list[0].last);
    return darn_pool_format(&patch->pool, "hold '%s' at both accesses", words->name);
}

/* Lines where the lock is held need it no more; or, with `merges`, are where it stays held. */
static void take_needed(const struct stretches *from, const struct darn_lock *lock,
                        struct stretches *to)
{
    for (size_t i = 0; i < from->count; i++) {
        struct darn_stretch stretch = from->list[i];

        if (lock && is_held(&stretch, lock)) {
            if (stretch.first == stretch.last)
                continue;
            stretch.merges = true;
        }
        add(to, stretch);
    }
}

/* `lock`: NULL for a new one. */
static void try_lock(struct darn_patches *patches, const struct darn_finding *finding,
                     const struct darn_lock *lock, const struct stretches *stretches,
                     const char *where)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_guard_words words = {.take = NULL};
    struct stretches needed = {.count = 0};
    struct darn_source *source;

    take_needed(stretches, lock, &needed);
    source = needed.count ? darn_patch_file(patch, needed.list[0].dir, needed.list[0].file) : NULL;
    if (source && !lock)
        darn_guard_words_new(&patch->pool, finding->variable, "_lock", source, &words);
    else if (source && !darn_guard_words_of(patch, lock, &words))
        source = NULL;
    if (source && words.take && darn_patch_guard(patch, &words, needed.list, needed.count))
        darn_patches_add(patches, patch, describe(patch, &words, &needed, where));
    else
        darn_patch_free(patch);
}

static void try_locks(struct darn_patches *patches, const struct darn_finding *finding,
                      const struct stretches *stretches)
{
    for (size_t i = 0; i < finding->access_count; i++)
        for (size_t j = 0; j < finding->accesses[i].lock_count; j++)
            try_lock(patches, finding, &finding->accesses[i].locks[j], stretches, NULL);
    for (size_t i = 0; i < finding->guard_count; i++)
        try_lock(patches, finding, &finding->guards[i], stretches, NULL);
    try_lock(patches, finding, NULL, stretches, NULL);
}

/* A new lock around all uses: one that exists may be held at some of them. */
static void try_mentions(struct darn_patches *patches, const struct darn_finding *finding,
                         bool whole)
{
    struct darn_patch *files = darn_patch_begin(patches);
    struct stretches stretches = {.count = 0};
    const char *name =
        finding->variable ? darn_text_last_name(&files->pool, finding->variable) : "";

    for (size_t i = 0; i < finding->access_count; i++)
        darn_patch_file(files, finding->accesses[i].dir, finding->accesses[i].file);
    if (*name)
        add_mentions(&stretches, files, name, whole);
    if (stretches.count && stretches.count < DARN_MOST_STRETCHES)
        try_lock(patches, finding, NULL, &stretches,
                 whole ? "in each function from the first use to the last" : "at all uses");
    darn_patch_free(files);
}

void darn_patches_guard(struct darn_patches *patches, const struct darn_finding *finding)
{
    struct stretches stretches = {.count = 0}, span = {.count = 0}, rest = {.count = 0};
    struct darn_patch *files;

    if (darn_finding_is(finding, "deadlock") || darn_finding_is(finding, "notification"))
        return;
    add_accesses(&stretches, finding);
    if (stretches.count)
        try_locks(patches, finding, &stretches);
    if (add_span(&span, finding))
        try_locks(patches, finding, &span);
    files = darn_patch_begin(patches);
    add_rest(&rest, files, finding);
    try_locks(patches, finding, &rest);
    darn_patch_free(files);
    try_mentions(patches, finding, false);
    try_mentions(patches, finding, true);
}
