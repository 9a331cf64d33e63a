/*
 * The story of a schedule for programs, with every step (docs/story-format.md): what the page
 * (report/html) draws, and what becomes tracks (report/perfetto). What is the same in many steps is
 * written once: a step is three numbers.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/json_file.h"
#include "report/story/snapshot_story.h"

#define FLUSH (1u << 20) /* bytes in memory */

/* What one or more steps do. */
struct deed {
    uint8_t op, flags;
    uint64_t place, object, step; /* step: the first of them */
};

struct tale {
    struct darn_story story;
    struct darn_json json;
    FILE *out;
    struct darn_story_thread *all; /* also those that take no part */
    size_t all_count;
    struct deed *deeds;
    size_t deed_count, deed_room;
    uint32_t *deed_of;        /* of each step */
    struct darn_map by_hash;  /* deeds + 1 */
    struct darn_map by_place; /* of struct darn_story_place: numbers + 1 */
    const struct darn_story_place **places;
    size_t place_count, place_room;
    struct darn_map locks; /* see put_holds */
};

static bool is_same(const struct deed *a, const struct deed *b)
{
    /* The number of a thread that is created is in no step. */
    return a->op == b->op && a->flags == b->flags && a->place == b->place &&
           a->object == b->object && a->op != DARN_STEP_CREATE;
}

/* What a loop does to the items of an array has the same words for all of them. */
static struct deed deed_at(struct tale *tale, uint64_t index)
{
    const struct darn_step *step = &tale->story.steps[index];
    enum darn_step_op op = (enum darn_step_op)step->op;
    bool has_name = darn_snapshot_has_site(op) &&
                    darn_story_place(&tale->story, op, step->place)->place.variable;

    return (struct deed){
        .op = step->op,
        .flags = step->flags & DARN_STEP_TIMED_OUT,
        .place = step->place,
        .object = has_name ? 0 : step->object,
        .step = index,
    };
}

static uint32_t find_deed(struct tale *tale, uint64_t index)
{
    struct deed deed = deed_at(tale, index);
    uint64_t key = darn_hash_number(DARN_HASH_START, (uint32_t)deed.op << 8 | deed.flags);
    uintptr_t found;

    key = darn_hash_bytes(key, (const char *)&deed.place, sizeof(deed.place));
    key = darn_hash_bytes(key, (const char *)&deed.object, sizeof(deed.object));
    while ((found = darn_map_get(&tale->by_hash, key, 0)))
        if (is_same(&tale->deeds[found - 1], &deed))
            return (uint32_t)found - 1;
        else
            key++;
    tale->deeds =
        darn_grow(tale->deeds, &tale->deed_room, tale->deed_count + 1, sizeof(*tale->deeds));
    tale->deeds[tale->deed_count++] = deed;
    darn_map_put(&tale->by_hash, key, tale->deed_count);
    return (uint32_t)tale->deed_count - 1;
}

/* -1: not known. */
static int64_t number_of_place(struct tale *tale, const struct darn_story_place *place)
{
    bool added;
    uintptr_t *number;

    if (!place || !place->place.file)
        return -1;
    number = darn_map_at(&tale->by_place, (uintptr_t)place, &added);
    if (!*number) {
        tale->places = darn_grow(tale->places, &tale->place_room, tale->place_count + 1,
                                 sizeof(*tale->places));
        tale->places[tale->place_count++] = place;
        *number = tale->place_count;
    }
    return (int64_t)*number - 1;
}

static void put_place(struct tale *tale, const struct darn_story_place *place)
{
    int64_t number = number_of_place(tale, place);

    if (number >= 0)
        darn_json_number(&tale->json, "place", number);
}

static void flush(struct tale *tale)
{
    if (tale->json.text.used > FLUSH)
        darn_json_flush(&tale->json, tale->out);
}

/* -1 when it has none. */
static int64_t lane_of(const struct tale *tale, uint32_t thread)
{
    const struct darn_story_thread *found =
        darn_story_find_thread(tale->all, tale->all_count, thread);

    return found ? found - tale->all : -1;
}

