#define _GNU_SOURCE
#include "runtime/watch/sampler.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

#include "runtime/os/os.h"
#include "base/random.h"
#include "runtime/record/heat.h"
#include "runtime/report/counters.h"
#include "runtime/report/found.h"
#include "runtime/section/sections.h"
#include "runtime/state.h"
#include "runtime/thread/stuck.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/beginning.h"
#include "runtime/watch/looks.h"
#include "runtime/watch/spending.h"
#include "runtime/watch/watch.h"

#define STACK_SIZE (64 * 1024)

/*
 * Windows begin short, so that a test of ten milliseconds gets many, and become up to this many
 * times longer: the same share of the time then costs fewer wake-ups, and reaches accesses that
 * come seldom.
 */
#define LONGEST 4
#define WARM_UP 256

/* When all threads but one wait for something, one of them may still wake up and run into a window;
 * but the thread that does the work alone is not held as often. */
#define ALONE 2

/* An invitation that nobody takes up costs nothing: it stands for so long, and is looked after in
 * longer and longer steps while all threads wait. In nanoseconds. */
#define LONGEST_INVITATION UINT64_C(20000000)
#define LONGEST_STEP       UINT64_C(8000000)

/* In one of so many rounds somebody is invited to be watched inside a section. */
#define ROUNDS_PER_SECTION 4

/* One for sections is taken up by few of the accesses, and all have to look twice meanwhile. */
#define LONGEST_FOR_SECTIONS UINT64_C(2000000)

/* A thread that is still inside its section after this is not waited for any longer. */
#define LONGEST_SECTION UINT64_C(20000000)

/* How often each site was watched, by a hash of its address: two sites that share a number are
 * merely preferred less than they should be. */
#define SITES 16384

/*
 * A site that was never watched is taken at once. One that was watched n times is taken when the
 * thread has made about n * PATIENCE_PER_TIME accesses since the invitation and nothing better
 * came, n counting up to MAX_TIMES: so a loop does not keep the windows away from what it does now
 * and then.
 */
#define PATIENCE_PER_TIME 64
#define MAX_TIMES         16

/* As long as everything is seen, windows come faster than the budget allows: attention is raised
 * anyway. */
#define BURST 4

/* Everything is seen with budget=max, but so much of the time, in percent, is enough for windows.
 */
#define MOST_FOR_WINDOWS 10

/* Threads that have ended without a word are looked for so often. In nanoseconds. */
#define REAP_INTERVAL UINT64_C(200000000)

static _Atomic uint16_t watched[SITES];
static _Atomic bool runs;      /* it does, or is about to; who sets it starts it */
static _Atomic bool stops;     /* it is asked to end */
static _Atomic uint32_t holds; /* as long as it must not be there: how many want that */
static _Atomic uint32_t tid;   /* the kernel clears it when the stack is no longer used */
static uint64_t rounds;        /* of this and of all before */
static _Atomic uint64_t window_ns;
static _Alignas(64) unsigned char stack[STACK_SIZE];

/* While a thread is alone there is nothing to be caught, unless it waits, and perhaps in vain. */
static bool is_needed(void)
{
    uint32_t alive = darn_threads_alive();

    return !darn_state.finished && !atomic_load(&stops) && !atomic_load(&holds) &&
           (alive > 1 || (alive == 1 && darn_threads_running() <= 0));
}

/* Ends early when only one thread is left, or no longer. */
static void nap(uint64_t nanoseconds)
{
    uint64_t end = darn_os_now() + nanoseconds, now = end - nanoseconds;
    bool is_alone = darn_threads_alive() < 2;

    while (is_needed() && now < end && (darn_threads_alive() < 2) == is_alone) {
        uint64_t step = darn_beginning_pass(now);

        darn_os_wait(darn_threads_word(), darn_threads_alive(),
                     step < end - now ? step : end - now);
        now = darn_os_now();
    }
}

static uint64_t budget_pause(uint64_t raised)
{
    uint32_t budget = darn_state.options.budget;

    if (darn_beginning_lasts())
        raised /= BURST;
    if (darn_budget_is_max()) /* the threads shall also get on with their work */
        budget = MOST_FOR_WINDOWS;
    return raised * (100 - budget) / budget;
}

static uint32_t offers(void)
{
    int32_t running = darn_threads_running();

    if (darn_state.options.max_windows)
        return darn_state.options.max_windows;
    return running > 4 ? (uint32_t)running / 4 : 1;
}

