/*
 * A small machine for the tests of the strategies. A program is a few bodies, lists of operations;
 * each thread runs one of them. Before each operation that is a step the strategy says who goes on.
 *
 * A thread has one register. Reads set it, writes store it (`ADD`) or a constant (`PUT`); UNLESS
 * and FAIL are not steps: they happen together with the step before them.
 */
#ifndef DARN_TESTS_STRATEGY_FIXTURE_H
#define DARN_TESTS_STRATEGY_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/block.h"

#define SIM_THREADS 220
#define SIM_OBJECTS 64
#define SIM_STEPS   40000
#define SIM_OPS     80
#define SIM_METS    64

enum sim_kind {
    SIM_END, /* of the body: the step EXIT */
    SIM_GET, /* register = memory[object] */
    SIM_PUT, /* memory[object] = value */
    SIM_ADD, /* memory[object] = register + value, not atomic */
    SIM_LOCK,
    SIM_UNLOCK,
    SIM_WAIT, /* for the condition `object`; gives back the mutex `value` and takes it again */
    SIM_SIGNAL,
    SIM_YIELD,
    SIM_CREATE, /* a thread that runs the body number `value` */
    SIM_JOIN,   /* the thread number `value` */
    SIM_UNLESS, /* register != value: goes on `skip` operations further (or back) */
    SIM_FAIL,
    SIM_JUMP,
};

struct sim_op {
    uint8_t kind;
    uint8_t object; /* from 1 */
    int value, skip;
    uint64_t place; /* 0: one of its own, SIM_PLACE */
};

/* clang-format off */
#define GET(o)        {SIM_GET, o, 0, 0, 0}
#define PUT(o, v)     {SIM_PUT, o, v, 0, 0}
#define ADD(o, v)     {SIM_ADD, o, v, 0, 0}
#define LOCK(o)       {SIM_LOCK, o, 0, 0, 0}
#define UNLOCK(o)     {SIM_UNLOCK, o, 0, 0, 0}
#define WAIT(o, m)    {SIM_WAIT, o, m, 0, 0}
#define SIGNAL(o)     {SIM_SIGNAL, o, 0, 0, 0}
#define YIELD         {SIM_YIELD, 0, 0, 0, 0}
#define CREATE(b)     {SIM_CREATE, 0, b, 0, 0}
#define JOIN(t)       {SIM_JOIN, 0, t, 0, 0}
#define UNLESS(v, n)  {SIM_UNLESS, 0, v, n, 0}
#define JUMP(n)       {SIM_JUMP, 0, 0, n, 0}
#define FAIL          {SIM_FAIL, 0, 0, 0, 0}
/* clang-format on */

#define SIM_PLACE(body, op) (UINT64_C(0x400000) + (uint64_t)(body)*256 + (uint64_t)(op))
#define SIM_ADDRESS(object) (UINT64_C(0x10000000) + 16 * (uint64_t)(object))
#define SIM_JOIN_OBJECT(t)  (UINT64_C(1) + (t))

struct sim_program {
    struct sim_op bodies[8][SIM_OPS];
    uint32_t starts[SIM_THREADS]; /* the bodies of the threads that are there from the beginning */
    uint32_t count;
    bool greedy; /* whoever made the last step counts as having yielded */
};

struct sim_thread {
    const struct sim_op *at;
    uint32_t number, body, own, slot, waits; /* waits: for the condition with this number */
    int reg;
    uint8_t locks;
    bool relocks, yielded;
};

struct sim_met {
    struct darn_met met;
    struct darn_choice a, b;
    uint32_t picked; /* the thread that went on */
};

struct sim {
    const struct sim_program *program;
    struct sim_thread threads[SIM_THREADS]; /* by slot */
    bool used[SIM_THREADS];
    uint32_t made;   /* threads so far */
    uint32_t locked; /* threads that are blocked at the end */
    int memory[SIM_OBJECTS];
    uint32_t holder[SIM_OBJECTS]; /* thread + 1 */
    uint64_t writer[SIM_OBJECTS];
    uint32_t last; /* the thread + 1 that ran last */
    bool failed, deadlock, too_long;
    struct darn_step steps[SIM_STEPS];
    uint32_t owns[SIM_STEPS]; /* the step's number among those of its thread; a signal's for WAKE */
    uint32_t step_count;
    struct sim_met mets[SIM_METS];
    uint32_t met_count;
    struct darn_strategy *strategy;
};

