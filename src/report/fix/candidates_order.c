/*
 * What comes too early goes behind the join of the other thread; what comes too late goes before
 * its creation.
 */
#include <string.h>

#include "report/fix/patch_private.h"

static bool is_creation(const char *text)
{
    return strstr(text, "pthread_create(") || strstr(text, "thrd_create(") ||
           strstr(text, "std::thread ") || strstr(text, "std::jthread ");
}

static bool is_join(const char *text)
{
    return strstr(text, "pthread_join(") || strstr(text, "thrd_join(") || strstr(text, ".join()");
}

/* What one function does with threads. */
struct threads {
    struct darn_source *source;
    unsigned first, end;           /* of the function */
    unsigned creation;             /* the first line that creates one; 0: none */
    unsigned join_first, join_end; /* the last statement that joins one; 0: none */
};

static bool look(struct darn_patch *patch, const struct darn_frame *frame, struct threads *threads)
{
    *threads = (struct threads){.source = darn_patch_file(patch, frame->dir, frame->file)};
    if (!threads->source || frame->line > threads->source->count)
        return false;
    threads->first = darn_source_function(threads->source, frame->line);
    if (!threads->first)
        return false;
    threads->end = darn_source_function_end(threads->source, threads->first);
    for (unsigned i = threads->first; i <= threads->end; i++) {
        const char *text = threads->source->rows[i].text;

        if (is_creation(text) && !threads->creation)
            threads->creation = i;
        if (is_join(text)) {
            threads->join_first = threads->join_end = i;
            if (!darn_source_widen(threads->source, &threads->join_first, &threads->join_end))
                threads->join_first = threads->join_end = 0;
        }
    }
    return threads->creation || threads->join_first;
}

/* Threads come and go here, or the program looks whether it is right: elsewhere it would look at
 * something else. */
static bool stays(const struct threads *threads, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        const char *text = threads->source->rows[i].text;

        if (is_creation(text) || is_join(text) || strstr(text, "assert") ||
            darn_text_word(text, "return"))
            return true;
    }
    return false;
}

/* Whether the line gives the name another value. */
static bool assigns(const char *line, const char *name)
{
    for (const char *at = line; (at = darn_text_word(at, name)); at++) {
        const char *next = at + strlen(name);

        next += strspn(next, " \t");
        if ((next[0] == '=' && next[1] != '=') || strncmp(next, "++", 2) == 0 ||
            strncmp(next, "--", 2) == 0 || (*next && strchr("+-*/%&|^", *next) && next[1] == '='))
            return true;
    }
    return false;
}

/* Whether a name of the one line is given another value by the other one. */
static bool has_assigned(struct darn_text_pool *pool, const char *line, const char *other)
{
    for (const char *at = line; *at;) {
        size_t length = 0;

        while (darn_text_is_of_name(at[length]))
            length++;
        if (length && assigns(other, darn_pool_part(pool, at, length)))
            return true;
        at += length ? length : 1;
    }
    return false;
}

/* The statement would do something else in the other place: `free(p)` behind `p = NULL`. */
static bool means_other(struct darn_source *source, unsigned first, unsigned last, unsigned from,
                        unsigned to)
{
    for (unsigned i = first; i <= last; i++)
        for (unsigned j = from; j <= to; j++)
            if (source->rows[i].last && source->rows[j].last &&
                has_assigned(&source->pool, source->rows[i].text, source->rows[j].text))
                return true;
    return false;
}

#define MOST_ALONG 3 /* statements that go with one */

/* What the next statements change goes with it: `free(p); p = NULL;`. False when it would mean
 * something else behind the join all the same. */
static bool take_along(const struct threads *threads, unsigned first, unsigned *last)
{
    struct darn_source *source = threads->source;

    for (int i = 0; i < MOST_ALONG; i++) {
        unsigned from = *last + 1, to;

        if (!means_other(source, first, *last, *last + 1, threads->join_first))
            break;
        while (from < threads->join_first && !source->rows[from].last)
            from++;
        to = from;
        if (!darn_source_widen(source, &from, &to) || to >= threads->join_first)
            return false;
        *last = to;
    }
    return !means_other(source, first, *last, *last + 1, threads->join_first) &&
           !means_other(source, *last + 1, threads->join_first - 1, first, *last);
}

static void move_behind_join(struct darn_patches *patches, const struct darn_frame *frame)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct threads threads;
    unsigned first = frame->line, last = frame->line;

    if (look(patch, frame, &threads) && threads.join_first > frame->line &&
        darn_source_widen(threads.source, &first, &last) && last < threads.join_first &&
        take_along(&threads, first, &last) && !stays(&threads, first, last)) {
        darn_source_move_behind(threads.source, first, last, threads.join_end);
        darn_patches_add(patches, patch, "do it after the other thread has ended");
        return;
    }
    darn_patch_free(patch);
}

static void move_before_creation(struct darn_patches *patches, const struct darn_frame *frame)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct threads threads;
    unsigned first = frame->line, last = frame->line, from, to;

    if (look(patch, frame, &threads) && threads.creation && threads.creation < frame->line) {
        from = to = threads.creation;
        if (darn_source_widen(threads.source, &first, &last) &&
            darn_source_widen(threads.source, &from, &to) && to < first &&
            !stays(&threads, first, last) &&
            !means_other(threads.source, first, last, to + 1, first - 1)) {
            darn_source_move_before(threads.source, first, last, from);
            darn_patches_add(patches, patch, "do it before the other thread is created");
            return;
        }
    }
    darn_patch_free(patch);
}

