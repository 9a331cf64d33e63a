#define _GNU_SOURCE
#include "runtime/control/livelock.h"

#include <dlfcn.h>
#include <string.h>
#include <unwind.h>

#include "base/hash.h"
#include "runtime/control/answers.h"
#include "runtime/control/control.h"
#include "runtime/control/decide.h"
#include "runtime/control/enabled.h"
#include "runtime/control/outsiders.h"
#include "runtime/control/slots.h"
#include "runtime/control/state_hash.h"
#include "runtime/os/os.h"
#include "runtime/os/os_watch.h"
#include "runtime/os/real_function.h"

#define WRITES      256          /* places that are compared */
#define WRITE_BYTES 64           /* of one */
#define STACK_BYTES (256u << 10) /* more is not compared, and nothing is proved */
#define HOOK_WORDS  32 /* below the frame of a hook: it keeps the caller's registers there */
#define FRAMES      64 /* of ours, between the program and the unwinder */
#define LOOKS       64 /* at all memory, in one run */

struct write {
    uintptr_t address;
    uint32_t size;
    unsigned char before[WRITE_BYTES];
};

bool darn_fair;

/* Whether it is known who asks the world (os_watch.h); without that nothing is proved. */
static enum { UNWATCHED, WATCHED, IMPOSSIBLE } watch;

/* The state that others are compared with. */
static struct {
    uint64_t state;
    uint64_t memory;        /* all of it, */
    bool has_memory;        /* if that is known */
    uint64_t age, patience; /* in steps */
    bool is_spoiled;
    uint32_t own[DARN_SLOTS];
    bool could[DARN_SLOTS]; /* has been enabled since, and was not chosen */
    struct write writes[WRITES];
    uint32_t write_count;
} anchor = {.is_spoiled = true};

void darn_livelock_spoil(void)
{
    anchor.is_spoiled = true;
}

/* Locks are in the state, as those who hold them; other objects are not. */
void darn_livelock_made(enum darn_step_op op)
{
    switch (op) {
    case DARN_STEP_FREE:
    case DARN_STEP_DESTROY:
    case DARN_STEP_CLOSE:
    case DARN_STEP_USE:
    case DARN_STEP_TAKE:
    case DARN_STEP_POST:
    case DARN_STEP_BARRIER:
    case DARN_STEP_CREATE:
    case DARN_STEP_DETACH:
    case DARN_STEP_CANCEL:
    case DARN_STEP_EXIT:
    case DARN_STEP_CALL:
        darn_livelock_spoil();
        break;
    default:
        break;
    }
}

void darn_livelock_step(uint64_t steps)
{
    darn_fair = darn_control_wants(DARN_RUN_PROVE) && steps >= darn_control->request.fair_from;
}

/* ---- what a thread is in the middle of ---- */

struct registers {
    uint64_t pc; /* in the program, where the call returns to */
    uint64_t hash;
    uint32_t frames;
    bool are_known;
};

typedef _Unwind_Reason_Code unwind(_Unwind_Trace_Fn visit, void *argument);

static _Unwind_Reason_Code take_registers(struct _Unwind_Context *context, void *argument)
{
    static const int kept[] = {3, 6, 12, 13, 14, 15}; /* rbx, rbp, r12 to r15, in DWARF's words */
    struct registers *to = argument;

    if (_Unwind_GetIP(context) != to->pc)
        return ++to->frames < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        to->hash = darn_fold(to->hash, _Unwind_GetGR(context, kept[i]));
    to->are_known = true;
    return _URC_END_OF_STACK;
}

/* The unwinder is loaded already (darn_stack_prepare), and no program is linked with it for us. */
static unwind *find_unwinder(void)
{
    static unwind *found;
    void *library;

    if (!found) {
        library = ((void *(*)(const char *, int))darn_real("dlopen"))("libgcc_s.so.1", RTLD_LAZY);
        found = library ? (unwind *)dlsym(library, "_Unwind_Backtrace") : NULL;
    }
    return found;
}

/* No call is to preserve the old registers of floating point. Where none of ours uses them, as in
 * a loop of assembly, they stay all the same; so does the mode of rounding. */
static uint64_t hash_float(uint64_t hash)
{
    _Alignas(16) struct {
        uint16_t control, status, tags, others[9];
        uint32_t mode, mask;
        struct {
            uint64_t low, high;
        } registers[8], rest[22];
    } state = {0};

    _Static_assert(sizeof(state) == 512, "what fxsave writes");
    __builtin_ia32_fxsave64(&state);
    hash = darn_fold(hash, (uint64_t)state.control << 48 | (uint64_t)state.status << 32 |
                               (uint64_t)(state.tags & 0xff) << 16);
    hash = darn_fold(hash, state.mode);
    for (size_t i = 0; i < sizeof(state.registers) / sizeof(state.registers[0]); i++)
        hash = darn_fold(darn_fold(hash, state.registers[i].low), state.registers[i].high);
    return hash;
}

/* All of the stack that is the program's, and the registers that a call preserves: the others are
 * in the stack, or dead. A hook preserves more, in its own frame. */
void darn_livelock_stand(struct darn_slot *self)
{
    const struct darn_thread *thread = self->thread;
    uintptr_t low = (uintptr_t)self->frame + 16, high = thread->top;
    struct registers registers = {.pc = self->place, .hash = DARN_HASH_START};
    unwind *walk = find_unwinder();

    if (!self->frame || !high || high < low || high - low > STACK_BYTES || !walk) {
        darn_livelock_spoil();
        return;
    }
    registers.pc = ((const uint64_t *)self->frame)[1];
    registers.hash = hash_float(registers.hash);
    walk(take_registers, &registers);
    if (!registers.are_known)
        darn_livelock_spoil();
    if (self->site)
        registers.hash =
            darn_state_hash_words(registers.hash, (const uint64_t *)self->frame - HOOK_WORDS,
                                  HOOK_WORDS * sizeof(uint64_t));
    self->standing = darn_state_hash_words(registers.hash, (const void *)low, high - low);
}

