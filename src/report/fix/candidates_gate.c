/*
 * A deadlock: one lock around the taking of both, or the other order.
 */
#include <string.h>

#include "report/fix/patch_private.h"

/* From where the thread took what it holds to where it waits. */
static bool stretch_of_wait(const struct darn_finding_access *access, struct darn_stretch *stretch)
{
    const struct darn_lock *held = access->lock_count ? &access->locks[0] : NULL;

    if (held && darn_stretch_of(&held->stack, &access->stack, stretch))
        return true;
    return false;
}

static bool is_same_place(const struct darn_stretch *a, const struct darn_stretch *b)
{
    return a->first == b->first && a->last == b->last && strcmp(a->file, b->file) == 0;
}

static size_t stretches_of(const struct darn_finding *finding, struct darn_stretch *list)
{
    size_t count = 0;

    for (size_t i = 0; i < finding->access_count && count < DARN_MOST_STRETCHES; i++) {
        bool known = !stretch_of_wait(&finding->accesses[i], &list[count]);

        for (size_t j = 0; j < count && !known; j++)
            known = is_same_place(&list[j], &list[count]);
        count += !known;
    }
    return count;
}

static void add_gate(struct darn_patches *patches, const struct darn_stretch *list, size_t count)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_source *source = darn_patch_file(patch, list[0].dir, list[0].file);
    struct darn_guard_words words;

    if (source) {
        darn_guard_words_new(&patch->pool, "order", "_lock", source, &words);
        if (darn_patch_guard(patch, &words, list, count)) {
            darn_patches_add(patches, patch, "take both locks under a third one");
            return;
        }
    }
    darn_patch_free(patch);
}

/* One statement in this line, and nothing else. */
static bool is_statement(const struct darn_source *source, unsigned line)
{
    const struct darn_source_row *row = &source->rows[line];

    return line <= source->count && darn_source_begins(source, line) && row->last == ';' &&
           row->parens == 0 && row->start == row->end;
}

static void add_swap(struct darn_patches *patches, const struct darn_stretch *stretch)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_source *source = darn_patch_file(patch, stretch->dir, stretch->file);

    if (!source || stretch->first == stretch->last || !is_statement(source, stretch->first) ||
        !is_statement(source, stretch->last)) {
        darn_patch_free(patch);
        return;
    }
    if (stretch->last == stretch->first + 1) {
        darn_source_move_behind(source, stretch->first, stretch->first, stretch->last);
    } else {
        /* What lies between them had the first lock, and has both then. */
        darn_source_move_before(source, stretch->last, stretch->last, stretch->first);
    }
    darn_patches_add(patches, patch, "take the two locks in the other order");
}

/* Both in lines that follow each other: by address, whichever they are. */
static void add_by_address(struct darn_patches *patches, const struct darn_stretch *stretch)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_source *source = darn_patch_file(patch, stretch->dir, stretch->file);
    const char *one, *other, *a, *b;

    if (!source || stretch->last != stretch->first + 1 || !is_statement(source, stretch->first) ||
        !is_statement(source, stretch->last) || darn_text_is_cxx(source->file)) {
        darn_patch_free(patch);
        return;
    }
    one = source->rows[stretch->first].text + darn_source_indent(source, stretch->first);
    other = source->rows[stretch->last].text + darn_source_indent(source, stretch->last);
    a = strchr(one, '(');
    b = strchr(other, '(');
    if (!a || !b || !strstr(one, "lock") || !strstr(other, "lock")) {
        darn_patch_free(patch);
        return;
    }
    source->rows[stretch->first].gone = source->rows[stretch->last].gone = true;
    darn_source_put_after(source, stretch->last, stretch->first,
                          darn_pool_format(&patch->pool, "if ((void *)%.*s < (void *)%.*s) {",
                                           (int)(strcspn(a, ")") + 1), a,
                                           (int)(strcspn(b, ")") + 1), b));
    darn_source_put_after(source, stretch->last, stretch->first,
                          darn_pool_format(&patch->pool, "    %s", one));
    darn_source_put_after(source, stretch->last, stretch->first,
                          darn_pool_format(&patch->pool, "    %s", other));
    darn_source_put_after(source, stretch->last, stretch->first, "} else {");
    darn_source_put_after(source, stretch->last, stretch->first,
                          darn_pool_format(&patch->pool, "    %s", other));
    darn_source_put_after(source, stretch->last, stretch->first,
                          darn_pool_format(&patch->pool, "    %s", one));
    darn_source_put_after(source, stretch->last, stretch->first, "}");
    darn_patches_add(patches, patch, "take the two locks in the order of their addresses");
}

