/*
 * Fewer preemptions, elsewhere: leaving out switches of a schedule finds the shortest part of it,
 * but a bug may also show with a single preemption at a place where the schedule has none. As in
 * CHESS (Musuvathi & Qadeer 2007), all places are tried, with one preemption first, then two, as
 * long as there are few.
 */
#include <stdlib.h>
#include <string.h>

#include "driver/play/shrinking_private.h"
#include "search/switches.h"

#define MOST_PREEMPTIONS 3
#define MOST_THREADS     16
#define MOST_RUNS        4000

struct bound {
    struct darn_shrinking *shrinking;
    struct darn_switch switches[MOST_PREEMPTIONS];
    unsigned most;
    uint64_t runs;
};

/* A place of a run at which a thread could be interrupted: before its step number `own`. */
struct point {
    uint32_t thread, own;
};

/* The places of the player's last run from step `from` on, at which there was a choice. */
static struct point *find_points(const struct darn_player *player, size_t from, size_t *count)
{
    const struct darn_step *steps = player->block->steps;
    size_t all = darn_shrinking_made(player);
    struct point *points = calloc(all + 1, sizeof(*points));
    uint32_t own[MOST_THREADS] = {0};

    *count = 0;
    for (size_t i = 0; points && i < all; i++) {
        uint32_t thread = steps[i].thread;

        if (steps[i].op == DARN_STEP_WAKE || thread >= MOST_THREADS)
            continue;
        /* No script can interrupt a thread that has not begun. */
        if (i >= from && own[thread] && !(steps[i].flags & DARN_STEP_ALONE))
            points[(*count)++] = (struct point){thread, own[thread]};
        own[thread]++;
    }
    return points;
}

static bool search(struct bound *bound, unsigned used);

/* One place, one thread to go on there. */
static bool try_switch(struct bound *bound, unsigned used, struct point point, uint32_t to,
                       enum darn_ddmin_answer *answer)
{
    bound->switches[used] = (struct darn_switch){point.thread, point.own, to, 0};
    bound->runs++;
    *answer = bound->runs > MOST_RUNS
                  ? DARN_DDMIN_STOP
                  : darn_shrinking_try(bound->shrinking, bound->switches, used + 1);
    if (*answer != DARN_DDMIN_PASSES || used + 1 == bound->most)
        return *answer == DARN_DDMIN_FAILS;
    return search(bound, used + 1);
}

/* The player's last run is that of the first `used` switches: adds one more, behind them. */
static bool search(struct bound *bound, unsigned used)
{
    const struct darn_player *player = bound->shrinking->player;
    uint32_t threads = player->block->result.threads_made;
    size_t from = used ? darn_switches_step(player->block->steps, darn_shrinking_made(player),
                                            &bound->switches[used - 1])
                       : 0;
    size_t count;
    struct point *points = find_points(player, from, &count);
    enum darn_ddmin_answer answer = DARN_DDMIN_PASSES;
    bool found = false;

    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    for (size_t i = 0; points && i < count && !found && answer != DARN_DDMIN_STOP; i++)
        for (uint32_t to = 0; to < threads && !found && answer != DARN_DDMIN_STOP; to++)
            if (to != points[i].thread)
                found = try_switch(bound, used, points[i], to, &answer);
    free(points);
    return found;
}

bool darn_shrinking_bound(struct darn_shrinking *shrinking)
{
    struct bound bound = {.shrinking = shrinking};

    for (bound.most = 1; bound.most < shrinking->after.preemptions; bound.most++) {
        if (bound.most > MOST_PREEMPTIONS || bound.runs > MOST_RUNS)
            return false;
        if (darn_shrinking_try(shrinking, NULL, 0) != DARN_DDMIN_PASSES)
            return true;
        if (search(&bound, 0))
            return true;
    }
    return false;
}
