#include "driver/analysis/following.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "driver/process/listener.h"

#define PIECE 1024

/* A look takes a tenth of a second: the program may write faster than we read, and who looks wants
 * to see that it has ended. */
#define LOOK 1000

static void forget_block(struct darn_following *following, const struct darn_block *block)
{
    following->unused = darn_grow(following->unused, &following->unused_room,
                                  following->unused_count + 1, sizeof(*following->unused));
    following->unused[following->unused_count++] =
        darn_blocks_remove(following->blocks, block->start);
}

static void keep_block(struct darn_following *following, const struct darn_event *alloc)
{
    const struct darn_block *there;
    uint32_t number;

    if (!alloc->extra)
        return;
    while ((there = darn_blocks_overlapping(following->blocks, alloc->target, alloc->extra)))
        forget_block(following, there);
    number = following->unused_count ? following->unused[--following->unused_count]
                                     : (uint32_t)following->alloc_count++;
    following->allocs = darn_grow(following->allocs, &following->alloc_room, (size_t)number + 1,
                                  sizeof(*following->allocs));
    following->allocs[number] = *alloc;
    darn_blocks_add(following->blocks, alloc->target, alloc->extra, alloc->thread);
    darn_blocks_at(following->blocks, alloc->target)->list = number;
}

/* Whether what we know of an address may be another block after it. */
static bool changes_blocks(const struct darn_following *following, const struct darn_event *event)
{
    if (event->kind == DARN_EVENT_ALLOC)
        return darn_blocks_overlapping(following->blocks, event->target, event->extra);
    return event->kind == DARN_EVENT_FREE && darn_blocks_at(following->blocks, event->target);
}

static void note_blocks(struct darn_following *following, const struct darn_event *event)
{
    const struct darn_block *block;

    if (event->kind == DARN_EVENT_ALLOC)
        keep_block(following, event);
    else if (event->kind == DARN_EVENT_FREE &&
             (block = darn_blocks_at(following->blocks, event->target)) &&
             block->start == event->target)
        forget_block(following, block);
}

/* The predictions that there are since the last time. */
static void collect(struct darn_following *following)
{
    struct darn_analysis *analysis = following->analysis;
    size_t before = analysis->verdicts.count;

    for (size_t i = 0; i < analysis->lineup.count; i++) {
        const struct darn_lineup_entry *entry = &analysis->lineup.entries[i];
        size_t count;
        const struct darn_prediction *predictions =
            entry->engine->predictions(entry->state, &count);

        for (; following->collected[i] < count; following->collected[i]++) {
            const struct darn_prediction *prediction = &predictions[following->collected[i]];
            const struct darn_block *block =
                darn_blocks_newest(following->blocks, prediction->target);
            struct darn_predicted predicted = {
                .trace = following->trace,
                .path = following->path,
                .prediction = prediction,
                .engine = entry->engine->name,
                .block = block ? &following->allocs[block->list] : NULL,
            };

            (void)darn_analysis_add(analysis, &predicted);
        }
    }
    if (analysis->verdicts.count > before)
        following->found(following->context);
}

/* Up to the end of a block, or to another one in its place: what was found was in the old one. */
static int read_piece(struct darn_following *following, struct darn_event *piece)
{
    struct darn_analysis *analysis = following->analysis;
    double start = darn_lineup_clock();
    int count = 0, result = 1;

    while (count < PIECE && (result = darn_trace_next(following->trace, &piece[count])) == 1) {
        const struct darn_event *event = &piece[count++];

        analysis->has_functions |= event->kind == DARN_EVENT_BEGIN;
        following->changes = changes_blocks(following, event);
        if (following->changes)
            break;
        note_blocks(following, event);
    }
    analysis->reading += darn_lineup_clock() - start;
    analysis->events += (uint64_t)count;
    return result < 0 ? -1 : count;
}

static void feed(struct darn_following *following, size_t pieces)
{
    struct darn_analysis *analysis = following->analysis;
    struct darn_event piece[PIECE];
    int count;

    for (count = 0; pieces && (count = read_piece(following, piece)) > 0; pieces--) {
        darn_places_more(&following->places);
        darn_lineup_events(&analysis->lineup, piece, (size_t)count);
        collect(following);
        if (following->changes)
            note_blocks(following, &piece[count - 1]);
    }
    if (count < 0)
        following->status =
            darn_tell_refusal(analysis->listener, "%s", darn_trace_error(following->trace));
}

static void begin(struct darn_following *following)
{
    struct darn_analysis *analysis = following->analysis;
    struct darn_engine_config config;
    int error;

    following->trace = darn_trace_follow(following->path, following->ahead, &error);
    if (error)
        following->status = darn_tell_refusal(analysis->listener, "%s: cannot be read: %s",
                                              following->path, strerror(-error));
    if (!following->trace)
        return;
    analysis->trace++;
    analysis->has_functions = false;
    following->places.rules = darn_unit_names_rules(&analysis->unit_names);
    darn_places_make(&following->places, following->trace);
    config = darn_analysis_config(analysis, &following->places, false);
    following->blocks = darn_need_memory(darn_blocks_create());
    following->collected = darn_need_zeroed(analysis->lineup.count, sizeof(size_t));
    if (darn_lineup_start(&analysis->lineup, &config))
        following->status = darn_tell_refusal(analysis->listener, "out of memory");
}

/* Nobody writes the present trace any more. */
static void finish(struct darn_following *following)
{
    struct darn_analysis *analysis = following->analysis;

    if (!following->trace)
        return;
    darn_trace_has_ended(following->trace);
    if (!following->status)
        feed(following, SIZE_MAX);
    if (!following->status) {
        darn_lineup_finish(&analysis->lineup);
        collect(following);
        darn_analysis_close(analysis, following->trace, following->path);
    }
    darn_lineup_stop(&analysis->lineup);
    darn_places_free(&following->places);
    darn_blocks_destroy(following->blocks);
    free(following->collected);
    free(following->allocs);
    free(following->unused);
    darn_trace_close(following->trace);
    *following = (struct darn_following){.analysis = analysis,
                                         .path = following->path,
                                         .ahead = following->ahead,
                                         .found = following->found,
                                         .context = following->context,
                                         .status = following->status};
}

void darn_following_look(struct darn_following *following)
{
    if (following->status)
        return;
    /* A program that exec has put into the place of the last one begins a trace of its own. */
    if (following->trace && !darn_trace_is_at(following->trace, following->path))
        finish(following);
    if (!following->trace && !following->status)
        begin(following);
    if (following->trace && !following->status)
        feed(following, LOOK);
}

int darn_following_end(struct darn_following *following)
{
    darn_following_look(following);
    finish(following);
    return following->status;
}
