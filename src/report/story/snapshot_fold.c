/* Rows of a story that are repeated: the loop of a thread, or threads that take turns. */
#include "report/story/snapshot_story.h"

#define LONGEST 16 /* rows that are repeated together */
#define WORTH   2  /* rows, at least, that are saved by it */

static bool is_same_step(const struct darn_step *a, const struct darn_step *b)
{
    /* A loop may go over memory; else what a step is about is what matters. Of who is created
     * nothing but the order says that. */
    return a->thread == b->thread && a->op == b->op && a->place == b->place &&
           a->flags == b->flags && a->op != DARN_STEP_CREATE &&
           (a->object == b->object || darn_snapshot_has_site((enum darn_step_op)a->op));
}

static bool is_same_row(const struct darn_story *story, const struct darn_row *a,
                        const struct darn_row *b)
{
    if (a->kind != b->kind || a->from != b->from)
        return false;
    if (a->kind == DARN_ROW_STEP && (story->marked[a->step] || story->marked[b->step]))
        return false;
    switch (a->kind) {
    case DARN_ROW_STEP:
    case DARN_ROW_SWITCH:
        return a->times == b->times && is_same_step(&story->steps[a->step], &story->steps[b->step]);
    case DARN_ROW_SKIP:
        return story->steps[a->step].thread == story->steps[b->step].thread;
    case DARN_ROW_OTHERS:
        return true;
    default:
        return false;
    }
}

/* How often the `length` rows from `at` on come again right behind them. */
static size_t count_rounds(const struct darn_story *story, size_t at, size_t length)
{
    const struct darn_rows *rows = &story->rows;
    size_t same = 0;

    while (at + length + same < rows->count &&
           is_same_row(story, &rows->list[at + same], &rows->list[at + length + same]))
        same++;
    return same / length;
}

/* What the rows from `at` on are folded to: the length of what is repeated, 0 for nothing. */
static size_t find_loop(const struct darn_story *story, size_t at, size_t *rounds)
{
    for (size_t length = 1; length <= LONGEST; length++) {
        *rounds = count_rounds(story, at, length);
        if (*rounds && *rounds * length >= 1 + WORTH)
            return length;
    }
    return 0;
}

void darn_story_fold(struct darn_story *story)
{
    struct darn_rows *rows = &story->rows;
    size_t kept = 0;

    for (size_t at = 0; at < rows->count;) {
        size_t rounds, length = find_loop(story, at, &rounds), end;
        struct darn_row again = {.kind = DARN_ROW_AGAIN, .rows = length, .rounds = rounds};

        if (!length) {
            rows->list[kept++] = rows->list[at++];
            continue;
        }
        for (end = at + length; at < end; at++)
            rows->list[kept++] = rows->list[at];
        for (end += rounds * length; at < end; at++) {
            again.times += rows->list[at].times;
            again.switches += rows->list[at].kind == DARN_ROW_SWITCH;
        }
        rows->list[kept++] = again;
    }
    rows->count = kept;
}
