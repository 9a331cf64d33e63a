/*
 * Small random programs that lock, fork and join, for tests of the deadlock engine: run in a random
 * schedule, they give a trace; run in all schedules, the deadlocks that they really have.
 *
 * A deadlock is told by its steps, as a set: where each thread asks, and where it has acquired what
 * the thread before it asks for (0 if that one joins it). Each step of a program has a site of its
 * own.
 */
#ifndef DARN_TESTS_LOCK_PROGRAM_H
#define DARN_TESTS_LOCK_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/common/engine.h"

#define PROGRAM_THREADS 5
#define PROGRAM_OPS     24
#define PROGRAM_LOCKS   5

enum program_op_kind { OP_ACQUIRE, OP_TRY, OP_RELEASE, OP_FORK, OP_JOIN, OP_BARRIER };

struct program_op {
    enum program_op_kind kind;
    uint32_t what; /* lock or thread */
    bool reads;    /* the lock for reading */
    uint32_t site;
};

struct program {
    uint32_t thread_count;
    uint32_t counts[PROGRAM_THREADS];
    struct program_op ops[PROGRAM_THREADS][PROGRAM_OPS];
};

struct program_options {
    uint32_t threads, locks, ops, sites; /* sites: as many places; 0: each step its own */
    bool has_readers;                    /* the last two locks are read-write locks */
    bool has_tries, has_barriers, has_inner_forks;
    bool is_nested;   /* locks are given back in the reverse order */
    bool forks_empty; /* no lock is held at a fork */
    bool joins_early; /* some threads are joined half-way, whatever is held */
};

/* What a thread holds before its step `at`. */
struct program_held {
    uint32_t count;
    struct {
        uint32_t lock, site;
        bool reads;
    } locks[PROGRAM_LOCKS];
};

struct program_step {
    uint32_t asks, holds; /* sites */
};

struct program_key {
    uint32_t count;
    struct program_step steps[PROGRAM_THREADS];
};

struct program_keys {
    uint32_t count;
    struct program_key keys[512];
};

static inline uint32_t program_random(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

static inline int program_compare_steps(const void *left, const void *right)
{
    const struct program_step *a = left, *b = right;

    if (a->asks != b->asks)
        return a->asks < b->asks ? -1 : 1;
    return (a->holds > b->holds) - (a->holds < b->holds);
}

/* Sorts the steps of a key, and leaves each of them once. */
static inline void program_settle(struct program_key *key)
{
    uint32_t kept = 0;

    qsort(key->steps, key->count, sizeof(key->steps[0]), program_compare_steps);
    for (uint32_t i = 0; i < key->count; i++) {
        if (!kept || program_compare_steps(&key->steps[kept - 1], &key->steps[i]) != 0)
            key->steps[kept++] = key->steps[i];
    }
    key->count = kept;
}

static inline bool program_has(const struct program_keys *keys, const struct program_key *key)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        if (keys->keys[i].count == key->count &&
            memcmp(keys->keys[i].steps, key->steps, key->count * sizeof(key->steps[0])) == 0)
            return true;
    }
    return false;
}

static inline void program_add(struct program_keys *keys, struct program_key key)
{
    program_settle(&key);
    if (!program_has(keys, &key) && keys->count < sizeof(keys->keys) / sizeof(keys->keys[0]))
        keys->keys[keys->count++] = key;
}

/* The locks before step `at` of a thread. */
static inline struct program_held program_held(const struct program *program, uint32_t thread,
                                               uint32_t at)
{
    struct program_held held = {0};

    for (uint32_t i = 0; i < at; i++) {
        const struct program_op *op = &program->ops[thread][i];

        if (op->kind == OP_ACQUIRE || op->kind == OP_TRY) {
            held.locks[held.count].lock = op->what;
            held.locks[held.count].site = op->site;
            held.locks[held.count++].reads = op->reads;
        }
        for (uint32_t j = 0; op->kind == OP_RELEASE && j < held.count; j++) {
            if (held.locks[j].lock != op->what)
                continue;
            held.count--;
            memmove(&held.locks[j], &held.locks[j + 1], (held.count - j) * sizeof(held.locks[0]));
            break;
        }
    }
    return held;
}

static inline bool program_holds(const struct program_held *held, uint32_t lock)
{
    for (uint32_t i = 0; i < held->count; i++) {
        if (held->locks[i].lock == lock)
            return true;
    }
    return false;
}

static inline void program_put(struct program *program, uint32_t thread,
                               const struct program_options *options, uint64_t *seed,
                               struct program_op op)
{
    uint32_t at = program->counts[thread];

    op.site = options->sites ? 1 + program_random(seed, options->sites) : 100 * thread + at + 1;
    program->ops[thread][program->counts[thread]++] = op;
}

