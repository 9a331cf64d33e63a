/*
 * What the schedule says: lines within which a thread was interrupted, and what others wrote
 * meanwhile, under one new lock.
 */
#include <stdlib.h>
#include <string.h>

#include "report/fix/patch_private.h"

#define MOST_GAPS 8

struct story {
    const json_t *steps, *deeds, *places;
    size_t count;
};

static size_t number_at(const json_t *list, size_t at)
{
    return (size_t)json_integer_value(json_array_get(list, at));
}

static size_t thread_of(const struct story *story, size_t step)
{
    return number_at(story->steps, 3 * step);
}

static const json_t *deed_of(const struct story *story, size_t step)
{
    return json_array_get(story->deeds, number_at(story->steps, 3 * step + 1));
}

static bool is_preempting(const struct story *story, size_t step)
{
    return number_at(story->steps, 3 * step + 2) & 1;
}

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* The lines of both steps, if they are in one function. */
static bool stretch_between(const struct story *story, size_t one, size_t other,
                            struct darn_stretch *stretch)
{
    const json_t *place[2];
    const char *function[2], *file[2];
    unsigned line[2];

    for (int i = 0; i < 2; i++) {
        const json_t *at = json_object_get(deed_of(story, i ? other : one), "place");

        place[i] = at ? json_array_get(story->places, (size_t)json_integer_value(at)) : NULL;
        function[i] = text_of(place[i], "function");
        file[i] = text_of(place[i], "file");
        line[i] = (unsigned)json_integer_value(json_object_get(place[i], "line"));
        if (!function[i] || !file[i] || !line[i])
            return false;
    }
    if (strcmp(function[0], function[1]) != 0 || strcmp(file[0], file[1]) != 0)
        return false;
    *stretch = (struct darn_stretch){
        .dir = text_of(place[0], "dir"),
        .file = file[0],
        .first = line[0] < line[1] ? line[0] : line[1],
        .last = line[0] < line[1] ? line[1] : line[0],
    };
    return true;
}

static bool changes(const struct story *story, size_t step)
{
    const char *op = text_of(deed_of(story, step), "op");

    return op && (strcmp(op, "write") == 0 || strcmp(op, "update") == 0);
}

/* The statements of others between the steps that change something; with `whole` from the first to
 * the last in each function. */
static size_t add_others(const struct story *story, size_t from, size_t to, bool whole,
                         struct darn_stretch *list, size_t room)
{
    size_t count = 0, last = 0;

    for (size_t i = from + 1; i < to && count < room; i++) {
        struct darn_stretch joined;

        if (!changes(story, i) || thread_of(story, i) == thread_of(story, from))
            continue;
        if (whole && count && thread_of(story, last) == thread_of(story, i) &&
            stretch_between(story, last, i, &joined)) {
            if (joined.first < list[count - 1].first)
                list[count - 1].first = joined.first;
            if (joined.last > list[count - 1].last)
                list[count - 1].last = joined.last;
        } else if (stretch_between(story, i, i, &list[count])) {
            count++;
        }
        last = i;
    }
    return count;
}

static void try_gap(struct darn_patches *patches, const struct story *story, size_t from, size_t to,
                    bool whole)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_stretch list[DARN_MOST_STRETCHES];
    struct darn_guard_words words;
    struct darn_source *source;
    size_t count;

    if (stretch_between(story, from, to, &list[0])) {
        count = 1 + add_others(story, from, to, whole, list + 1, DARN_MOST_STRETCHES - 1);
        source = darn_patch_file(patch, list[0].dir, list[0].file);
        if (source && count > 1) {
            darn_guard_words_new(&patch->pool, "order", "_lock", source, &words);
            if (darn_patch_guard(patch, &words, list, count)) {
                darn_patches_add(patches, patch,
                                 darn_pool_format(&patch->pool,
                                                  "let nobody in from line %u to line %u",
                                                  list[0].first, list[0].last));
                return;
            }
        }
    }
    darn_patch_free(patch);
}

/* The lines of the function that mention one of the names. */
static bool widen_to_mentions(const struct darn_source *source, unsigned function,
                              const char *const *names, struct darn_stretch *stretch)
{
    unsigned end = darn_source_function_end(source, function);

    *stretch = (struct darn_stretch){.dir = source->dir, .file = source->file};
    for (unsigned i = function + 1; i < end; i++)
        if (source->rows[i].last && !source->rows[i].directive &&
            (darn_text_word(source->rows[i].text, names[0]) ||
             darn_text_word(source->rows[i].text, names[1]))) {
            stretch->first = stretch->first ? stretch->first : i;
            stretch->last = i;
        }
    return stretch->first != 0;
}