static inline void sim_settle(struct sim *s, struct sim_thread *t)
{
    for (;;) {
        if (t->at->kind == SIM_UNLESS)
            t->at += t->reg != t->at->value ? 1 + t->at->skip : 1;
        else if (t->at->kind == SIM_JUMP)
            t->at += 1 + t->at->skip;
        else if (t->at->kind == SIM_FAIL)
            s->failed = true, t->at++;
        else
            return;
    }
}

static inline void sim_create(struct sim *s, uint32_t body)
{
    for (uint32_t i = 0; i < SIM_THREADS; i++) {
        if (s->used[i])
            continue;
        s->used[i] = true;
        s->threads[i] = (struct sim_thread){
            .at = s->program->bodies[body], .number = s->made++, .body = body, .slot = i};
        sim_settle(s, &s->threads[i]);
        return;
    }
    abort();
}

static inline bool sim_is_alive(const struct sim *s, uint32_t number)
{
    for (uint32_t i = 0; i < SIM_THREADS; i++)
        if (s->used[i] && s->threads[i].number == number)
            return true;
    return false;
}

static inline bool sim_can(const struct sim *s, const struct sim_thread *t)
{
    if (t->waits)
        return false;
    if (t->relocks)
        return !s->holder[t->at->value];
    if (t->at->kind == SIM_LOCK)
        return !s->holder[t->at->object];
    if (t->at->kind == SIM_JOIN)
        return (uint32_t)t->at->value < s->made && !sim_is_alive(s, (uint32_t)t->at->value);
    return true;
}

static inline struct darn_choice sim_choice(const struct sim *s, const struct sim_thread *t)
{
    static const uint8_t ops[] = {
        [SIM_END] = DARN_STEP_EXIT,    [SIM_GET] = DARN_STEP_READ,
        [SIM_PUT] = DARN_STEP_WRITE,   [SIM_ADD] = DARN_STEP_WRITE,
        [SIM_LOCK] = DARN_STEP_LOCK,   [SIM_UNLOCK] = DARN_STEP_UNLOCK,
        [SIM_WAIT] = DARN_STEP_WAIT,   [SIM_SIGNAL] = DARN_STEP_SIGNAL,
        [SIM_YIELD] = DARN_STEP_YIELD, [SIM_CREATE] = DARN_STEP_CREATE,
        [SIM_JOIN] = DARN_STEP_JOIN,
    };
    const struct sim_op *op = t->at;
    uint32_t object = t->relocks ? (uint32_t)op->value : op->object;
    struct darn_choice choice = {
        .thread = t->number,
        .slot = t->slot,
        .own = t->own,
        .op = t->relocks ? DARN_STEP_RELOCK : ops[op->kind],
        .yielded = t->yielded,
        .locks = t->locks,
        .object = object ? SIM_ADDRESS(object) : 0,
        .place = op->place ? op->place : SIM_PLACE(t->body, op - s->program->bodies[t->body]),
        .writer = s->writer[object],
    };

    choice.size = darn_step_is_access(choice.op) ? 4 : 0;
    if (op->kind == SIM_END)
        choice.object = SIM_JOIN_OBJECT(t->number);
    else if (op->kind == SIM_JOIN)
        choice.object = SIM_JOIN_OBJECT((uint32_t)op->value);
    return choice;
}

/* Asks the strategy, and notes the step. `condition`: it is about who is woken there. The slot of
 * the thread; SIM_THREADS when there is none. */
