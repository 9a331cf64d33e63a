/*
 * The page of a story. Up to three threads have columns; more of them share one:
 *
 *         T0 main      T1 withdraw    T2 withdraw
 *      1  create T1                                  bank.c:31  pthread_create(&a, …
 *      !  '===========>                              T0 is interrupted before: create T2
 *      3               read balance                  bank.c:12  if (balance >= amount)
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/grow.h"
#include "report/story/snapshot_story.h"

#define MOST_COLUMNS 3
#define USUAL_WIDTH  100
#define GAP          2  /* between columns */
#define NARROWEST    10 /* column */
#define NARROW       15 /* to which columns are made smaller, so that there is room for the source */
#define WIDEST       26
#define LEAST_SOURCE 28 /* position and source need so much, or the columns are given up */
#define WIDEST_FILE  24
#define WIDEST_TITLE 20

static unsigned page_width(const struct darn_story *story)
{
    struct winsize size;
    int fd = fileno(story->ink.out);

    if (story->snapshot->width)
        return story->snapshot->width;
    if (fd >= 0 && isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        return size.ws_col;
    return USUAL_WIDTH;
}

static void widen(struct darn_story_thread *thread, const char *text)
{
    unsigned width = thread ? darn_columns(text) : 0;

    if (thread && width > thread->width)
        thread->width = width;
}

static const char *action_of(struct darn_story *story, const struct darn_row *row)
{
    const char *text;

    if (row->kind == DARN_ROW_SKIP)
        return darn_pool_format(&story->pool, "... %" PRIu64 " steps", row->times);
    text = darn_story_action(story, row->step);
    if (row->times > 1)
        text = darn_pool_format(&story->pool, "%s x%" PRIu64, text, row->times);
    return text;
}

static const struct darn_block_met *met_of(const struct darn_story *story,
                                           const struct darn_row *row)
{
    return &story->snapshot->block->result.met[row->from];
}

static const char *met_action(struct darn_story *story, const struct darn_row *row, int side)
{
    const struct darn_block_thread *thread = &met_of(story, row)->threads[side];

    return darn_story_deed(story, (enum darn_step_op)thread->op, thread->place, thread->object);
}

static const struct darn_story_place *place_of(struct darn_story *story, const struct darn_row *row)
{
    const struct darn_step *step = &story->steps[row->step];

    /* Where a function begins is nothing to look at. */
    if (row->kind != DARN_ROW_STEP || step->op == DARN_STEP_START)
        return darn_story_place(story, DARN_STEP_NONE, 0);
    return darn_story_place(story, (enum darn_step_op)step->op, step->place);
}

static void measure(struct darn_story *story, const struct darn_row *row)
{
    unsigned position;

    if (row->kind == DARN_ROW_MET) {
        for (int side = 0; side < 2; side++)
            widen(darn_story_thread(story, met_of(story, row)->threads[side].thread),
                  met_action(story, row, side));
    }
    if (row->kind != DARN_ROW_STEP && row->kind != DARN_ROW_SKIP)
        return;
    widen(darn_story_thread(story, story->steps[row->step].thread), action_of(story, row));
    position = darn_columns(place_of(story, row)->position);
    if (position > story->position && position <= WIDEST_FILE)
        story->position = position;
}

/* Makes the widest columns smaller, all alike, until there is room for the source. */
static bool squeeze(struct darn_story *story)
{
    for (;;) {
        unsigned sum = story->margin, widest = 0;

        for (size_t i = 0; i < story->thread_count; i++) {
            unsigned width = story->threads[i].width;

            sum += width + GAP;
            widest = width > widest ? width : widest;
        }
        story->where = sum;
        if (sum + LEAST_SOURCE <= story->width && widest <= WIDEST)
            return true;
        if (widest <= NARROW)
            return false;
        for (size_t i = 0; i < story->thread_count; i++)
            story->threads[i].width -= story->threads[i].width == widest;
    }
}

/* One column, with the name of the thread before each step. `action` is how wide these would be. */
static void put_in_one_column(struct darn_story *story, unsigned action)
{
    unsigned title = 0, others, room;

    for (size_t i = 0; i < story->thread_count; i++) {
        unsigned width = darn_columns(story->threads[i].title);

        title = width > title ? width : title;
    }
    story->title = title < WIDEST_TITLE ? title : WIDEST_TITLE;
    others = story->margin + story->title + 2 * GAP;
    room = story->width > others + LEAST_SOURCE ? story->width - others - LEAST_SOURCE : 0;
    room = room > NARROW ? room : NARROW;
    story->action = action < room ? action : room;
    story->where = others + story->action;
    story->in_one_column = true;
}

static unsigned digits_of(uint64_t number)
{
    return (unsigned)snprintf(NULL, 0, "%" PRIu64, number);
}

void darn_story_lay_out(struct darn_story *story)
{
    unsigned digits = digits_of(story->count), action = 0, column;

    story->line.ink = &story->ink;
    story->width = page_width(story);
    story->margin = (digits < 5 ? 5 : digits) + GAP;
    for (size_t i = 0; i < story->thread_count; i++) {
        story->threads[i].width = NARROWEST;
        widen(&story->threads[i], darn_fit(&story->pool, story->threads[i].title, WIDEST_TITLE));
    }
    for (size_t i = 0; i < story->rows.count; i++)
        measure(story, &story->rows.list[i]);
    for (size_t i = 0; i < story->thread_count; i++)
        action = story->threads[i].width > action ? story->threads[i].width : action;
    if (!story->thread_count || story->thread_count > MOST_COLUMNS || !squeeze(story))
        put_in_one_column(story, action);
    column = story->margin;
    for (size_t i = 0; i < story->thread_count; i++) {
        story->threads[i].column = column;
        column += story->threads[i].width + GAP;
    }
}

/* What stands before the first column, at its right end. */
static void put_margin(struct darn_story *story, const char *text)
{
    darn_line_go(&story->line, story->margin - GAP - darn_columns(text));
    darn_line_put(&story->line, text);
    darn_line_go(&story->line, story->margin);
}

/* `bank.c:12  if (balance >= amount)`, as far as there is room. */
static void put_place(struct darn_story *story, const struct darn_story_place *place,
                      bool with_source)
{
    unsigned column;

    darn_line_go(&story->line, story->where);
    column = story->line.column;
    darn_line_put(&story->line, darn_fit(&story->pool, place->position, WIDEST_FILE));
    if (!with_source || !*place->source)
        return;
    darn_line_go(&story->line, column + story->position + GAP);
    if (story->line.column + 8 <= story->width)
        darn_line_put(&story->line,
                      darn_fit(&story->pool, place->source, story->width - story->line.column));
}

static void put_action(struct darn_story *story, uint32_t number, const char *text)
{
    const struct darn_story_thread *thread = darn_story_thread(story, number);
    struct darn_line *line = &story->line;

    if (!thread)
        return;
    if (story->in_one_column) {
        darn_line_put(line, darn_fit(&story->pool, thread->title, story->title));
        darn_line_go(line, story->margin + story->title + GAP);
        darn_line_put(line, darn_fit_action(&story->pool, text, story->action));
    } else {
        darn_line_go(line, thread->column);
        darn_line_put(line, darn_fit_action(&story->pool, text, thread->width));
    }
}

static void put_step(struct darn_story *story, const struct darn_row *row, const char *before)
{
    const struct darn_story_place *place = place_of(story, row);

    put_margin(story, row->kind == DARN_ROW_STEP
                          ? darn_pool_format(&story->pool, "%" PRIu64, row->step)
                          : "");
    put_action(story, story->steps[row->step].thread, action_of(story, row));
    put_place(story, place, strcmp(place->position, before) != 0);
    darn_line_end(&story->line);
}

static const char *line_of(struct darn_story *story, char c, unsigned length)
{
    char *text = darn_pool_get(&story->pool, length + 1, 1);

    memset(text, c, length);
    return text;
}

/* From the column of one thread to that of the other. */
static const char *arrow(struct darn_story *story, uint32_t from, uint32_t to, char c)
{
    const struct darn_story_thread *a = darn_story_thread(story, from),
                                   *b = darn_story_thread(story, to);

    if (!a || !b || a->column == b->column)
        return "";
    darn_line_go(&story->line, a->column < b->column ? a->column : b->column);
    if (a->column < b->column)
        return darn_pool_format(&story->pool, "'%s>", line_of(story, c, b->column - a->column - 2));
    return darn_pool_format(&story->pool, "<%s'", line_of(story, c, a->column - b->column - 1));
}

static void put_switch(struct darn_story *story, const struct darn_row *row)
{
    const struct darn_step *step = &story->steps[row->step];
    bool preempts = step->flags & (DARN_STEP_PREEMPTS | DARN_STEP_FORCED);
    char c = preempts ? '=' : '-';
    struct darn_line *line = &story->line;
    unsigned room;

    darn_tint(&story->ink, preempts ? DARN_TINT_WARNING : DARN_TINT_LABEL);
    put_margin(story, preempts ? "!" : "");
    if (story->in_one_column) {
        darn_line_put(line, line_of(story, c, story->title));
        darn_line_go(line, story->margin + story->title + GAP);
    } else {
        darn_line_put(line, arrow(story, row->from, step->thread, c));
        darn_line_go(line, story->where);
    }
    room = story->width > line->column ? story->width - line->column : 0;
    darn_line_put(line, darn_story_reason(story, row, room));
    darn_line_end(line);
}

static void put_triple(struct darn_story *story, const struct darn_row *row)
{
    const struct darn_block_met *met = met_of(story, row);
    uint32_t local = met->threads[0].thread, remote = met->threads[1].thread;

    if (story->in_one_column) {
        darn_line_put(&story->line,
                      darn_pool_format(&story->pool,
                                       "atomicity violation: T%u is about to %s, and T%u came "
                                       "in between",
                                       local, met_action(story, row, 0), remote));
    } else {
        put_action(story, local, met_action(story, row, 0));
        darn_line_go(&story->line, story->where);
        darn_line_put(
            &story->line,
            darn_pool_format(&story->pool, "atomicity violation: T%u came in between", remote));
    }
    darn_line_end(&story->line);
}

static void put_met(struct darn_story *story, const struct darn_row *row)
{
    const struct darn_block_met *met = met_of(story, row);
    const struct darn_block_thread *left = &met->threads[0], *right = &met->threads[1];
    const char *what = "data race";
    int first = left->thread > right->thread;

    darn_tint(&story->ink, DARN_TINT_WARNING);
    put_margin(story, "*");
    if (met->kind == DARN_MET_TRIPLE || met->kind == DARN_MET_QUAD) {
        put_triple(story, row);
        return;
    }
    if (story->in_one_column) {
        darn_line_put(&story->line,
                      darn_pool_format(&story->pool, "%s: T%u is about to %s, T%u to %s", what,
                                       met->threads[first].thread, met_action(story, row, first),
                                       met->threads[!first].thread,
                                       met_action(story, row, !first)));
    } else {
        put_action(story, met->threads[first].thread, met_action(story, row, first));
        put_action(story, met->threads[!first].thread, met_action(story, row, !first));
        darn_line_go(&story->line, story->where);
        darn_line_put(&story->line, "data race: at the same time");
    }
    darn_line_end(&story->line);
}

static const char *plural(uint64_t count, const char *ending)
{
    return count == 1 ? "" : ending;
}

/* A row that stands for others. */
static void put_instead(struct darn_story *story, const struct darn_row *row)
{
    const char *text =
        row->kind == DARN_ROW_AGAIN
            ? darn_pool_format(
                  &story->pool, "... the same %s%" PRIu64 " time%s more",
                  row->rows == 1 ? ""
                                 : darn_pool_format(&story->pool, "%" PRIu64 " lines ", row->rows),
                  row->rounds, plural(row->rounds, "s"))
        : row->kind == DARN_ROW_OTHERS
            ? darn_pool_format(&story->pool, "... %" PRIu64 " step%s of others", row->times,
                               plural(row->times, "s"))
            : darn_pool_format(&story->pool, "... %" PRIu64 " steps, %" PRIu64 " switch%s",
                               row->times, row->switches, plural(row->switches, "es"));

    put_margin(story, "");
    darn_line_put(&story->line, text);
    darn_line_end(&story->line);
}

static void put_titles(struct darn_story *story)
{
    if (story->in_one_column)
        return;
    darn_tint(&story->ink, DARN_TINT_BOLD);
    for (size_t i = 0; i < story->thread_count; i++) {
        const struct darn_story_thread *thread = &story->threads[i];

        darn_line_go(&story->line, thread->column);
        darn_line_put(&story->line, darn_fit(&story->pool, thread->title, thread->width));
    }
    darn_line_end(&story->line);
}

void darn_story_print(struct darn_story *story)
{
    const char *before = "";

    put_titles(story);
    for (size_t i = 0; i < story->rows.count; i++) {
        const struct darn_row *row = &story->rows.list[i];

        if (row->kind == DARN_ROW_SWITCH)
            put_switch(story, row);
        else if (row->kind == DARN_ROW_MET)
            put_met(story, row);
        else if (row->kind == DARN_ROW_STEP || row->kind == DARN_ROW_SKIP)
            put_step(story, row, before);
        else
            put_instead(story, row);
        before = row->kind == DARN_ROW_STEP ? place_of(story, row)->position : "";
    }
}

static void keep_said(struct darn_story *story, struct darn_story_said said)
{
    story->said = darn_grow(story->said, &story->said_room, story->said_count + 1, sizeof(said));
    story->said[story->said_count++] = said;
}

void darn_story_say(struct darn_story *story, int64_t thread, const char *text,
                    const struct darn_story_place *place)
{
    if (story->keeps_said) {
        keep_said(story, (struct darn_story_said){text, place, thread});
        return;
    }
    darn_line_put(&story->line, text);
    if (place && *place->position)
        put_place(story, place, true);
    darn_line_end(&story->line);
}
