/* What is told of a schedule: which steps, and where something stands in their place. */
#include "report/story/snapshot_story.h"

#include <stdlib.h>
#include <string.h>

/* How much is left out. */
enum detail {
    EVERYTHING,
    WHAT_MATTERS, /* no steps that concern one thread alone */
    STRETCHES,    /* the first and the last step of each stretch */
};

static void add_row(struct darn_story *story, struct darn_row row)
{
    struct darn_rows *rows = &story->rows;

    if (rows->count == rows->room) {
        size_t room = rows->room ? 2 * rows->room : 64;
        struct darn_row *larger = darn_pool_get(&story->pool, room, sizeof(*larger));

        if (rows->count)
            memcpy(larger, rows->list, rows->count * sizeof(*larger));
        rows->list = larger;
        rows->room = room;
    }
    rows->list[rows->count++] = row;
}

/* A loop that goes over memory, or that waits, says the same over and over. */
static bool is_same(const struct darn_step *a, const struct darn_step *b)
{
    bool repeats = darn_snapshot_has_site((enum darn_step_op)a->op) || a->op == DARN_STEP_YIELD ||
                   a->op == DARN_STEP_SLEEP || a->op == DARN_STEP_CALL;

    return repeats && a->thread == b->thread && a->op == b->op && a->place == b->place &&
           a->flags == b->flags;
}

/* What the arrow before or after the stretch tells as well: that a thread starts or has ended. */
static bool is_told_by_arrow(const struct darn_story *story, uint64_t index, uint64_t first,
                             uint64_t end)
{
    uint8_t op = story->steps[index].op;

    if (first + 1 == end)
        return false;
    return (op == DARN_STEP_START && index == first) ||
           (op == DARN_STEP_EXIT && index + 1 == end && end < story->told);
}

static bool concerns_others(struct darn_story *story, const struct darn_step *step)
{
    const struct darn_story_object *object;

    switch (step->op) {
    case DARN_STEP_START:
    case DARN_STEP_EXIT:
    case DARN_STEP_FINISH:
    case DARN_STEP_CREATE:
    case DARN_STEP_JOIN:
    case DARN_STEP_CANCEL:
    case DARN_STEP_WAKE:
        return true;
    default:
        object = darn_story_object(story, step->object);
        return object && object->is_shared && object->is_changed;
    }
}

static bool is_told(struct darn_story *story, uint64_t index, enum detail detail, bool at_edge)
{
    const struct darn_step *step = &story->steps[index];

    if (detail == EVERYTHING || at_edge || !darn_story_runs(step))
        return true;
    return detail == WHAT_MATTERS && concerns_others(story, step);
}

/* What was met before the step is made. */
static void add_met(struct darn_story *story, uint64_t step)
{
    const struct darn_result *result = &story->snapshot->block->result;
    uint32_t count = result->met_count < DARN_BLOCK_MET ? result->met_count : DARN_BLOCK_MET;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t met = result->met[i].step;

        if ((met == step || (met > step && step == story->count)) &&
            !darn_story_met_before(story, i))
            add_row(story, (struct darn_row){.kind = DARN_ROW_MET, .from = i, .step = step});
    }
}

static void add_skip(struct darn_story *story, uint64_t first, uint64_t end)
{
    if (first < end)
        add_row(story,
                (struct darn_row){.kind = DARN_ROW_SKIP, .step = first, .times = end - first});
}

/* One stretch: the steps from `first` to before `end` are of one thread. */
static void add_stretch(struct darn_story *story, uint64_t first, uint64_t end, enum detail detail)
{
    uint64_t skipped = first;

    for (uint64_t i = first, times; i < end; i += times) {
        const struct darn_step *step = &story->steps[i];

        for (times = 1; i + times < end && is_same(step, step + times) && !story->marked[i] &&
                        !story->marked[i + times];)
            times++;
        if (is_told_by_arrow(story, i, first, end) && !story->marked[i] && skipped == i) {
            skipped = i + times;
            continue;
        }
        if (!is_told(story, i, detail, i == first || i + times == end) && !story->marked[i])
            continue;
        /* A line that says that one step is left out is as long as the step. */
        if (skipped + 1 == i)
            add_row(story, (struct darn_row){.kind = DARN_ROW_STEP, .step = skipped, .times = 1});
        else
            add_skip(story, skipped, i);
        add_met(story, i);
        add_row(story, (struct darn_row){.kind = DARN_ROW_STEP, .step = i, .times = times});
        skipped = i + times;
    }
    add_skip(story, skipped, end);
}

/* Steps of threads that take no part: one row until somebody else goes on. */
static void add_others(struct darn_story *story, uint64_t first, uint64_t end)
{
    struct darn_rows *rows = &story->rows;

    if (rows->count && rows->list[rows->count - 1].kind == DARN_ROW_OTHERS)
        rows->list[rows->count - 1].times += end - first;
    else
        add_row(story,
                (struct darn_row){.kind = DARN_ROW_OTHERS, .step = first, .times = end - first});
}

/* Where the stretch that begins with the step ends. */
static uint64_t stretch_end(const struct darn_story *story, uint64_t first)
{
    uint64_t end = first + 1;

    if (!darn_story_runs(&story->steps[first]))
        return end;
    while (end < story->told && darn_story_runs(&story->steps[end]) &&
           story->steps[end].thread == story->steps[first].thread)
        end++;
    return end;
}