/* It waits for a thread, or for a condition, while it holds what that needs: it gives it back
 * first.
 */
static void add_later(struct darn_patches *patches, const struct darn_finding_access *access)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_source *source = darn_patch_file(patch, access->dir, access->file);
    struct darn_guard_words words;
    unsigned first = access->line, last = access->line, end;

    if (source && access->lock_count && access->line <= source->count &&
        darn_guard_words_of(patch, &access->locks[0], &words) &&
        darn_source_widen(source, &first, &last)) {
        end = darn_source_function_end(source, darn_source_function(source, first));
        for (unsigned i = last + 1; i < end; i++)
            if (strstr(source->rows[i].text, words.give)) {
                darn_source_move_behind(source, first, last, i);
                darn_patches_add(patches, patch, "wait after the lock is given back");
                return;
            }
    }
    darn_patch_free(patch);
}

/* Or it waits before it takes that, where nothing is in between. */
static void add_sooner(struct darn_patches *patches, const struct darn_finding_access *access)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_source *source = darn_patch_file(patch, access->dir, access->file);
    struct darn_stretch stretch;
    unsigned first = access->line, last = access->line;

    if (source && stretch_of_wait(access, &stretch) && strcmp(stretch.file, access->file) == 0 &&
        stretch.first < first && darn_source_widen(source, &first, &last) &&
        stretch.first < first && darn_source_begins(source, stretch.first) &&
        source->rows[stretch.first].start == source->rows[first].start) {
        darn_source_move_before(source, first, last, stretch.first);
        darn_patches_add(patches, patch, "wait before the lock is taken");
        return;
    }
    darn_patch_free(patch);
}

/* Who waits for a semaphore holds none that darn knows of: what its function has taken before
 * stands in the lines above. */
static bool stretch_of_semaphores(struct darn_patch *patch,
                                  const struct darn_finding_access *access,
                                  struct darn_stretch *stretch)
{
    struct darn_source *source = darn_patch_file(patch, access->dir, access->file);
    unsigned function = source && access->line ? darn_source_function(source, access->line) : 0,
             first = 0;

    for (unsigned i = access->line - 1; function && i > function; i--)
        if (strstr(source->rows[i].text, "sem_wait(") && source->rows[i].last)
            first = i;
    *stretch = (struct darn_stretch){
        .dir = access->dir, .file = access->file, .first = first, .last = access->line};
    return first && strstr(source->rows[access->line].text, "sem_wait(");
}

static void gate_semaphores(struct darn_patches *patches, const struct darn_finding *finding)
{
    struct darn_stretch list[DARN_MOST_STRETCHES + 1];
    struct darn_patch *files = darn_patch_begin(patches);
    size_t count = 0;

    for (size_t i = 0; i < finding->access_count && count < DARN_MOST_STRETCHES; i++) {
        bool known = !stretch_of_semaphores(files, &finding->accesses[i], &list[count]);

        for (size_t j = 0; j < count && !known; j++)
            known = is_same_place(&list[j], &list[count]);
        count += !known;
    }
    if (count)
        add_gate(patches, list, count);
    darn_patch_free(files);
}

void darn_patches_gate(struct darn_patches *patches, const struct darn_finding *finding)
{
    struct darn_stretch list[DARN_MOST_STRETCHES + 1];
    size_t count;

    if (darn_finding_is(finding, "notification"))
        gate_semaphores(patches, finding);
    if (!darn_finding_is(finding, "deadlock"))
        return;
    count = stretches_of(finding, list);
    for (size_t i = 0; i < finding->access_count; i++)
        /* A lock that is waited for guards what follows: it stays before that. */
        if (finding->accesses[i].file && finding->accesses[i].op != DARN_OP_ACQUIRE) {
            add_later(patches, &finding->accesses[i]);
            add_sooner(patches, &finding->accesses[i]);
        }
    for (size_t i = 0; i < count; i++) {
        if (count > 1)
            add_swap(patches, &list[i]);
        else
            add_by_address(patches, &list[i]);
    }
    if (count)
        add_gate(patches, list, count);
}
