/*
 * What a small program can come to, for search_simulator.h: random programs without branches, all
 * their schedules one by one, and all that a search shows of them.
 */
#ifndef DARN_TESTS_SEARCH_OUTCOMES_H
#define DARN_TESTS_SEARCH_OUTCOMES_H

#include "base/random.h"
#include "base/map.h"
#include "search/array.h"
#include "search_simulator.h"

#define MADE_THREADS 3
#define MADE_LINES   7
#define MADE_WORDS   3 /* of memory, from 1 on; then the locks */
#define MADE_LOCKS   2

struct made_line {
    uint8_t op; /* enum darn_step_op */
    uint32_t word;
    long value;
};

/* The program that `made` runs. */
static struct made_line made_lines[MADE_THREADS][MADE_LINES];
static uint32_t made_threads;

static inline void made_do(struct sim *s, struct sim_thread *t, const struct made_line *line)
{
    long old = s->m[line->word];

    switch (line->op) {
    case DARN_STEP_READ:
        t->v[0] = 31 * t->v[0] + old + 1;
        break;
    case DARN_STEP_WRITE:
        s->m[line->word] = 7 * t->v[0] + line->value;
        break;
    case DARN_STEP_UPDATE:
        t->v[0] = 31 * t->v[0] + old + 1;
        s->m[line->word] = 3 * old + line->value;
        break;
    case DARN_STEP_LOCK:
        s->m[line->word] = (long)t->number + 1;
        break;
    case DARN_STEP_UNLOCK:
        s->m[line->word] = 0;
        break;
    default:
        t->ended = true;
    }
}

static inline void made_thread(struct sim *s, struct sim_thread *t)
{
    const struct made_line *lines = made_lines[t->who];

    if (t->pc > 0)
        made_do(s, t, &lines[t->pc - 1]);
    if (t->ended)
        return;
    sim_at(t, lines[t->pc].op,
           lines[t->pc].op == DARN_STEP_EXIT ? SIM_JOINS + t->number : lines[t->pc].word,
           1000 + (int)t->who * 100 + t->pc);
    t->pc++;
}

static inline void made(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[0] = 0; t->v[0] < (long)made_threads; t->v[0]++)
        START(made_thread, t->v[0]);
    for (t->v[0] = 1; t->v[0] <= (long)made_threads; t->v[0]++)
        JOIN(t->v[0]);
    END;
}

static inline void make_thread(uint64_t *random, struct made_line *lines, uint32_t count)
{
    static const uint8_t ops[] = {DARN_STEP_READ, DARN_STEP_WRITE, DARN_STEP_UPDATE};
    uint32_t at = 0, locks = darn_random_below(random, MADE_LOCKS + 1);
    uint32_t first = darn_random_below(random, MADE_LOCKS);

    for (uint32_t i = 0; i < locks; i++)
        lines[at++] = (struct made_line){.op = DARN_STEP_LOCK,
                                         .word = 1 + MADE_WORDS + (first + i) % MADE_LOCKS};
    for (uint32_t i = 0; i < count; i++)
        lines[at++] = (struct made_line){.op = ops[darn_random_below(random, 3)],
                                         .word = 1 + darn_random_below(random, MADE_WORDS),
                                         .value = 1 + darn_random_below(random, 9)};
    /* The last access is outside: two sections of different threads shall overlap. */
    if (locks && count > 1) {
        lines[at] = lines[at - 1];
        lines[at++ - 1] =
            (struct made_line){.op = DARN_STEP_UNLOCK, .word = 1 + MADE_WORDS + first};
    }
    lines[at] = (struct made_line){.op = DARN_STEP_EXIT};
}

/* Another program for each seed. */
static inline void make_program(uint64_t seed)
{
    uint64_t random = seed;

    made_threads = 2 + darn_random_below(&random, MADE_THREADS - 1);
    for (uint32_t i = 0; i < made_threads; i++)
        make_thread(&random, made_lines[i], made_threads == 2 ? 4 : 2);
}

/* How it has ended: the memory, what each thread has seen, and who has not ended. */
static inline uint64_t outcome_of(const struct sim *s)
{
    uint64_t hash = 1;

    for (uint32_t i = 1; i < 64; i++)
        hash = darn_mix_two(hash, (uint64_t)s->m[i]);
    for (uint32_t i = 1; i < s->count; i++) {
        hash = darn_mix_two(hash, (uint64_t)s->threads[i].v[0]);
        hash = darn_mix_two(hash, s->threads[i].ended ? 0 : (uint64_t)s->threads[i].pc);
    }
    return hash;
}

/* The way through the tree of all schedules: at each branching which one, out of how many. */
static struct {
    uint32_t at[256], of[256], depth, count;
} way;

/* Steps that commute with everything are made first: they do not make another outcome. */
static inline uint32_t choose_way(struct sim *s, const struct darn_situation *now)
{
    uint32_t here = way.depth;

    (void)s;
    for (uint32_t i = 0; i < now->count; i++) {
        uint8_t op = now->choices[i].op;

        if (!now->choices[i].object || op == DARN_STEP_CREATE || op == DARN_STEP_JOIN ||
            op == DARN_STEP_EXIT)
            return i;
    }
    if (now->count == 1)
        return 0;
    if (here == way.count) {
        way.at[here] = 0;
        way.of[here] = now->count;
        way.count++;
    }
    way.depth++;
    return way.at[here];
}

static inline bool next_way(void)
{
    while (way.count > 0 && way.at[way.count - 1] + 1 == way.of[way.count - 1])
        way.count--;
    if (way.count == 0)
        return false;
    way.at[way.count - 1]++;
    return true;
}

static inline void note_outcome(struct darn_map *outcomes, const struct sim *s)
{
    bool added;

    *darn_map_at(outcomes, outcome_of(s), &added) = 1;
}

/* The outcomes of all schedules; returns how many schedules there are. */
static inline size_t all_outcomes(struct sim *s, const struct sim_program *program,
                                  struct darn_map *outcomes)
{
    struct darn_task task = {.plan = {.kind = DARN_STRATEGY_STRAIGHT}};
    size_t runs = 0;

    way.count = 0;
    s->choose = choose_way;
    do {
        way.depth = 0;
        sim_run(s, program, &task);
        note_outcome(outcomes, s);
        runs++;
    } while (next_way());
    s->choose = NULL;
    return runs;
}

/* Makes the next run of the search. False when there is none. */
static inline bool search_once(struct darn_search *search, struct sim *s,
                               const struct sim_program *program)
{
    struct darn_task task;
    struct darn_outcome outcome = {
        .task = &task, .result = &s->result, .steps = s->steps, .reads = s->reads};
    bool later;

    if (!darn_search_next(search, &task, &later))
        return false;
    sim_run(s, program, &task);
    outcome.failed = s->failed;
    darn_search_tell(search, &outcome);
    free(task.switches);
    return true;
}

/* The number of the first run that fails; 0 when none does in so many. */
static inline size_t first_failure(const struct darn_search_options *options, struct sim *s,
                                   const struct sim_program *program, size_t most)
{
    struct darn_search *search = darn_search_new(options);
    size_t found = 0;

    for (size_t i = 1; search && i <= most && !found; i++) {
        if (!search_once(search, s, program))
            break;
        if (s->failed)
            found = i;
    }
    darn_search_free(search);
    return found;
}

#endif