static void make_rows(struct darn_story *story, enum detail detail)
{
    uint32_t runs = 0;
    bool somebody_runs = false;

    story->rows.count = 0;
    for (uint64_t first = 0, end; first < story->told; first = end) {
        const struct darn_step *step = &story->steps[first];

        end = stretch_end(story, first);
        if (!darn_story_thread(story, step->thread)) {
            add_others(story, first, end);
            continue;
        }
        if (darn_story_runs(step)) {
            if (somebody_runs && step->thread != runs)
                add_row(story,
                        (struct darn_row){.kind = DARN_ROW_SWITCH, .from = runs, .step = first});
            runs = step->thread;
            somebody_runs = true;
        }
        add_stretch(story, first, end, detail);
    }
    add_met(story, story->told);
}

static void choose_rows(struct darn_story *story, unsigned most)
{
    for (int detail = EVERYTHING; detail <= STRETCHES; detail++) {
        make_rows(story, (enum detail)detail);
        if (most)
            darn_story_fold(story);
        if (!most || story->rows.count <= most)
            return;
    }
    if (most >= 4)
        darn_story_cut(story, most);
}

static int compare_threads(const void *a, const void *b)
{
    const struct darn_story_thread *one = a, *other = b;

    return (one->number > other->number) - (one->number < other->number);
}

/* Who was met need not have made a step yet. */
static void add_met_threads(struct darn_story *story)
{
    const struct darn_result *result = &story->snapshot->block->result;

    for (uint32_t i = 0; i < 2 * result->met_count && i < 2 * DARN_BLOCK_MET; i++) {
        uint32_t number = result->met[i / 2].threads[i % 2].thread;
        bool known = result->met[i / 2].step > story->told;

        for (size_t j = 0; j < story->thread_count; j++)
            known |= story->threads[j].number == number;
        if (!known)
            story->threads[story->thread_count++].number = number;
    }
}

/* Finds the threads, the next step of each step, and who touches what. */
static void survey(struct darn_story *story)
{
    struct darn_map last = {.count = 0};
    size_t room = 0;

    story->next = darn_pool_get(&story->pool, story->count + 1, sizeof(*story->next));
    for (uint64_t i = story->count; i--;) {
        const struct darn_step *step = &story->steps[i];
        uintptr_t key = (uintptr_t)step->thread + 1;

        story->next[i] = darn_map_get(&last, key, story->count);
        room += story->next[i] == story->count;
        darn_map_put(&last, key, i);
    }
    darn_map_free(&last);
    story->threads =
        darn_pool_get(&story->pool, room + 2 * DARN_BLOCK_MET, sizeof(*story->threads));
    for (uint64_t i = 0; i < story->told; i++) {
        const struct darn_step *step = &story->steps[i];
        struct darn_story_object *object = darn_story_object(story, step->object);

        if (story->next[i] >= story->told)
            story->threads[story->thread_count++].number = step->thread;
        if (!object)
            continue;
        if (!object->thread)
            object->thread = step->thread + 1;
        object->is_shared |= object->thread != step->thread + 1;
        object->is_changed |= darn_step_changes((enum darn_step_op)step->op);
    }
    add_met_threads(story);
    if (story->thread_count)
        qsort(story->threads, story->thread_count, sizeof(*story->threads), compare_threads);
}

/* `Account::transfer` of `Account::transfer(Account&, long)`, `main lambda` of
 * `main::$_0::operator()() const`: a title has not much room. */
static const char *short_name(struct darn_text_pool *pool, const char *name)
{
    const char *lambda = name ? strstr(name, "::$_") : NULL;

    if (lambda)
        return darn_pool_format(pool, "%.*s lambda", (int)strcspn(name, "(:"), name);
    return name ? darn_pool_part(pool, name, strcspn(name, "(<")) : NULL;
}

void darn_story_name_threads(struct darn_story *story)
{
    for (size_t i = 0; i < story->thread_count; i++) {
        struct darn_story_thread *thread = &story->threads[i];
        const char *start = short_name(
            &story->pool, darn_snapshot_start(story->snapshot, &story->pool, thread->number));

        thread->title = darn_pool_format(&story->pool, "T%u%s%s", thread->number, start ? " " : "",
                                         start ? start : "");
    }
}

void darn_story_begin(struct darn_story *story, const struct darn_snapshot *snapshot)
{
    *story = (struct darn_story){
        .snapshot = snapshot,
        .steps = snapshot->block->steps,
        .count = darn_snapshot_steps(snapshot),
    };
    story->told = snapshot->told && snapshot->told < story->count ? snapshot->told : story->count;
    darn_story_mark(story);
    survey(story);
}

void darn_story_end(struct darn_story *story)
{
    free(story->said);
    darn_map_free(&story->places);
    darn_map_free(&story->objects);
    darn_pool_release(&story->pool);
}

void darn_snapshot_story(const struct darn_snapshot *snapshot, FILE *out, unsigned most)
{
    struct darn_story story;

    darn_story_begin(&story, snapshot);
    story.ink = (struct darn_ink){out, snapshot->style && snapshot->style->color};
    darn_story_choose_threads(&story);
    darn_story_name_threads(&story);
    choose_rows(&story, most);
    darn_story_lay_out(&story);
    darn_story_print(&story);
    darn_story_ending(&story);
    darn_story_why(&story);
    darn_story_end(&story);
}