static bool is_statement(const struct darn_source *source, unsigned line)
{
    const struct darn_source_row *row = &source->rows[line];

    return line && darn_source_begins(source, line) && row->last == ';' && !row->parens &&
           row->start == row->end && row->least == row->start;
}

/* What makes it visible to others stands before it: it is written first. */
static void move_before_statement(struct darn_patches *patches,
                                  const struct darn_finding_access *access)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_source *source = darn_patch_file(patch, access->dir, access->file);
    unsigned line = access->line;

    if (source && line && line <= source->count && is_statement(source, line) &&
        is_statement(source, line - 1) &&
        source->rows[line].start == source->rows[line - 1].start &&
        !strstr(source->rows[line - 1].text, "lock")) {
        darn_source_move_before(source, line, line, line - 1);
        darn_patches_add(
            patches, patch,
            darn_pool_format(&patch->pool, "do line %u before line %u", line, line - 1));
        return;
    }
    darn_patch_free(patch);
}

/* What the creation calls the thread: `&tid` of pthread_create(&tid, ...), `t` of std::thread t().
 */
static const char *join_of(struct darn_text_pool *pool, const char *line)
{
    const char *at = strstr(line, "pthread_create(");
    const char *cxx = strstr(line, "std::thread ");
    size_t length;

    if (cxx) {
        cxx += strlen("std::thread ");
        length = strspn(cxx, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        return length ? darn_pool_format(pool, "%.*s.join();", (int)length, cxx) : NULL;
    }
    if (!at)
        return NULL;
    at += strlen("pthread_create(");
    at += strspn(at, " ");
    length = strcspn(at, ",");
    if (*at == '&')
        return darn_pool_format(pool, "pthread_join(%.*s, NULL);", (int)length - 1, at + 1);
    return darn_pool_format(pool, "pthread_join(*(%.*s), NULL);", (int)length, at);
}

/* Nobody joins the thread: before the line, somebody does. */
static void add_join(struct darn_patches *patches, const struct darn_frame *frame, bool at_end)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct threads threads;
    unsigned first = frame->line, last = frame->line;
    const char *text = NULL;

    if (look(patch, frame, &threads) && threads.creation && !threads.join_first) {
        text = join_of(&patch->pool, threads.source->rows[threads.creation].text);
        if (at_end)
            for (first = last = threads.end - 1; first > threads.creation; first = --last)
                if (strstr(threads.source->rows[first].text, "return"))
                    break;
    }
    if (text && first > threads.creation && darn_source_widen(threads.source, &first, &last) &&
        first > threads.creation) {
        darn_source_put_before(threads.source, first, first, text);
        darn_patches_add(patches, patch, "wait for the end of the other thread first");
        return;
    }
    darn_patch_free(patch);
}

/* What is written before a thread begins is there for it; what is read then is not what the thread
 * leaves. */
static void try_access(struct darn_patches *patches, const struct darn_finding_access *access)
{
    if (access->op == DARN_OP_WRITE)
        move_before_statement(patches, access);
    for (size_t i = 0; i < access->stack.count; i++) {
        const struct darn_frame *frame = &access->stack.frames[i];

        if (!frame->file || !frame->line)
            continue;
        move_behind_join(patches, frame);
        add_join(patches, frame, false);
        if (access->op == DARN_OP_WRITE || access->op == DARN_OP_UPDATE)
            move_before_creation(patches, frame);
    }
}

/* Ends what a thread may still use. */
static bool is_end(const char *text)
{
    static const char *const words[] = {"free(", "destroy(", "munmap(", "close(", "delete "};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

/* Of a crash only the victim is known: what ends before the thread is joined may be the cause. */
static void try_ends(struct darn_patches *patches, const struct darn_frame *frame)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_frame at = *frame;
    struct threads threads;

    if (look(patch, frame, &threads) && threads.creation)
        for (at.line = threads.creation + 1; at.line < threads.end; at.line++)
            if (is_end(threads.source->rows[at.line].text)) {
                move_behind_join(patches, &at);
                add_join(patches, &at, false);
            }
    darn_patch_free(patch);
}

void darn_patches_order(struct darn_patches *patches, const struct darn_finding *finding)
{
    bool has_accesses =
        darn_finding_is(finding, "data-race") || darn_finding_is(finding, "order-violation");

    if (!has_accesses && !darn_finding_is(finding, "failure"))
        return;
    for (size_t i = 0; i < finding->access_count && has_accesses; i++)
        try_access(patches, &finding->accesses[i]);
    for (size_t i = 0; i < finding->thread_count && !has_accesses; i++)
        for (size_t j = 0; j < finding->threads[i].stack.count; j++)
            if (finding->threads[i].stack.frames[j].file)
                try_ends(patches, &finding->threads[i].stack.frames[j]);
    for (size_t i = 0; i < finding->thread_count; i++)
        for (size_t j = 0; j < finding->threads[i].stack.count; j++)
            if (finding->threads[i].stack.frames[j].file)
                add_join(patches, &finding->threads[i].stack.frames[j], true);
}
