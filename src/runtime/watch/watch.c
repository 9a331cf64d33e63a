#include "runtime/watch/watch.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/rseq.h>

#include "base/random.h"
#include "runtime/os/os.h"
#include "runtime/report/counters.h"
#include "runtime/report/found.h"
#include "runtime/spin/spins.h"
#include "runtime/state.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/noise_inject.h"

#pragma weak __rseq_offset

/* One bit each in a word. */
#define WINDOWS 64

/* A window is at most so wide: a longer access is watched in a part chosen at random. */
#define WIDTH 64

/* How long the two sides wait for each other, in nanoseconds. A thread that claims has nothing to
 * do but copy; it is late only if it was taken off its processor. */
#define PATIENCE  UINT64_C(200000000)
#define SETTLE    UINT64_C(1000)
#define AFTERMATH UINT64_C(20000)

/*
 * The life of a window: FREE -> OPEN -> (CLAIMED -> ANSWERED | IGNORED) -> FREE.
 * The state carries a number that changes with each opening, so that a claim can only succeed on
 * the window that was looked at. An owner that has waited too long for the answer leaves the window
 * to the claimer (ABANDONED), who gives it back.
 */
enum { FREE, OPEN, CLAIMED, ANSWERED, IGNORED, ABANDONED, STATES = 8 };

struct window {
    _Atomic uint32_t state;  /* number * STATES + state */
    struct darn_touch touch; /* written by the owner before OPEN, read by others after */
    uint32_t owner;          /* number of its thread */
    struct darn_side mine;
    struct darn_side other; /* written by the claimer between CLAIMED and ANSWERED */
    unsigned char before[WIDTH];
};

static struct window windows[WINDOWS];
static _Atomic uint64_t used; /* bit i: window i belongs to a thread */

static uint32_t state_of(uint32_t word)
{
    return word % STATES;
}

static uint32_t with_state(uint32_t word, uint32_t state)
{
    return word - word % STATES + state;
}

static void fill(struct darn_side *side, const struct darn_thread *thread,
                 const struct darn_touch *touch)
{
    side->touch = *touch;
    side->thread = thread->number;
    side->tid = thread->tid;
    side->parent = thread->parent;
    side->has_parent = thread->has_parent;
    side->created = thread->created;
    side->locks = thread->locks;
}

void darn_side_fill(struct darn_side *side, struct darn_thread *thread,
                    const struct darn_touch *touch, const void *frame)
{
    fill(side, thread, touch);
    darn_os_thread_name(side->name);
    darn_stack_walk(&side->stack, thread, frame);
    if (side->stack.depth && touch->site)
        side->stack.pcs[0]--; /* into the call of the hook, which has the line of the access */
}

void darn_side_fill_waiting(struct darn_side *side, const struct darn_thread *thread,
                            const void *frame)
{
    fill(side, thread, &(struct darn_touch){0});
    side->name[0] = '\0';
    darn_stack_copy(&side->stack, thread, frame);
}

static void give_window(struct window *window)
{
    atomic_fetch_and(&used, ~(UINT64_C(1) << (window - windows)));
}

/* Fills in our side for the owner, who waits for it. */
static void answer(struct window *window, uint32_t word, struct darn_thread *thread,
                   const struct darn_touch *touch, const void *frame)
{
    uint32_t claimed = with_state(word, CLAIMED);

    darn_side_fill(&window->other, thread, touch, frame);
    if (atomic_compare_exchange_strong(&window->state, &claimed, with_state(word, ANSWERED))) {
        darn_os_wake((const volatile uint32_t *)&window->state, 1);
        darn_count(DARN_COUNT_CONFLICTS);
    } else {
        atomic_store(&window->state, with_state(word, FREE));
        give_window(window);
    }
}

/* One that faults is none. */
static bool can_be_made(const struct darn_touch *touch)
{
    return touch->op == DARN_OP_FREE ||
           darn_os_can_access(touch->address, touch->size, touch->op != DARN_OP_READ);
}

/* Claims the window for this access. */
static bool claim(struct window *window, uint32_t word, struct darn_thread *thread,
                  const struct darn_touch *touch, const void *frame)
{
    uint32_t state = thread->ignore ? IGNORED : CLAIMED;
    uint64_t mask = darn_os_block_signals();
    bool claimed = atomic_compare_exchange_strong(&window->state, &word, with_state(word, state));

    if (claimed && state == CLAIMED) {
        answer(window, word, thread, touch, frame);
    } else if (claimed) {
        darn_count(DARN_COUNT_FINDINGS_IGNORED);
    }
    darn_os_restore_signals(mask);
    return claimed;
}

bool darn_watch_check(struct darn_thread *thread, const struct darn_touch *touch, const void *frame)
{
    uint64_t left = atomic_load(&used);

    for (; left; left &= left - 1) {
        struct window *window = &windows[__builtin_ctzll(left)];
        uint32_t word = atomic_load(&window->state);

        /* What is read between here and the claim belongs together: the claim fails if not. */
        if (state_of(word) == OPEN && window->owner != thread->number &&
            darn_touch_conflict(&window->touch, touch) && can_be_made(&window->touch) &&
            can_be_made(touch)) {
            bool spins = darn_spins_may_wait(&window->touch, touch);

            if (!claim(window, word, thread, touch, frame))
                continue;
            thread->met_spin |= spins;
            return true;
        }
    }
    return false;
}