/* Until the invitation was taken up, or has stood for long enough. */
static void await_guests(uint64_t window, uint64_t longest, bool (*is_invited)(void))
{
    uint64_t end = darn_os_now() + longest, step = window;

    while (is_invited() && darn_threads_alive() > 1 && darn_os_now() < end) {
        nap(step);
        if (darn_threads_running() > 0)
            step = window;
        else if (2 * step <= LONGEST_STEP)
            step = 2 * step;
    }
}

/* One time of raised attention; returns how much of the budget it has used. */
static uint64_t raise_once(bool sections)
{
    uint64_t start = darn_os_now(), used;
    uint64_t window = atomic_load(&window_ns);
    uint32_t offered = offers();

    darn_count(DARN_COUNT_INVITATIONS);
    if (sections) {
        darn_attention_invite_sections(true);
        await_guests(window, LONGEST_FOR_SECTIONS, darn_sections_invited);
        darn_attention_invite_sections(false);
    } else {
        darn_attention_invite(offered);
        await_guests(window, LONGEST_INVITATION, darn_attention_invited);
        if (darn_attention_withdraw() == offered)
            darn_count(DARN_COUNT_INVITATIONS_MISSED);
    }
    used = darn_os_now() - start;
    if (!sections && !darn_attention_was_seen()) /* who makes no access does not pay for it */
        used = used < window ? used : window;
    start = darn_os_now();
    while (darn_watch_is_open() && darn_os_now() - start < 4 * window)
        darn_os_sleep(window / 2);
    /* Attention stays raised for as long as somebody is inside: that is paid for in full. */
    while (sections && darn_sections_are_open() && darn_os_now() - start < LONGEST_SECTION)
        darn_os_sleep(window / 2);
    if (darn_sections)
        darn_sections_expire(LONGEST_SECTION);
    return used + darn_os_now() - start;
}

static void lengthen(void)
{
    uint64_t base = (uint64_t)darn_state.options.window_us * 1000;

    if (rounds % WARM_UP == 0 && atomic_load(&window_ns) < LONGEST * base)
        atomic_store(&window_ns, 2 * atomic_load(&window_ns));
}

/* Who ends by the exit system call tells nobody. */
static void look_after_threads(void)
{
    static uint64_t last;
    uint64_t time = darn_os_now();

    darn_stuck_check();
    if (time - last < REAP_INTERVAL)
        return;
    last = time;
    darn_threads_reap();
}

/* Where nothing is watched, the thread looks after hot sites and threads that are stuck. */
#define HEAT_INTERVAL UINT64_C(10000000)

static void look_after(void)
{
    while (is_needed()) {
        nap(HEAT_INTERVAL);
        darn_heat_again();
        look_after_threads();
    }
}

static void watch(void)
{
    static uint64_t next; /* not before that, whoever comes and goes */

    darn_os_exact_timing();
    while (is_needed()) {
        uint64_t now = darn_os_now();

        look_after_threads();
        darn_findings_due();
        /* Whoever waits alone may wait in vain. */
        if (darn_threads_alive() < 2 || !darn_state.options.budget) {
            nap(REAP_INTERVAL);
        } else if (now < next) {
            nap(next - now);
        } else {
            rounds++;
            if (!darn_beginning_lasts() && !darn_budget_is_max())
                darn_spending_review(darn_state.options.budget);
            next = budget_pause(raise_once(darn_sections && rounds % ROUNDS_PER_SECTION == 0 &&
                                           darn_sections_exist()));
            next = darn_os_now() + next * (darn_threads_running() < 2 ? ALONE : 1);
            lengthen();
        }
    }
}

/* Whoever makes a second thread meanwhile finds `runs` set and relies on us: so it is given up
 * first, and then looked at once more. */
static int sample(void *unused)
{
    bool expected = false;

    (void)unused;
    do {
        if (darn_state.mode == DARN_MODE_WATCH)
            watch();
        else
            look_after();
        atomic_store(&runs, false);
    } while (is_needed() && atomic_compare_exchange_strong(&runs, &expected, true));
    return 0;
}

/* The stack is free again a moment after the last one has given up `runs`. */
static void await_end(void)
{
    while (atomic_load(&tid))
        darn_os_yield();
}