/* ---- memory ---- */

void darn_livelock_write(const struct darn_touch *touch)
{
    struct write *write = &anchor.writes[anchor.write_count];

    for (uint32_t i = 0; i < anchor.write_count; i++) {
        if (anchor.writes[i].address == touch->address && anchor.writes[i].size >= touch->size)
            return;
    }
    if (anchor.write_count == WRITES || touch->size > WRITE_BYTES ||
        !darn_os_can_access(touch->address, touch->size, false)) {
        darn_livelock_spoil();
        return;
    }
    write->address = touch->address;
    write->size = (uint32_t)touch->size;
    memcpy(write->before, (const void *)touch->address, touch->size);
    anchor.write_count++;
}

static bool is_memory_the_same(void)
{
    for (uint32_t i = 0; i < anchor.write_count; i++) {
        const struct write *write = &anchor.writes[i];

        if (memcmp(write->before, (const void *)write->address, write->size) != 0)
            return false;
    }
    return true;
}

/* ---- the state of all ---- */

static uint64_t hash_slot(uint64_t hash, const struct darn_slot *slot)
{
    const struct darn_locks *locks = &slot->thread->locks;

    hash = darn_fold(hash, (uint64_t)slot->number << 32 | (uint32_t)slot->state << 16 | slot->op);
    hash = darn_fold(hash, slot->place);
    hash = darn_fold(hash, slot->object);
    hash = darn_fold(hash, slot->standing);
    hash = darn_fold(hash, (uint64_t)slot->signaled << 2 | slot->cancelled << 1 | slot->timed_out);
    for (uint32_t i = 0; i < locks->count; i++)
        hash = darn_fold(hash, locks->held[i].address);
    return hash;
}

static uint64_t state_of_all(void)
{
    uint64_t hash = DARN_HASH_START;

    for (uint32_t i = 0; i < darn_slot_end; i++) {
        if (darn_slot_is_used(&darn_slots[i]))
            hash = hash_slot(hash, &darn_slots[i]);
    }
    return hash;
}

/* Whether each thread has gone on since, but for those who cannot. */
static bool had_their_turns(void)
{
    for (uint32_t i = 0; i < darn_slot_end; i++) {
        const struct darn_slot *slot = &darn_slots[i];

        if (!darn_slot_is_used(slot))
            continue;
        if (slot->state == DARN_STATE_OUTSIDE || slot->op == DARN_STEP_CALL ||
            (slot->own == anchor.own[i] ? anchor.could[i] || darn_step_is_enabled(slot)
                                        : watch == WATCHED && !slot->is_watched))
            return false;
    }
    return true;
}

static void set_anchor(uint64_t state)
{
    anchor.state = state;
    anchor.has_memory = false;
    anchor.age = 0;
    anchor.is_spoiled = false;
    anchor.write_count = 0;
    for (uint32_t i = 0; i < darn_slot_end; i++)
        anchor.own[i] = darn_slots[i].own;
    memset(anchor.could, 0, sizeof(anchor.could));
}

/* Who is disabled now may have been enabled in between: that is no hang, only unfair. */
static void note_enabled(void)
{
    for (uint32_t i = 0; i < darn_slot_end; i++) {
        if (darn_slot_is_used(&darn_slots[i]) && darn_slots[i].own == anchor.own[i] &&
            darn_step_is_enabled(&darn_slots[i]))
            anchor.could[i] = true;
    }
}

/* ---- what no hook sees ---- */

/* The world may answer otherwise next time. */
static void asks(void)
{
    if (darn_turns)
        darn_control_end(DARN_END_STEPS);
}

void darn_livelock_go(struct darn_slot *self)
{
    if (watch != WATCHED || self->is_watched)
        return;
    self->is_watched = true;
    if (darn_os_watch_clock() != 0)
        watch = IMPOSSIBLE;
}

/*
 * All that is cheap to compare is the same. The rest is looked at from now on, for two more times
 * around: whether anybody asks the world, and all memory, whoever writes it.
 */
static void look_closer(uint64_t state)
{
    static uint32_t looks;
    uint64_t memory;

    if (watch == UNWATCHED) {
        watch = darn_os_watch_calls(asks, (darn_os_set_action *)darn_real("sigaction")) == 0 &&
                        darn_answers_watch()
                    ? WATCHED
                    : IMPOSSIBLE;
        set_anchor(state);
        return;
    }
    if (++looks > LOOKS || !darn_state_hash_memory(&memory)) {
        watch = IMPOSSIBLE;
        return;
    }
    if (anchor.has_memory && anchor.memory == memory)
        darn_control_end(DARN_END_LIVELOCK);
    if (!anchor.has_memory) {
        set_anchor(state);
        anchor.memory = memory;
        anchor.has_memory = true;
    }
}

void darn_livelock_decide(void)
{
    uint64_t state = state_of_all();

    note_enabled();
    if (watch != IMPOSSIBLE && !anchor.is_spoiled && state == anchor.state && had_their_turns() &&
        is_memory_the_same() && !darn_decide_is_disturbed())
        look_closer(state);
    if (++anchor.age < anchor.patience)
        return;
    set_anchor(state);
    anchor.patience = anchor.patience ? 2 * anchor.patience : 1;
}
