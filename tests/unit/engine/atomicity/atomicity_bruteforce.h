/*
 * Small random sets of transactions, and whether they are atomic by the definition (Wang & Stoller,
 * section 2): all traces are gone through, and each must have the same write-predecessor of every
 * read, and the same final writes, as some serial trace.
 */
#ifndef DARN_TESTS_ATOMICITY_BRUTEFORCE_H
#define DARN_TESTS_ATOMICITY_BRUTEFORCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MOST_UNITS 4
#define MOST_STEPS 24
#define MOST_VARS  4
#define MOST_LOCKS 3

struct step {
    char what; /* r, w, a(cquire), l(eave) */
    uint8_t of;
};

/* A transaction of a thread. Those of one thread happen in the order of their numbers. */
struct unit {
    struct step steps[MOST_STEPS];
    uint32_t count, thread;
};

struct program {
    struct unit units[MOST_UNITS];
    uint32_t unit_count, var_count, lock_count;
    uint64_t seed;
};

static inline uint32_t program_draw(struct program *program, uint32_t below)
{
    program->seed ^= program->seed << 13;
    program->seed ^= program->seed >> 7;
    program->seed ^= program->seed << 17;
    return (uint32_t)((program->seed >> 20) % below);
}

/* What a trace comes to: for each read the write that it sees, and the final writes. Writes have
 * numbers from 1. */
struct result {
    uint8_t seen[MOST_UNITS][MOST_STEPS];
    uint8_t last[MOST_VARS];
};

struct search {
    const struct program *program;
    uint32_t at[MOST_UNITS];
    uint32_t owner[MOST_LOCKS]; /* unit + 1 */
    struct result now;
    struct result serial[24];
    uint32_t serial_count;
    uint64_t traces;
    /* With `witness`, all traces are gone through, and it is called with the order of each that is
     * not serializable. */
    void (*witness)(struct search *search);
    uint16_t order[MOST_UNITS * MOST_STEPS]; /* unit * MOST_STEPS + step */
    uint32_t length;
    bool is_stuck;  /* some trace ends in deadlock */
    bool is_broken; /* some trace is not serializable */
};

static inline void perform(struct search *search, uint32_t unit)
{
    const struct step *step = &search->program->units[unit].steps[search->at[unit]];

    if (step->what == 'a')
        search->owner[step->of] = unit + 1;
    if (step->what == 'l')
        search->owner[step->of] = 0;
    if (step->what == 'r')
        search->now.seen[unit][search->at[unit]] = search->now.last[step->of];
    if (step->what == 'w')
        search->now.last[step->of] = (uint8_t)(unit * MOST_STEPS + search->at[unit] + 1);
    search->order[search->length++] = (uint16_t)(unit * MOST_STEPS + search->at[unit]);
    search->at[unit]++;
}

static inline bool is_over(const struct search *search, uint32_t unit)
{
    return search->at[unit] == search->program->units[unit].count;
}

static inline bool can_go(const struct search *search, uint32_t unit)
{
    const struct unit *units = search->program->units;
    const struct step *step = &units[unit].steps[search->at[unit]];

    if (is_over(search, unit))
        return false;
    for (uint32_t i = 0; i < unit; i++) {
        if (units[i].thread == units[unit].thread && !is_over(search, i))
            return false;
    }
    return step->what != 'a' || !search->owner[step->of];
}

/* All serial traces: the units one after the other. */
static inline void serialize(struct search *search, uint32_t done)
{
    const struct program *program = search->program;
    bool any = false;

    for (uint32_t i = 0; i < program->unit_count; i++) {
        struct search before = *search;

        if (is_over(search, i) || search->at[i] || !can_go(search, i))
            continue;
        any = true;
        while (!is_over(search, i))
            perform(search, i);
        serialize(search, done + 1);
        before.serial_count = search->serial_count;
        memcpy(before.serial, search->serial, sizeof(before.serial));
        *search = before;
    }
    if (!any && done == program->unit_count)
        search->serial[search->serial_count++] = search->now;
}

/* Each release comes right after the step before it: this takes no order of accesses away. */
static inline void explore(struct search *search)
{
    bool any = false, over = true;

    for (uint32_t i = 0; i < search->program->unit_count; i++) {
        const struct unit *unit = &search->program->units[i];
        uint32_t at = search->at[i], length = search->length;
        uint32_t owner[MOST_LOCKS];
        struct result now;

        if (search->is_broken && !search->witness)
            return;
        over = over && is_over(search, i);
        if (!can_go(search, i))
            continue;
        any = true;
        memcpy(owner, search->owner, sizeof(owner));
        now = search->now;
        do
            perform(search, i);
        while (search->at[i] < unit->count && unit->steps[search->at[i]].what == 'l');
        explore(search);
        search->at[i] = at;
        search->length = length;
        memcpy(search->owner, owner, sizeof(owner));
        search->now = now;
    }
    if (any)
        return;
    if (!over) {
        search->is_stuck = true;
        return;
    }
    search->traces++;
    for (uint32_t i = 0; i < search->serial_count; i++) {
        if (memcmp(&search->serial[i], &search->now, sizeof(search->now)) == 0)
            return;
    }
    search->is_broken = true;
    if (search->witness)
        search->witness(search);
}

/* Deadlocks are looked for among the positions alone: there are few. */
static inline bool gets_stuck(struct search *search, uint8_t *visited)
{
    uint32_t index = 0;
    bool any = false, over = true;

    for (uint32_t i = 0; i < search->program->unit_count; i++)
        index = index * (MOST_STEPS + 1) + search->at[i];
    if (visited[index >> 3] & 1u << (index & 7))
        return false;
    visited[index >> 3] |= (uint8_t)(1u << (index & 7));
    for (uint32_t i = 0; i < search->program->unit_count; i++) {
        struct search before;

        over = over && is_over(search, i);
        if (!can_go(search, i))
            continue;
        any = true;
        before = *search;
        perform(search, i);
        if (gets_stuck(search, visited))
            return true;
        *search = before;
    }
    return !any && !over;
}

static inline void program_print(const struct program *program, char *text, size_t room)
{
    size_t length = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < program->unit_count; i++) {
        length += (size_t)snprintf(text + length, room - length, "T%u:", program->units[i].thread);
        for (uint32_t j = 0; j < program->units[i].count; j++)
            length +=
                (size_t)snprintf(text + length, room - length, " %c%u",
                                 program->units[i].steps[j].what, program->units[i].steps[j].of);
        length += (size_t)snprintf(text + length, room - length, ";  ");
    }
}

/* `accesses` in one unit, among which locks are taken and given back, nested. */
static inline void make_unit(struct program *program, struct unit *unit, uint32_t accesses)
{
    uint8_t held[MOST_LOCKS];
    uint32_t depth = 0, taken = 0, sections = 0;

    unit->count = 0;
    while (accesses || depth) {
        uint32_t choice = program_draw(program, 8);
        uint8_t lock = (uint8_t)program_draw(program, program->lock_count);

        if (depth && (choice < 2 || !accesses)) {
            taken &= ~(1u << held[--depth]);
            unit->steps[unit->count++] = (struct step){'l', held[depth]};
        } else if (choice < 4 && accesses && !(taken & 1u << lock) && sections < 3) {
            sections++;
            taken |= 1u << lock;
            held[depth++] = lock;
            unit->steps[unit->count++] = (struct step){'a', lock};
        } else if (accesses) {
            accesses--;
            unit->steps[unit->count++] =
                (struct step){program_draw(program, 2) ? 'r' : 'w',
                              (uint8_t)program_draw(program, program->var_count)};
        }
    }
}

#endif