static void clone_sampler(void)
{
    uint64_t mask = darn_os_block_signals(); /* inherited: signals are the program's business */
    int saved = errno;

    await_end();
    if (clone(sample, stack + STACK_SIZE,
              CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                  CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
              NULL, &tid, NULL, &tid) < 0) {
        atomic_store(&runs, false);
        darn_count(DARN_COUNT_SAMPLERS_REFUSED);
    }
    errno = saved;
    darn_os_restore_signals(mask);
}

static void start_sampler(void)
{
    bool expected = false;

    if (darn_state.mode == DARN_MODE_CONTROL || darn_state.mode == DARN_MODE_HEAL)
        return;
    if (darn_state.finished || atomic_load(&runs) ||
        !atomic_compare_exchange_strong(&runs, &expected, true))
        return;
    if (atomic_load(&holds)) { /* whoever holds it looks for `runs` after that */
        atomic_store(&runs, false);
        return;
    }
    atomic_store(&stops, false);
    if (!atomic_load(&window_ns))
        atomic_store(&window_ns, (uint64_t)darn_state.options.window_us * 1000);
    if (darn_state.options.budget)
        darn_beginning_start();
    if (darn_state.options.budget && darn_state.mode == DARN_MODE_WATCH)
        darn_looks_begin();
    clone_sampler();
}

void darn_sampler_start(void)
{
    start_sampler();
    darn_attention_recount();
}

bool darn_sampler_stop(void)
{
    if (!atomic_load(&tid) || darn_threads_alive() > 1)
        return false;
    atomic_store(&stops, true);
    darn_os_wake(darn_threads_word(), 1);
    await_end();
    return true;
}

void darn_sampler_hold(void)
{
    atomic_fetch_add(&holds, 1);
    while (atomic_load(&runs) || atomic_load(&tid)) {
        darn_os_wake(darn_threads_word(), 1);
        darn_os_yield();
    }
}

void darn_sampler_release(void)
{
    if (atomic_fetch_sub(&holds, 1) == 1 && darn_threads_alive() > 1)
        darn_sampler_start();
}

void darn_sampler_after_fork(void)
{
    atomic_store(&runs, false);
    darn_beginning_after_fork();
    atomic_store(&tid, 0);
    atomic_store(&holds, 0);
    rounds = 0;
}

uint64_t darn_sampler_window(void)
{
    return atomic_load_explicit(&window_ns, memory_order_relaxed);
}

static bool is_on_own_stack(const struct darn_thread *thread, uintptr_t address, const void *frame)
{
    return address >= (uintptr_t)frame && address >= thread->stack_start &&
           address < thread->stack_end;
}

/* How many accesses the thread has declined to take since this invitation was made. */
static uint32_t count_declined(struct darn_thread *thread)
{
    uint32_t round = darn_attention_round();

    if (thread->round != round) {
        thread->round = round;
        thread->declined = 0;
        /* Not always the same: else a loop would always be caught at the same place. */
        thread->patience = darn_random_below(&thread->random, 2 * PATIENCE_PER_TIME);
    }
    return thread->declined++;
}

bool darn_sampler_is_worth(struct darn_thread *thread, uint32_t times)
{
    uint32_t declined = count_declined(thread);

    return declined >= (times < MAX_TIMES ? times : MAX_TIMES) * thread->patience;
}

/* Sites that are one half of a race that was predicted, by hash. */
#define AIMED 256
static const struct darn_site *volatile aimed[AIMED];

void darn_sampler_aim(const struct darn_site *site)
{
    aimed[((uintptr_t)site / sizeof(*site)) % AIMED] = site;
}

static bool is_aimed(const struct darn_site *site)
{
    return aimed[((uintptr_t)site / sizeof(*site)) % AIMED] == site;
}

bool darn_sampler_prefers(struct darn_thread *thread, const struct darn_touch *touch,
                          const void *frame)
{
    _Atomic uint16_t *slot = &watched[((uintptr_t)touch->site / sizeof(*touch->site)) % SITES];
    uint32_t times = atomic_load_explicit(slot, memory_order_relaxed);

    if (is_aimed(touch->site))
        times = 0;
    else if (is_on_own_stack(thread, touch->address, frame))
        times = MAX_TIMES;
    if (!darn_sampler_is_worth(thread, times))
        return false;
    if (times < MAX_TIMES)
        atomic_fetch_add_explicit(slot, 1, memory_order_relaxed);
    return true;
}
