/* The last lines of a story: how the run ended. */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "report/story/snapshot_story.h"

static const struct darn_result *result_of(const struct darn_story *story)
{
    return &story->snapshot->block->result;
}

/* NULL of a thread that has ended. */
static const char *line_of(struct darn_story *story, const struct darn_block_thread *thread)
{
    const char *wait = darn_story_wait(story, thread);

    return wait ? darn_pool_format(&story->pool, "  T%u %s", thread->thread, wait) : NULL;
}

static void say_thread(struct darn_story *story, const struct darn_block_thread *thread)
{
    const char *line = line_of(story, thread);

    if (line)
        darn_story_say(story, thread->thread, line, darn_story_where(story, thread));
}

/* Long lines move the places of all. */
static void make_room(struct darn_story *story)
{
    for (uint32_t i = 0; i < darn_snapshot_threads(story->snapshot); i++) {
        const char *line = line_of(story, &result_of(story)->threads[i]);
        unsigned width = line ? darn_columns(line) + 2 : 0;

        if (width > story->where)
            story->where = width;
    }
}

/* Whether the thread is in the circle, or a side of what was met last. */
static bool is_actor(const struct darn_story *story, uint32_t at, const uint32_t *circle,
                     size_t length)
{
    const struct darn_result *result = result_of(story);
    bool has_met = result->met_count && result->met_count <= DARN_BLOCK_MET;
    const struct darn_block_met *met = has_met ? &result->met[result->met_count - 1] : NULL;

    for (size_t i = 0; i < length; i++)
        if (circle[i] == at)
            return true;
    for (int side = 0; met && !length && side < 2; side++)
        if (met->threads[side].thread == result->threads[at].thread)
            return true;
    return false;
}

/* So many threads are told of that have nothing to do with it, and how many more there are. */
#define MOST_BESIDE 3

static void say_beside(struct darn_story *story, const bool *said)
{
    const struct darn_result *result = result_of(story);
    unsigned more = 0;

    for (int joins = 0, count = 0; joins < 2; joins++)
        for (uint32_t i = 0; i < darn_snapshot_threads(story->snapshot); i++) {
            if (said[i] || (result->threads[i].op == DARN_STEP_JOIN) != joins ||
                !line_of(story, &result->threads[i]))
                continue;
            if (count++ < MOST_BESIDE)
                say_thread(story, &result->threads[i]);
            else
                more++;
        }
    if (more)
        darn_story_say(story, -1,
                       darn_pool_format(&story->pool, "  and %u more thread%s", more,
                                        more == 1 ? "" : "s"),
                       NULL);
}

/* Those whose doing it is first, and last those who wait for the end of others. */
static void say_threads(struct darn_story *story)
{
    const struct darn_result *result = result_of(story);
    uint32_t circle[DARN_BLOCK_THREADS];
    size_t length =
        result->end == DARN_END_DEADLOCK ? darn_snapshot_circle(story->snapshot, circle) : 0;
    bool said[DARN_BLOCK_THREADS] = {false};

    make_room(story);
    for (size_t i = 0; i < length; i++)
        say_thread(story, &result->threads[circle[i]]);
    for (uint32_t i = 0; i < darn_snapshot_threads(story->snapshot); i++) {
        said[i] = is_actor(story, i, circle, length);
        if (said[i] && !length)
            say_thread(story, &result->threads[i]);
    }
    say_beside(story, said);
}

/* The first line of the ending: after what was told, or later. */
static void say_first(struct darn_story *story, int64_t thread, const char *text,
                      const struct darn_story_place *place)
{
    uint64_t more = result_of(story)->steps - story->told;

    if (story->told < story->count)
        text = darn_pool_format(&story->pool, "%" PRIu64 " step%s later: %s", more,
                                more == 1 ? "" : "s", text);
    darn_story_say(story, thread, text, place);
}

/* Where the signal struck: as if the next byte were what a call returns to. */
static const struct darn_story_place *struck_at(struct darn_story *story)
{
    const struct darn_result *result = result_of(story);
    const struct darn_block_thread *thread =
        darn_snapshot_thread(story->snapshot, result->signal_thread);
    const struct darn_story_place *place =
        darn_story_place(story, DARN_STEP_CALL, result->signal_pc ? result->signal_pc + 1 : 0);

    for (size_t i = 0; thread && !*place->position && i < thread->depth && i < DARN_BLOCK_STACK;
         i++)
        place = darn_story_place(story, DARN_STEP_CALL, thread->stack[i]);
    return place;
}

static const char *signal_name(struct darn_story *story, int number)
{
    const char *name = sigabbrev_np(number);

    return name ? darn_pool_format(&story->pool, "SIG%s", name)
                : darn_pool_format(&story->pool, "signal %d", number);
}

static void say_signal(struct darn_story *story)
{
    const struct darn_result *result = result_of(story);
    const struct darn_story_place *place = struck_at(story);
    const char *function = place->place.function;
    const char *verb = result->signal == SIGABRT ? "aborts" : "crashes";

    say_first(story, result->signal_thread,
              darn_pool_format(&story->pool, "T%u %s%s%s: %s", result->signal_thread, verb,
                               function ? " in " : "", function ? function : "",
                               signal_name(story, (int)result->signal)),
              place);
}

static void say_exit(struct darn_story *story)
{
    int status = result_of(story)->status;

    const char *ending = story->snapshot->ending;
    const char *text = WIFSIGNALED(status)
                           ? darn_pool_format(&story->pool, "the program is killed by %s",
                                              signal_name(story, WTERMSIG(status)))
                           : darn_pool_format(&story->pool, "the program ends with status %d",
                                              WEXITSTATUS(status));

    if (ending && *ending && story->told < story->count)
        text = darn_pool_format(&story->pool, "%s: %s", text, ending);
    say_first(story, -1, text, NULL);
}

static void say_number(struct darn_story *story, const char *before, uint64_t number,
                       const char *after)
{
    darn_story_say(story, -1, darn_pool_format(&story->pool, "%s%" PRIu64 "%s", before, number, after),
                   NULL);
}

void darn_story_ending(struct darn_story *story)
{
    const struct darn_result *result = result_of(story);
    uint32_t circle[DARN_BLOCK_THREADS];

    if (result->signal) {
        say_signal(story);
        return;
    }
    switch (result->end) {
    case DARN_END_EXIT:
        say_exit(story);
        break;
    case DARN_END_DEADLOCK:
        say_first(story, -1,
                  darn_snapshot_circle(story->snapshot, circle) ? "deadlock: nobody can go on"
                                                                : "nobody can go on",
                  NULL);
        say_threads(story);
        break;
    case DARN_END_LIVELOCK:
        say_first(story, -1, "the same state came again, and every thread had its turn", NULL);
        say_threads(story);
        break;
    case DARN_END_STEPS:
        say_number(story, "the run was stopped after ", result->steps, " steps");
        say_threads(story);
        break;
    case DARN_END_DIVERGED:
        say_number(story, "step ", result->diverged, " could not be made: the run is another");
        say_threads(story);
        break;
    case DARN_END_MET:
        break;
    case DARN_END_THREADS:
        say_first(story, -1, "the program has too many threads", NULL);
        break;
    default:
        darn_story_say(story, -1, "the run did not end", NULL);
        say_threads(story);
        break;
    }
}
