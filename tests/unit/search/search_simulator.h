/*
 * A small machine for the tests of the search: a program is a few functions that stop before each
 * step, and a strategy of src/schedule says who goes on. What is left of a run is what the control
 * block would have: its steps, which write each read has seen, and how it ended.
 *
 * Locals do not live across a step; a thread keeps what it needs in `v`. Memory, locks, condition
 * variables and semaphores are words of `m`; their addresses are the same in all runs.
 */
#ifndef DARN_TESTS_SEARCH_SIMULATOR_H
#define DARN_TESTS_SEARCH_SIMULATOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/block.h"
#include "search/search.h"

#define SIM_THREADS 128
#define SIM_WORDS   512
#define SIM_STEPS   20000
#define SIM_JOINS   400 /* from here on the words are the ends of the threads */

struct sim;
struct sim_thread;
typedef void sim_body(struct sim *s, struct sim_thread *t);

struct sim_thread {
    sim_body *body;
    uint32_t number, own;
    int pc;
    long who, v[8];
    uint8_t op;
    bool yielded, ended;
    uint32_t word;  /* of the next step */
    uint32_t waits; /* for the condition variable with this number + 1 */
    uint64_t place, chain;
};

struct sim {
    struct sim_thread threads[SIM_THREADS];
    uint32_t count;
    long m[SIM_WORDS];
    uint64_t writer[SIM_WORDS];  /* the place of the last change */
    uint64_t version[SIM_WORDS]; /* a hash of all changes, with the reads between them */
    uint64_t seen[SIM_WORDS];    /* of the reads since the last change */
    struct darn_strategy strategy;
    uint32_t current; /* who ran last; SIM_THREADS: nobody */
    long size;        /* of the program: how many threads, as a rule */
    /* Instead of the strategy, when set: the index of the choice. */
    uint32_t (*choose)(struct sim *s, const struct darn_situation *situation);
    bool failed;
    const char *why;
    struct darn_result result;
    struct darn_step steps[SIM_STEPS];
    struct darn_block_read reads[DARN_BLOCK_READS];
};

#define SIM_OBJECT(word) (UINT64_C(0x10000) + 8 * (uint64_t)(word))

static inline void sim_at(struct sim_thread *t, enum darn_step_op op, uint32_t word, int line)
{
    t->op = (uint8_t)op;
    t->word = word;
    t->place = UINT64_C(0x400000) + (uint64_t)line;
}