static inline void program_put_lock(struct program *program, uint32_t thread,
                                    const struct program_options *options, uint64_t *seed)
{
    struct program_held held = program_held(program, thread, program->counts[thread]);
    uint32_t lock = program_random(seed, options->locks);
    bool is_rw = options->has_readers && lock + 2 >= options->locks;

    if (held.count < 3 && !program_holds(&held, lock) && program_random(seed, 3)) {
        bool tries = options->has_tries && program_random(seed, 8) == 0;

        program_put(program, thread, options, seed,
                    (struct program_op){.kind = tries ? OP_TRY : OP_ACQUIRE,
                                        .what = lock,
                                        .reads = is_rw && program_random(seed, 2)});
    } else if (held.count) {
        uint32_t which = options->is_nested ? held.count - 1 : program_random(seed, held.count);

        program_put(program, thread, options, seed,
                    (struct program_op){.kind = OP_RELEASE,
                                        .what = held.locks[which].lock,
                                        .reads = held.locks[which].reads});
    }
}

static inline void program_let_go(struct program *program, uint32_t thread,
                                  const struct program_options *options, uint64_t *seed)
{
    struct program_held held = program_held(program, thread, program->counts[thread]);

    for (uint32_t i = held.count; i-- > 0;)
        program_put(program, thread, options, seed,
                    (struct program_op){.kind = OP_RELEASE,
                                        .what = held.locks[i].lock,
                                        .reads = held.locks[i].reads});
}

/* Thread 0 is there from the start. Others are forked by it, or with has_inner_forks by any thread
 * with a smaller number; who forks a thread may join it. */
static inline void program_make(struct program *program, const struct program_options *options,
                                uint64_t *seed)
{
    uint32_t parent[PROGRAM_THREADS] = {0};

    memset(program, 0, sizeof(*program));
    program->thread_count = options->threads;
    for (uint32_t i = 1; i < options->threads; i++)
        parent[i] = options->has_inner_forks ? program_random(seed, i) : 0;
    for (uint32_t i = 0; i < options->threads; i++) {
        uint32_t barrier = options->ops / 2;

        for (uint32_t j = 0; j < options->ops; j++) {
            for (uint32_t k = i + 1; k < options->threads; k++) {
                uint32_t forked = options->has_inner_forks ? k % options->ops : 0;

                if (parent[k] != i)
                    continue;
                if (j == forked && options->forks_empty)
                    program_let_go(program, i, options, seed);
                if (j == forked)
                    program_put(program, i, options, seed,
                                (struct program_op){.kind = OP_FORK, .what = k});
                if (options->joins_early && j == options->ops / 2 + k % 3 && j > forked &&
                    k % 2 == 1)
                    program_put(program, i, options, seed,
                                (struct program_op){.kind = OP_JOIN, .what = k});
            }
            if (options->has_barriers && j == barrier) {
                program_let_go(program, i, options, seed);
                program_put(program, i, options, seed, (struct program_op){.kind = OP_BARRIER});
            }
            if (program->counts[i] + 6 < PROGRAM_OPS)
                program_put_lock(program, i, options, seed);
        }
        program_let_go(program, i, options, seed);
    }
}

/* How far each thread has come. */
struct program_state {
    uint8_t at[PROGRAM_THREADS];
};

static inline bool program_is_forked(const struct program *program,
                                     const struct program_state *state, uint32_t thread)
{
    for (uint32_t i = 0; i < program->thread_count; i++) {
        for (uint32_t j = 0; j < state->at[i]; j++) {
            if (program->ops[i][j].kind == OP_FORK && program->ops[i][j].what == thread)
                return true;
        }
    }
    return thread == 0;
}

/* Whether the thread, about to make its next step, waits for the other. `site`: where that one has
 * acquired the lock. */
static inline bool program_waits(const struct program *program, const struct program_state *state,
                                 uint32_t thread, uint32_t other, uint32_t *site)
{
    const struct program_op *op = &program->ops[thread][state->at[thread]];
    struct program_held held;

    *site = 0;
    if (thread == other || state->at[thread] == program->counts[thread])
        return false;
    if (op->kind == OP_JOIN)
        return op->what == other && state->at[other] < program->counts[other];
    if (op->kind == OP_BARRIER) { /* the only one of each thread: the others are there or past it */
        for (uint32_t i = 0; i < state->at[other] + 1u && i < program->counts[other]; i++) {
            if (program->ops[other][i].kind == OP_BARRIER)
                return false;
        }
        return true;
    }
    held = program_held(program, other, state->at[other]);
    for (uint32_t i = 0; op->kind == OP_ACQUIRE && i < held.count; i++) {
        *site = held.locks[i].site;
        if (held.locks[i].lock == op->what && !(held.locks[i].reads && op->reads))
            return true;
    }
    return false;
}