static struct window *take_window(void)
{
    uint64_t bits = atomic_load(&used);

    while (~bits) {
        int free_bit = __builtin_ctzll(~bits);

        if (atomic_compare_exchange_weak(&used, &bits, bits | UINT64_C(1) << free_bit))
            return &windows[free_bit];
    }
    return NULL;
}

/* The wait: the noise of AtomRace 3.3, inside the section. Ends early when the window is claimed.
 */
static void wait_inside(struct window *window, uint32_t word, uint64_t nanoseconds)
{
    uint64_t end = darn_os_now() + nanoseconds;
    uint64_t now;

    while (atomic_load(&window->state) == word && (now = darn_os_now()) < end)
        darn_noise_wait(&window->state, word, end - now);
}

static uint32_t await_answer(struct window *window, uint32_t word)
{
    uint64_t end = darn_os_now() + PATIENCE;

    while (state_of(word) == CLAIMED && darn_os_now() < end) {
        darn_os_wait((const volatile uint32_t *)&window->state, word, PATIENCE / 10);
        word = atomic_load(&window->state);
    }
    return word;
}

/* Not what is volatile: it may be a device, and reading may have effects. */
static void copy_memory(unsigned char *to, const struct darn_touch *touch)
{
    const volatile unsigned char *from = (const volatile unsigned char *)touch->address;

    for (uint64_t i = 0; i < touch->size && i < WIDTH; i++)
        to[i] = touch->is_volatile ? 0 : from[i];
}

/* Gives the other thread time to make its access, so that the report can say what became of the
 * value. */
static bool see_change(struct window *window, bool wait)
{
    uint64_t end = darn_os_now() + AFTERMATH;
    unsigned char now[WIDTH];

    do {
        copy_memory(now, &window->touch);
        if (memcmp(now, window->before, window->touch.size))
            return true;
        __builtin_ia32_pause();
    } while (wait && darn_os_now() < end);
    return false;
}

static uint64_t as_word(const unsigned char *bytes, uint64_t size)
{
    uint64_t word = 0;

    memcpy(&word, bytes, size);
    return word;
}

static void report_race(struct window *window, const struct darn_side *other, bool changed)
{
    struct darn_race race = {.first = &window->mine, .second = other};
    unsigned char now[WIDTH];

    if (window->touch.size <= sizeof(race.before) && !window->touch.is_volatile) {
        copy_memory(now, &window->touch);
        race.has_values = true;
        race.before = as_word(window->before, window->touch.size);
        race.after = changed ? as_word(now, window->touch.size) : race.before;
    }
    darn_finding_race(&race);
}

/*
 * Who has passed a hook with a write last, by thread. A window that opens between a writer's hook
 * and its store sees the value change and nobody come: that writer is no stranger.
 */
#define PASSERS 256
#define PASSING UINT64_C(60000000) /* cycles: some 20 ms */

static struct {
    _Atomic uintptr_t start, end;
    _Atomic uint64_t when;
} passers[PASSERS];

void darn_watch_pass(struct darn_thread *thread, const struct darn_touch *touch)
{
    uint32_t i = thread->number % PASSERS;

    if (touch->op == DARN_OP_READ || touch->op == DARN_OP_FREE)
        return;
    atomic_store_explicit(&passers[i].start, touch->address, memory_order_relaxed);
    atomic_store_explicit(&passers[i].end, touch->address + touch->size, memory_order_relaxed);
    atomic_store_explicit(&passers[i].when, __builtin_ia32_rdtsc(), memory_order_relaxed);
}

static bool has_passed(const struct darn_touch *touch)
{
    uint64_t now = __builtin_ia32_rdtsc();

    for (int i = 0; i < PASSERS; i++) {
        if (now - atomic_load_explicit(&passers[i].when, memory_order_relaxed) < PASSING &&
            touch->address < atomic_load_explicit(&passers[i].end, memory_order_relaxed) &&
            touch->address + touch->size >
                atomic_load_explicit(&passers[i].start, memory_order_relaxed))
            return true;
    }
    return false;
}

/* The kernel writes this for the thread itself, when it moves to another processor. */
static bool is_own_rseq(const struct darn_touch *touch)
{
    uintptr_t start;

    if (!&__rseq_offset)
        return false;
    start = (uintptr_t)((char *)__builtin_thread_pointer() + __rseq_offset);
    return touch->address + touch->size > start && touch->address < start + sizeof(struct rseq);
}

/*
 * Whether a changed value without a visible writer is worth a report: between hook and plain access
 * nothing can have ordered the two, so this is a race as well.
 */