/* The points of a body: between BEGIN and END, at most one on each line. */
#define POINT(what, at)                                                                            \
    do {                                                                                           \
        sim_at(t, DARN_STEP_##what, (uint32_t)(at), __LINE__);                                     \
        t->pc = __LINE__;                                                                          \
        return;                                                                                    \
    case __LINE__:;                                                                                \
    } while (0)
#define BEGIN                                                                                      \
    switch (t->pc) {                                                                               \
    case 0:
#define END                                                                                        \
    POINT(EXIT, SIM_JOINS + t->number);                                                            \
    }                                                                                              \
    t->ended = true;
#define LOAD(into, word)                                                                           \
    do {                                                                                           \
        POINT(READ, word);                                                                         \
        (into) = s->m[word];                                                                       \
    } while (0)
#define STORE(word, value)                                                                         \
    do {                                                                                           \
        POINT(WRITE, word);                                                                        \
        s->m[word] = (value);                                                                      \
    } while (0)
#define EXCHANGE(into, word, value)                                                                \
    do {                                                                                           \
        POINT(UPDATE, word);                                                                       \
        long old_ = s->m[word];                                                                    \
        s->m[word] = (value);                                                                      \
        (into) = old_;                                                                             \
    } while (0)
#define ADD(word, value)                                                                           \
    do {                                                                                           \
        POINT(UPDATE, word);                                                                       \
        s->m[word] += (value);                                                                     \
    } while (0)
#define SWAP(done, word, from, to)                                                                 \
    do {                                                                                           \
        POINT(UPDATE, word);                                                                       \
        (done) = s->m[word] == (from);                                                             \
        if (done)                                                                                  \
            s->m[word] = (to);                                                                     \
    } while (0)
#define LOCK(word)                                                                                 \
    do {                                                                                           \
        POINT(LOCK, word);                                                                         \
        s->m[word] = (long)t->number + 1;                                                          \
    } while (0)
#define UNLOCK(word)                                                                               \
    do {                                                                                           \
        POINT(UNLOCK, word);                                                                       \
        s->m[word] = 0;                                                                            \
    } while (0)
#define WAIT(cond, mutex)                                                                          \
    do {                                                                                           \
        POINT(WAIT, cond);                                                                         \
        s->m[mutex] = 0;                                                                           \
        t->waits = (uint32_t)(cond) + 1;                                                           \
    } while (0)
#define RELOCK(word) /* stands after each WAIT */                                                  \
    do {                                                                                           \
        POINT(RELOCK, word);                                                                       \
        s->m[word] = (long)t->number + 1;                                                          \
    } while (0)
#define SIGNAL(cond)                                                                               \
    do {                                                                                           \
        POINT(SIGNAL, cond);                                                                       \
        sim_wake(s, cond, false);                                                                  \
    } while (0)
#define BROADCAST(cond)                                                                            \
    do {                                                                                           \
        POINT(BROADCAST, cond);                                                                    \
        sim_wake(s, cond, true);                                                                   \
    } while (0)
#define TAKE(word)                                                                                 \
    do {                                                                                           \
        POINT(TAKE, word);                                                                         \
        s->m[word]--;                                                                              \
    } while (0)
#define POST(word)                                                                                 \
    do {                                                                                           \
        POINT(POST, word);                                                                         \
        s->m[word]++;                                                                              \
    } while (0)
#define YIELD                                                                                      \
    do {                                                                                           \
        t->yielded = true;                                                                         \
        POINT(YIELD, 0);                                                                           \
    } while (0)
#define START(what, with)                                                                          \
    do {                                                                                           \
        POINT(CREATE, SIM_JOINS + s->count);                                                       \
        sim_start(s, what, with);                                                                  \
    } while (0)
#define JOIN(thread) POINT(JOIN, SIM_JOINS + (thread))
#define ASSERT(what)                                                                               \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            s->failed = true;                                                                      \
            s->why = #what;                                                                        \
            return;                                                                                \
        }                                                                                          \
    } while (0)

static inline void sim_start(struct sim *s, sim_body *body, long who)
{
    struct sim_thread *t = &s->threads[s->count];

    *t = (struct sim_thread){.body = body, .number = s->count, .who = who};
    sim_at(t, DARN_STEP_START, 0, 1);
    t->chain = (s->count + 1) * UINT64_C(0x9e3779b97f4a7c15);
    s->count++;
}

static inline bool sim_can(const struct sim *s, const struct sim_thread *t)
{
    if (t->ended || t->waits)
        return false;
    switch (t->op) {
    case DARN_STEP_LOCK:
    case DARN_STEP_RELOCK:
        return s->m[t->word] == 0;
    case DARN_STEP_TAKE:
        return s->m[t->word] > 0;
    case DARN_STEP_JOIN:
        return s->threads[t->word - SIM_JOINS].ended;
    default:
        return true;
    }
}

static inline uint64_t sim_mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15) + (a << 6))) * UINT64_C(0xff51afd7ed558ccd);

    return x ^ (x >> 32);
}

static inline struct darn_choice sim_choice(const struct sim *s, const struct sim_thread *t)
{
    return (struct darn_choice){
        .thread = t->number,
        .slot = t->number,
        .own = t->own,
        .op = t->op,
        .yielded = t->yielded,
        .size = darn_step_is_access(t->op) ? 8 : 0,
        .object = t->word ? SIM_OBJECT(t->word) : 0,
        .place = t->place,
        .writer = s->writer[t->word],
    };
}

/* Asks the strategy; notes the step. `among` is 0, or the condition variable + 1 whose waiters it
 * is about. Nobody: SIM_THREADS. */