static inline bool program_can_go(const struct program *program, const struct program_state *state,
                                  uint32_t thread)
{
    uint32_t site;

    if (state->at[thread] == program->counts[thread] || !program_is_forked(program, state, thread))
        return false;
    for (uint32_t i = 0; i < program->thread_count; i++) {
        if (program_waits(program, state, thread, i, &site))
            return false;
    }
    return true;
}

static inline struct darn_event program_event(const struct program_op *op, uint32_t thread)
{
    static const uint8_t kinds[] = {
        [OP_ACQUIRE] = DARN_EVENT_ACQUIRE, [OP_TRY] = DARN_EVENT_ACQUIRE,
        [OP_RELEASE] = DARN_EVENT_RELEASE, [OP_FORK] = DARN_EVENT_FORK,
        [OP_JOIN] = DARN_EVENT_JOIN,       [OP_BARRIER] = DARN_EVENT_ARRIVE,
    };
    bool is_lock = op->kind <= OP_RELEASE;

    return (struct darn_event){.target = is_lock ? 0x1000 + 64 * op->what : op->what,
                               .thread = thread,
                               .site = op->site,
                               .kind = kinds[op->kind],
                               .flags = op->kind == OP_TRY ? DARN_EVENT_TRY : 0,
                               .lock = op->reads ? DARN_EVENT_RDLOCK : DARN_EVENT_MUTEX};
}

/* Runs in a random schedule; the events, with a REQUEST for each thread that hangs at a lock in the
 * end, and how far the threads came. Returns whether all came to their end. A trylock that fails is
 * no event, but then its release is none either: such runs are given up, and have no events. */
static inline bool program_run(const struct program *program, uint64_t *seed,
                               struct darn_event *events, uint32_t *event_count,
                               struct program_state *end)
{
    struct program_state state = {0};
    bool is_done = true, has_met = false;

    *event_count = 0;
    *end = state;
    for (;;) {
        uint32_t ready[PROGRAM_THREADS], count = 0, thread;
        const struct program_op *op;

        for (uint32_t i = 0; i < program->thread_count; i++) {
            if (program_can_go(program, &state, i))
                ready[count++] = i;
        }
        if (!count)
            break;
        thread = ready[program_random(seed, count)];
        op = &program->ops[thread][state.at[thread]];
        for (uint32_t i = 0; op->kind == OP_TRY && i < program->thread_count; i++) {
            struct program_held held = program_held(program, i, state.at[i]);

            if (program_holds(&held, op->what)) {
                *event_count = 0;
                return false;
            }
        }
        /* When the first goes on, all have arrived. */
        for (uint32_t i = 0; op->kind == OP_BARRIER && !has_met && i < program->thread_count; i++)
            events[(*event_count)++] = program_event(&program->ops[i][state.at[i]], i);
        has_met |= op->kind == OP_BARRIER;
        state.at[thread]++;
        events[*event_count] = program_event(op, thread);
        if (op->kind == OP_BARRIER)
            events[*event_count].kind = DARN_EVENT_DEPART;
        ++*event_count;
    }
    *end = state;
    for (uint32_t i = 0; i < program->thread_count; i++) {
        const struct program_op *op = &program->ops[i][state.at[i]];

        if (state.at[i] == program->counts[i])
            continue;
        is_done = false;
        if (op->kind == OP_ACQUIRE && program_is_forked(program, &state, i)) {
            events[*event_count] = program_event(op, i);
            events[(*event_count)++].kind = DARN_EVENT_REQUEST;
        }
    }
    return is_done;
}

/* What the engine predicts from the events. `locks` names the addresses of program_event. */
static inline void program_predict(const struct darn_event *events, uint32_t event_count,
                                   struct program_keys *predicted)
{
    static const struct darn_engine_config config;
    const struct darn_engine *engine = &darn_engine_deadlock;
    void *state = engine->create(&config);
    const struct darn_prediction *all;
    size_t count;

    predicted->count = 0;
    for (uint32_t i = 0; i < event_count; i++)
        engine->event(state, &events[i]);
    engine->finish(state);
    all = engine->predictions(state, &count);
    for (size_t i = 0; i < count; i++) {
        struct program_key key = {.count = all[i].step_count};

        for (uint32_t j = 0; j < key.count; j++) {
            const struct darn_prediction_step *step = &all[i].steps[j];
            const struct darn_prediction_step *before =
                &all[i].steps[(j + key.count - 1) % key.count];

            key.steps[j].asks = step->event.site;
            for (uint32_t k = 0; k < step->lock_count; k++) {
                if (before->event.kind != DARN_EVENT_JOIN &&
                    step->locks[k].lock == before->event.target)
                    key.steps[j].holds = step->locks[k].site;
            }
        }
        program_add(predicted, key);
    }
    engine->destroy(state);
}

#endif