static void put_threads(struct tale *tale)
{
    struct darn_json *json = &tale->json;

    darn_json_open(json, "threads", '[');
    for (size_t i = 0; i < tale->all_count; i++) {
        darn_json_open(json, NULL, '{');
        darn_json_string(json, "title", tale->all[i].title);
        if (!darn_story_thread(&tale->story, tale->all[i].number))
            darn_json_bool(json, "aside", true);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
}

static void put_deeds(struct tale *tale)
{
    struct darn_json *json = &tale->json;

    darn_json_open(json, "deeds", '[');
    for (size_t i = 0; i < tale->deed_count; i++) {
        const struct deed *deed = &tale->deeds[i];
        const char *name = darn_step_op_name((enum darn_step_op)deed->op);

        darn_json_open(json, NULL, '{');
        darn_json_string(json, "op", name ? name : "?");
        darn_json_string(json, "text", darn_story_action(&tale->story, deed->step));
        if (deed->op != DARN_STEP_START) /* where a function begins is nothing to look at */
            put_place(tale,
                      darn_story_place(&tale->story, (enum darn_step_op)deed->op, deed->place));
        darn_json_close(json, '}');
        flush(tale);
    }
    darn_json_close(json, ']');
}

static void put_steps(struct tale *tale)
{
    const struct darn_story *story = &tale->story;

    darn_json_open(&tale->json, "steps", '[');
    for (uint64_t i = 0; i < story->told; i++) {
        darn_json_number(&tale->json, NULL, lane_of(tale, story->steps[i].thread));
        darn_json_number(&tale->json, NULL, tale->deed_of[i]);
        darn_json_number(&tale->json, NULL, story->steps[i].flags);
        flush(tale);
    }
    darn_json_close(&tale->json, ']');
}

static void put_switches(struct tale *tale)
{
    struct darn_story *story = &tale->story;
    uint32_t runs = 0;
    bool somebody_runs = false;

    darn_json_open(&tale->json, "switches", '[');
    for (uint64_t i = 0; i < story->told; i++) {
        const struct darn_step *step = &story->steps[i];
        struct darn_row row = {.kind = DARN_ROW_SWITCH, .from = runs, .step = i};

        if (!darn_story_runs(step))
            continue;
        if (somebody_runs && step->thread != runs) {
            darn_json_number(&tale->json, NULL, (int64_t)i);
            darn_json_string(&tale->json, NULL, darn_story_reason(story, &row, UINT32_MAX));
            flush(tale);
        }
        runs = step->thread;
        somebody_runs = true;
    }
    darn_json_close(&tale->json, ']');
}

/* The name of a lock is that of the step that took it first. */
static void put_locks(struct tale *tale, const struct darn_story_hold *holds)
{
    struct darn_story *story = &tale->story;

    darn_json_open(&tale->json, "locks", '[');
    for (size_t i = 0; i < tale->locks.count; i++) {
        const struct darn_step *step =
            &story->steps[holds[tale->locks.entries[i].value >> 32].from];

        darn_json_string(
            &tale->json, NULL,
            darn_story_name(story, (enum darn_step_op)step->op, step->place, step->object));
    }
    darn_json_close(&tale->json, ']');
}

static void put_holds(struct tale *tale)
{
    struct darn_story_hold *holds;
    size_t count = darn_story_holds(&tale->story, &holds);

    darn_json_open(&tale->json, "holds", '[');
    for (size_t i = 0; i < count; i++) {
        bool added;
        uintptr_t *lock = darn_map_at(&tale->locks, holds[i].object, &added);

        if (added)
            *lock = (uintptr_t)i << 32 | (tale->locks.count - 1); /* where first, and its number */
        darn_json_number(&tale->json, NULL, lane_of(tale, holds[i].thread));
        darn_json_number(&tale->json, NULL, (int64_t)(*lock & UINT32_MAX));
        darn_json_number(&tale->json, NULL, (int64_t)holds[i].from);
        darn_json_number(&tale->json, NULL, (int64_t)holds[i].to);
        flush(tale);
    }
    darn_json_close(&tale->json, ']');
    put_locks(tale, holds);
    free(holds);
}

/* The accesses of what was met, as steps. */
static void put_marks(struct tale *tale, const struct darn_block_met *met)
{
    uint64_t marks[DARN_STORY_MARKS];
    size_t count = darn_story_marks(&tale->story, met, marks);

    darn_json_open(&tale->json, "marks", '[');
    for (size_t i = 0; i < count; i++)
        darn_json_number(&tale->json, NULL, (int64_t)marks[i]);
    darn_json_close(&tale->json, ']');
}

static void put_side(struct tale *tale, const struct darn_block_thread *thread)
{
    struct darn_story *story = &tale->story;

    darn_json_open(&tale->json, NULL, '{');
    darn_json_number(&tale->json, "thread", lane_of(tale, thread->thread));
    darn_json_string(
        &tale->json, "text",
        darn_story_deed(story, (enum darn_step_op)thread->op, thread->place, thread->object));
    put_place(tale, darn_story_where(story, thread));
    darn_json_close(&tale->json, '}');
}

static void put_met(struct tale *tale)
{
    const struct darn_result *result = &tale->story.snapshot->block->result;
    struct darn_json *json = &tale->json;

    darn_json_open(json, "met", '[');
    for (uint32_t i = 0; i < result->met_count && i < DARN_BLOCK_MET; i++) {
        const struct darn_block_met *met = &result->met[i];

        if (darn_story_met_before(&tale->story, i) || met->step > tale->story.told ||
            lane_of(tale, met->threads[0].thread) < 0 || lane_of(tale, met->threads[1].thread) < 0)
            continue;
        darn_json_open(json, NULL, '{');
        darn_json_number(json, "step", (int64_t)met->step);
        darn_json_string(json, "kind",
                         met->kind == DARN_MET_RACE ? "data-race" : "atomicity-violation");
        darn_json_open(json, "about", '[');
        put_side(tale, &met->threads[0]);
        if (met->kind == DARN_MET_RACE)
            put_side(tale, &met->threads[1]);
        darn_json_close(json, ']');
        put_marks(tale, met);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
}

static void put_ending(struct tale *tale)
{
    struct darn_story *story = &tale->story;
    struct darn_json *json = &tale->json;

    story->keeps_said = true;
    darn_story_ending(story);
    darn_story_why(story);
    darn_json_open(json, "ending", '[');
    for (size_t i = 0; i < story->said_count; i++) {
        const struct darn_story_said *said = &story->said[i];
        int64_t lane = said->thread >= 0 ? lane_of(tale, (uint32_t)said->thread) : -1;

        darn_json_open(json, NULL, '{');
        darn_json_string(json, "text", said->text + strspn(said->text, " "));
        if (lane >= 0)
            darn_json_number(json, "thread", lane);
        put_place(tale, said->place);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
}

static void put_places(struct tale *tale)
{
    struct darn_json *json = &tale->json;

    darn_json_open(json, "places", '[');
    for (size_t i = 0; i < tale->place_count; i++) {
        const struct darn_snapshot_place *place = &tale->places[i]->place;

        darn_json_open(json, NULL, '{');
        darn_json_string(json, "file", place->file);
        if (place->dir)
            darn_json_string(json, "dir", place->dir);
        darn_json_number(json, "line", place->line);
        if (place->column)
            darn_json_number(json, "column", place->column);
        if (place->function)
            darn_json_string(json, "function", place->function);
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
}

/* Who takes no part has no lane, but makes steps. */
static void choose_threads(struct tale *tale)
{
    struct darn_story *story = &tale->story;

    darn_story_name_threads(story);
    tale->all_count = story->thread_count;
    tale->all = darn_need_zeroed(tale->all_count, sizeof(*tale->all));
    if (tale->all_count)
        memcpy(tale->all, story->threads, tale->all_count * sizeof(*tale->all));
    darn_story_choose_threads(story);
}

static void put_story(struct tale *tale)
{
    struct darn_story *story = &tale->story;

    darn_json_open(&tale->json, NULL, '{');
    darn_json_number(&tale->json, "version", 1);
    put_threads(tale);
    put_deeds(tale);
    put_steps(tale);
    put_switches(tale);
    put_holds(tale);
    put_met(tale);
    put_ending(tale);
    put_places(tale);
    darn_json_number(&tale->json, "made", (int64_t)story->snapshot->block->result.steps);
    darn_json_close(&tale->json, '}');
    darn_json_end_line(&tale->json);
}

void darn_snapshot_story_json(const struct darn_snapshot *snapshot, FILE *out)
{
    struct tale tale = {.out = out};

    darn_story_begin(&tale.story, snapshot);
    darn_json_start_growing(&tale.json);
    choose_threads(&tale);
    tale.deed_of = darn_need_zeroed(tale.story.told, sizeof(*tale.deed_of));
    for (uint64_t i = 0; i < tale.story.told; i++)
        tale.deed_of[i] = find_deed(&tale, i);
    put_story(&tale);
    darn_json_finish(&tale.json, out);
    free(tale.all);
    free(tale.deeds);
    free(tale.deed_of);
    free(tale.places);
    darn_map_free(&tale.by_hash);
    darn_map_free(&tale.by_place);
    darn_map_free(&tale.locks);
    darn_story_end(&tale.story);
}