/* Who reads what the thread was about to change is not in the schedule, if that went straight on:
 * each function that uses what the two steps are about, from the first use to the last. */
static void try_variables(struct darn_patches *patches, const struct story *story, size_t from,
                          size_t to)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_stretch list[DARN_MOST_STRETCHES], gap;
    const char *one = text_of(deed_of(story, from), "text"),
               *other = text_of(deed_of(story, to), "text");
    struct darn_source *source = NULL;
    struct darn_guard_words words;
    size_t count = 0;

    if (one && other && (changes(story, from) || changes(story, to)) &&
        stretch_between(story, from, to, &gap))
        source = darn_patch_file(patch, gap.dir, gap.file);
    if (source) {
        const char *names[2] = {darn_text_last_name(&patch->pool, one),
                                darn_text_last_name(&patch->pool, other)};
        unsigned last = 0;

        for (unsigned i = 1; i <= source->count && count < DARN_MOST_STRETCHES; i++) {
            unsigned function = darn_source_function(source, i);

            if (function && function != last)
                count += widen_to_mentions(source, function, names, &list[count]);
            last = function;
        }
        darn_guard_words_new(&patch->pool, names[0], "_lock", source, &words);
    }
    if (count > 1 && darn_patch_guard(patch, &words, list, count))
        darn_patches_add(patches, patch,
                         darn_pool_format(&patch->pool, "hold '%s' from line %u to line %u",
                                          words.name, gap.first, gap.last));
    else
        darn_patch_free(patch);
}

/* All statements of the function in which the step is made. */
static bool body_of(struct darn_patch *patch, const struct story *story, size_t step,
                    struct darn_stretch *body)
{
    struct darn_source *source;
    unsigned function, end;

    if (!stretch_between(story, step, step, body))
        return false;
    source = darn_patch_file(patch, body->dir, body->file);
    function = source ? darn_source_function(source, body->first) : 0;
    if (!function)
        return false;
    end = darn_source_function_end(source, function);
    for (body->first = function + 1; body->first < end && !source->rows[body->first].last;)
        body->first++;
    for (body->last = end - 1; body->last > body->first && !source->rows[body->last].last;)
        body->last--;
    return body->first < end;
}

static bool is_among(const struct darn_stretch *list, size_t count, const struct darn_stretch *one)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].first == one->first && strcmp(list[i].file, one->file) == 0)
            return true;
    return false;
}

/* Not each access is a step: what the interrupted function has done before, and what the others do
 * besides, may not be in the schedule. One at a time is in any of them. */
static void try_bodies(struct darn_patches *patches, const struct story *story, size_t from,
                       size_t to)
{
    struct darn_patch *patch = darn_patch_begin(patches);
    struct darn_stretch list[DARN_MOST_STRETCHES];
    struct darn_guard_words words;
    struct darn_source *source;
    size_t count = body_of(patch, story, to, &list[0]);

    for (size_t i = from; count && i < to && count < DARN_MOST_STRETCHES; i++)
        if (changes(story, i) && body_of(patch, story, i, &list[count]))
            count += !is_among(list, count, &list[count]);
    source = count ? darn_patch_file(patch, list[0].dir, list[0].file) : NULL;
    if (source) {
        darn_guard_words_new(&patch->pool, "order", "_lock", source, &words);
        if (darn_patch_guard(patch, &words, list, count)) {
            darn_patches_add(patches, patch,
                             darn_pool_format(&patch->pool, "let nobody in from line %u to line %u",
                                              list[0].first, list[0].last));
            return;
        }
    }
    darn_patch_free(patch);
}

/* The next step of the thread; 0: it makes none. */
static size_t next_of(const struct story *story, size_t step)
{
    for (size_t i = step + 1; i < story->count; i++)
        if (thread_of(story, i) == thread_of(story, step))
            return i;
    return 0;
}

void darn_patches_switch(struct darn_patches *patches, const json_t *json)
{
    struct story story = {json_object_get(json, "steps"), json_object_get(json, "deeds"),
                          json_object_get(json, "places"), 0};
    size_t gaps = 0;

    story.count = json_array_size(story.steps) / 3;
    for (size_t i = story.count; i-- > 1 && gaps < MOST_GAPS;) {
        size_t next;

        if (!is_preempting(&story, i) || thread_of(&story, i) == thread_of(&story, i - 1))
            continue;
        next = next_of(&story, i - 1);
        if (!next)
            continue;
        try_gap(patches, &story, i - 1, next, false);
        try_gap(patches, &story, i - 1, next, true);
        try_variables(patches, &story, i - 1, next);
        try_bodies(patches, &story, i, next);
        gaps++;
    }
}