static inline uint32_t sim_pick(struct sim *s, uint32_t among)
{
    struct darn_choice choices[SIM_THREADS];
    struct darn_situation now = {.choices = choices, .waking = among != 0, .step = s->result.steps};
    struct darn_met met = {0};
    struct darn_step *step = &s->steps[s->result.steps];
    const struct darn_choice *chosen;

    now.current = UINT32_MAX;
    step->enabled = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct sim_thread *t = &s->threads[i];

        if (among ? t->waits != among : !sim_can(s, t))
            continue;
        if (i == s->current)
            now.current = now.count;
        step->enabled |= UINT64_C(1) << (i & 63);
        choices[now.count] = sim_choice(s, t);
        if (among)
            choices[now.count].op = DARN_STEP_WAKE;
        now.count++;
    }
    if (now.current == UINT32_MAX)
        now.current = now.count;
    if (now.count == 0 || s->result.steps == SIM_STEPS - 1)
        return SIM_THREADS;
    chosen =
        &choices[s->choose ? s->choose(s, &now) : darn_strategy_pick(&s->strategy, &now, &met)];
    *step = (struct darn_step){.thread = chosen->thread,
                               .op = chosen->op,
                               .slot = (uint16_t)chosen->slot,
                               .object = chosen->object,
                               .place = chosen->place,
                               .enabled = step->enabled};
    if (now.count == 1)
        step->flags |= DARN_STEP_ALONE;
    if (!among && now.current < now.count && chosen->thread != s->current) {
        step->flags |= DARN_STEP_PREEMPTS;
        s->result.preemptions++;
    }
    s->result.choices += now.count > 1;
    s->result.steps++;
    return chosen->thread;
}

static inline void sim_wake(struct sim *s, uint32_t cond, bool all)
{
    uint32_t waiters = 0;

    for (uint32_t i = 0; i < s->count; i++) {
        waiters += s->threads[i].waits == cond + 1;
        if (all && s->threads[i].waits == cond + 1)
            s->threads[i].waits = 0;
    }
    if (!all && waiters > 0) {
        uint32_t who = sim_pick(s, cond + 1);

        if (who < SIM_THREADS)
            s->threads[who].waits = 0;
    }
}

static inline void sim_note_read(struct sim *s, uint64_t read, uint64_t write)
{
    for (uint32_t i = 0; i < s->result.read_count; i++) {
        if (s->reads[i].read == read && s->reads[i].write == write)
            return;
    }
    if (s->result.read_count < DARN_BLOCK_READS)
        s->reads[s->result.read_count++] = (struct darn_block_read){read, write};
}

/* The hashes of happens-before: what does not change the word commutes with its like. */
static inline void sim_note(struct sim *s, struct sim_thread *t)
{
    uint32_t w = t->word;

    if (darn_step_observes(t->op))
        sim_note_read(s, t->place, s->writer[w]);
    t->chain = sim_mix(t->chain, t->place);
    if (!w)
        return;
    t->chain = sim_mix(t->chain, s->version[w]);
    if (darn_step_changes(t->op)) {
        t->chain = sim_mix(t->chain, s->seen[w]);
        s->version[w] = t->chain;
        s->seen[w] = 0;
        s->writer[w] = t->place;
    } else {
        s->seen[w] += t->chain;
    }
}

struct sim_program {
    const char *name;
    sim_body *body;
    long size;
};

static inline void sim_run(struct sim *s, const struct sim_program *program,
                           const struct darn_task *task)
{
    memset(s->m, 0, sizeof(s->m));
    memset(s->writer, 0, sizeof(s->writer));
    memset(s->version, 0, sizeof(s->version));
    memset(s->seen, 0, sizeof(s->seen));
    memset(&s->result, 0, sizeof(s->result));
    memset(&s->strategy, 0, sizeof(s->strategy));
    s->count = 0;
    s->current = SIM_THREADS;
    s->failed = false;
    s->why = NULL;
    s->size = program->size;
    sim_start(s, program->body, 0);
    darn_strategy_start(&s->strategy, &task->plan, NULL, task->switches);
    for (;;) {
        uint32_t who = sim_pick(s, 0);
        struct sim_thread *t = &s->threads[who];

        if (who == SIM_THREADS)
            break;
        for (uint32_t i = 0; i < s->count; i++)
            s->threads[i].yielded = false;
        s->current = who;
        sim_note(s, t);
        t->own++;
        t->body(s, t);
        if (s->failed)
            break;
    }
    s->result.end = DARN_END_EXIT;
    for (uint32_t i = 0; i < s->count; i++) {
        s->result.steps_of[i] = s->threads[i].own;
        s->result.partial_order += s->threads[i].chain;
        if (!s->failed && !s->threads[i].ended)
            s->result.end = DARN_END_DEADLOCK;
    }
    s->result.threads_made = s->count;
    if (s->result.steps == SIM_STEPS - 1)
        s->result.end = DARN_END_STEPS;
    else if (s->result.end == DARN_END_DEADLOCK)
        s->failed = true;
}

#endif