static inline uint32_t sim_pick(struct sim *s, uint32_t condition)
{
    struct darn_choice choices[SIM_THREADS];
    struct darn_situation now = {
        .choices = choices, .waking = condition != 0, .step = s->step_count};
    struct darn_met met;
    uint32_t picked;

    now.current = UINT32_MAX;
    for (uint32_t i = 0; i < SIM_THREADS; i++) {
        const struct sim_thread *t = &s->threads[i];

        if (!s->used[i] || (condition ? t->waits != condition : !sim_can(s, t)))
            continue;
        if (t->number + 1 == s->last)
            now.current = now.count;
        choices[now.count] = sim_choice(s, t);
        choices[now.count++].yielded |= s->program->greedy && t->number + 1 == s->last;
    }
    if (now.count == 0)
        return SIM_THREADS;
    if (now.current == UINT32_MAX)
        now.current = now.count;
    picked = darn_strategy_pick(s->strategy, &now, &met);
    if (picked >= now.count)
        abort();
    if (met.kind != DARN_MET_NOTHING && s->met_count < SIM_METS)
        s->mets[s->met_count++] = (struct sim_met){
            met, met.a < now.count ? choices[met.a] : choices[0],
            met.b < now.count ? choices[met.b] : choices[0], choices[picked].thread};
    s->owns[s->step_count] = choices[picked].own;
    s->steps[s->step_count++] =
        (struct darn_step){.thread = choices[picked].thread,
                           .op = condition ? DARN_STEP_WAKE : choices[picked].op,
                           .slot = (uint16_t)choices[picked].slot,
                           .object = choices[picked].object,
                           .place = choices[picked].place};
    return choices[picked].slot;
}

static inline void sim_wake(struct sim *s, uint32_t condition, uint32_t own)
{
    uint32_t slot = s->step_count < SIM_STEPS ? sim_pick(s, condition) : SIM_THREADS;

    if (slot == SIM_THREADS)
        return;
    s->owns[s->step_count - 1] = own;
    s->threads[slot].waits = 0;
}

static inline void sim_make(struct sim *s, struct sim_thread *t)
{
    const struct sim_op *op = t->at;
    struct darn_choice choice = sim_choice(s, t);
    uint32_t object = t->relocks ? (uint32_t)op->value : op->object;

    for (uint32_t i = 0; i < SIM_THREADS; i++)
        if (i != t->slot)
            s->threads[i].yielded = false;
    t->own++;
    s->last = t->number + 1;
    if (darn_step_changes(choice.op))
        s->writer[object] = choice.place;
    if (t->relocks || op->kind == SIM_LOCK) {
        s->holder[object] = t->number + 1;
        t->locks++;
    } else if (op->kind == SIM_UNLOCK) {
        s->holder[object] = 0;
        t->locks--;
    } else if (op->kind == SIM_WAIT) {
        s->holder[op->value] = 0;
        t->locks--;
        t->waits = object;
        t->relocks = true;
        return;
    } else if (op->kind == SIM_GET) {
        t->reg = s->memory[object];
    } else if (op->kind == SIM_PUT || op->kind == SIM_ADD) {
        s->memory[object] = op->value + (op->kind == SIM_ADD ? t->reg : 0);
    } else if (op->kind == SIM_SIGNAL) {
        sim_wake(s, object, t->own - 1);
    } else if (op->kind == SIM_CREATE) {
        sim_create(s, (uint32_t)op->value);
    } else if (op->kind == SIM_END) {
        s->used[t->slot] = false;
        return;
    }
    t->relocks = false;
    t->at++;
    sim_settle(s, t);
    t->yielded = t->at->kind == SIM_YIELD;
}

/* Runs the program to its end. */
static inline void sim_run(struct sim *s, const struct sim_program *program,
                           const struct darn_plan *plan, const struct darn_step *steps,
                           const struct darn_switch *switches)
{
    struct darn_strategy *strategy = s->strategy ? s->strategy : malloc(sizeof(*strategy));

    memset(strategy, 0, sizeof(*strategy));
    memset(s, 0, offsetof(struct sim, steps));
    s->step_count = s->met_count = 0;
    s->strategy = strategy;
    s->program = program;
    darn_strategy_start(strategy, plan, steps, switches);
    for (uint32_t i = 0; i < program->count; i++)
        sim_create(s, program->starts[i]);
    while (s->step_count < SIM_STEPS - 2) {
        uint32_t slot = sim_pick(s, 0);

        if (slot == SIM_THREADS) {
            for (uint32_t i = 0; i < SIM_THREADS; i++)
                s->locked += s->used[i];
            s->deadlock = s->locked > 0;
            return;
        }
        sim_make(s, &s->threads[slot]);
    }
    s->too_long = true;
}

static inline struct sim *sim_new(void)
{
    return calloc(1, sizeof(struct sim));
}

static inline void sim_free(struct sim *s)
{
    free(s->strategy);
    free(s);
}

/* How often the kind was met. */
static inline uint32_t sim_mets(const struct sim *s, enum darn_met_kind kind)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->met_count; i++)
        count += s->mets[i].met.kind == (uint32_t)kind;
    return count;
}

#endif