static bool is_unknown_origin(const struct darn_touch *touch)
{
    return darn_state.options.report_unknown_origin && !touch->atomic && !touch->assertion &&
           !touch->gaps && !touch->is_volatile && !is_own_rseq(touch);
}

/* Closes the window and reports what came. Returns whether it is still ours. */
static bool close_window(struct window *window, uint32_t word)
{
    uint32_t seen = word;
    bool unclaimed = atomic_compare_exchange_strong(&window->state, &seen, with_state(word, FREE));

    darn_attention_refresh();
    if (unclaimed) {
        if (is_unknown_origin(&window->touch) && see_change(window, false)) {
            if (has_passed(&window->touch))
                darn_count(DARN_COUNT_UNKNOWN_ONCE);
            else
                report_race(window, NULL, true);
        }
        return true;
    }
    seen = await_answer(window, seen);
    if (state_of(seen) == CLAIMED &&
        atomic_compare_exchange_strong(&window->state, &seen, with_state(word, ABANDONED))) {
        darn_count(DARN_COUNT_CLAIMS_LATE);
        return false;
    }
    if (state_of(seen) == ANSWERED)
        report_race(window, &window->other,
                    see_change(window, window->other.touch.op == DARN_OP_WRITE));
    atomic_store(&window->state, with_state(word, FREE));
    return true;
}

/* A part of at most WIDTH bytes within a long access. */
static struct darn_touch narrow(struct darn_thread *thread, const struct darn_touch *touch)
{
    struct darn_touch part = *touch;

    if (part.size > WIDTH) {
        part.address += darn_random_below(&thread->random, part.size - WIDTH + 1);
        part.size = WIDTH;
        part.has_value = false;
    }
    return part;
}

static uint32_t open_window(struct window *window, struct darn_thread *thread,
                            const struct darn_touch *touch, const void *frame)
{
    uint32_t word = atomic_load(&window->state);

    word = with_state(word + STATES, OPEN);
    window->touch = *touch;
    window->owner = thread->number;
    window->other.touch.site = NULL;
    darn_side_fill(&window->mine, thread, touch, frame);
    atomic_store(&window->state, word);
    darn_attention_refresh();
    return word;
}

static void stand(struct window *window, struct darn_thread *thread, const struct darn_touch *touch,
                  const void *frame, uint64_t nanoseconds)
{
    int timing = darn_os_exact_timing();
    uint32_t word = open_window(window, thread, touch, frame);
    uint64_t settled;
    bool ours;

    darn_count(DARN_COUNT_WINDOWS);
    /* Two threads may have opened windows at the same moment, after each looked for the other's. */
    darn_watch_check(thread, touch, frame);
    /* Stores that passed their guard just before are on their way: they shall not count as changes.
     */
    settled = darn_os_now() + SETTLE;
    while (darn_os_now() < settled)
        __builtin_ia32_pause();
    copy_memory(window->before, touch);
    wait_inside(window, word, nanoseconds);
    ours = close_window(window, word);
    if (ours && window->other.touch.site && darn_spins_may_wait(&window->other.touch, touch))
        thread->met_spin = true;
    darn_os_restore_timing(timing);
    if (ours)
        give_window(window);
}

/*
 * A page that is not there shall fault here, where the program's own handler may jump away. What is
 * volatile is not read, for that may have effects; a window on nothing would be nonsense all the
 * same.
 */
static bool touch_first(const struct darn_touch *touch)
{
    if (touch->is_volatile)
        return darn_os_is_mapped(touch->address);
    (void)*(const volatile unsigned char *)touch->address;
    return true;
}

void darn_watch_stand(struct darn_thread *thread, const struct darn_touch *touch, const void *frame,
                      uint64_t nanoseconds, bool invited)
{
    struct darn_touch part = narrow(thread, touch);
    struct window *window;
    uint64_t mask;

    if (!touch_first(&part))
        return;
    mask = darn_os_block_signals();
    if (!invited || darn_attention_accept()) {
        window = take_window();
        if (window)
            stand(window, thread, &part, frame, nanoseconds);
        else
            darn_count(DARN_COUNT_WINDOWS_FULL);
    }
    darn_os_restore_signals(mask);
}

bool darn_watch_is_open(void)
{
    for (uint64_t left = atomic_load(&used); left; left &= left - 1) {
        if (state_of(atomic_load(&windows[__builtin_ctzll(left)].state)) == OPEN)
            return true;
    }
    return false;
}

bool darn_watch_each(void (*visit)(uintptr_t address, uint32_t size))
{
    uint64_t left = atomic_load(&used);
    bool any = false;

    for (; left; left &= left - 1) {
        struct window *window = &windows[__builtin_ctzll(left)];

        if (state_of(atomic_load(&window->state)) == OPEN) {
            visit(window->touch.address, (uint32_t)window->touch.size);
            any = true;
        }
    }
    return any;
}

void darn_watch_after_fork(void)
{
    for (int i = 0; i < WINDOWS; i++) {
        uint32_t word = atomic_load(&windows[i].state);

        atomic_store(&windows[i].state, with_state(word, FREE));
    }
    atomic_store(&used, 0);
}
