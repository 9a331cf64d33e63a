#include "runtime/watch/beginning.h"

#include <stdatomic.h>

#include "runtime/order/clocks.h"
#include "runtime/os/os.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/spending.h"

/* The first so many nanoseconds of processor time with several threads are seen whole. */
#define SEEN_WHOLE     UINT64_C(100000000)
#define SEEN_WHOLE_MAX UINT64_C(1000000000) /* with budget=max, */
#define SEEN_LONGER    10                   /* or so many times as much, while little is done */
#define MOST_LOST      250e6                /* unless it has cost so much more than is fair; */
#define SLICE          UINT64_C(10000000)   /* afterwards, one slice at a time */
#define BEGINNING_STEP UINT64_C(5000000)    /* so often it is looked whether that is over */

/*
 * What is fair with budget=max: so many nanoseconds for each access, and for each time that a
 * release has something to tell. A detector that sees everything takes longer than that. Where it
 * takes us longer than is fair, everything is seen more seldom than in half of the time: in
 * programs that wait for memory most of the time, and with us for twice as much.
 */
#define FAIR_ACCESS   2.0
#define FAIR_CHANGE   100.0
#define LONGEST_PAUSE 32 /* slices */

/*
 * What is done so seldom that it costs a tenth or less is no reason to look away soon: an access,
 * or a release that has something to tell, stands for so many nanoseconds at most. The threads of
 * OpenMP wait for each other in loops: while one of three is off its processor for a moment, the
 * others use up the beginning, and nothing has been done yet.
 */
#define MOST_FOR_ONE 1000.0

/* Whenever a thread begins later, everything is seen until each thread that runs may have used so
 * many nanoseconds of processor time, and for so many steps at most. The next time comes when the
 * budget allows it, or while what is remembered costs little (spending.h). */
#define WELCOME       UINT64_C(2000000)
#define WELCOME_STEP  UINT64_C(500000)
#define WELCOME_STEPS 40

/* Who begins right before the sampler goes to sleep does not wake it up. */
#define LONGEST_NAP UINT64_C(20000000)

static bool lasts = true;
static _Atomic bool is_welcoming;
static _Atomic uint64_t next_welcome; /* not before that */

void darn_beginning_start(void)
{
    if (darn_state.mode == DARN_MODE_WATCH && lasts)
        darn_attention_sample(true);
}

bool darn_beginning_lasts(void)
{
    return lasts;
}

bool darn_beginning_sees_all(void)
{
    return lasts || darn_budget_is_max();
}

/* Since it was last asked. */
static struct darn_beginning_account look(void)
{
    static struct darn_beginning_account last;
    struct darn_beginning_account now = {(double)darn_os_process_time(),
                                         (double)darn_spending_total(), (double)darn_threads_seen(),
                                         (double)darn_clock_count_changes()};
    struct darn_beginning_account since = {now.used - last.used, now.spent - last.spent,
                                           now.accesses - last.accesses,
                                           now.changes - last.changes};

    last = now;
    return since;
}

/* Those who are not measured, since they take so little, take about what is fair. */
static double lost(const struct darn_beginning_account *since)
{
    return since->spent - since->changes * FAIR_CHANGE;
}

double darn_beginning_counts(const struct darn_beginning_account *since)
{
    double most = (since->accesses + since->changes) * MOST_FOR_ONE;

    return since->used < most ? since->used : most;
}

/* Whatever the budget. Who waits costs nothing meanwhile. */
static void look_at_beginning(void)
{
    static uint64_t begun;
    static double counted, lost_so_far;
    uint64_t now = darn_os_process_time();
    uint64_t most = darn_budget_is_max() ? SEEN_WHOLE_MAX : SEEN_WHOLE;
    struct darn_beginning_account since = look();

    if (!begun) {
        begun = now;
    } else {
        counted += darn_beginning_counts(&since);
        lost_so_far += lost(&since);
    }
    if (now == UINT64_MAX || now - begun >= most * SEEN_LONGER || counted >= (double)most ||
        (darn_budget_is_max() && lost_so_far > MOST_LOST)) {
        lasts = false;
        darn_attention_sample(false);
    }
}

double darn_beginning_pause(const struct darn_beginning_account *since)
{
    double fair = since->accesses * FAIR_ACCESS + since->changes * FAIR_CHANGE;
    double own = since->used - since->spent - since->accesses * FAIR_ACCESS;
    double slices = own > 0 && fair > 0 ? own / since->used * lost(since) / fair : 1;

    return slices < 1 ? 1 : slices > LONGEST_PAUSE ? LONGEST_PAUSE : slices;
}

/* Afterwards, with budget=max, everything is seen in every second slice at most: a program makes no
 * headway while it is. */
static void alternate(uint64_t now)
{
    static uint64_t next;
    static bool is_seen;
    struct darn_beginning_account since;

    if (now < next)
        return;
    since = look();
    next = now + (is_seen ? (uint64_t)(SLICE * darn_beginning_pause(&since)) : SLICE);
    is_seen = !is_seen;
    darn_remembering = is_seen; /* else what ends would keep the clocks moving */
    darn_attention_sample(is_seen);
}

static void welcome(void)
{
    uint64_t start = darn_os_now(), used = darn_os_process_time(), now;
    int32_t running = darn_threads_running();
    uint64_t most = WELCOME * (running > 1 ? (uint64_t)running : 1);

    for (int i = 0; i < WELCOME_STEPS && darn_os_process_time() - used < most; i++)
        darn_os_sleep(WELCOME_STEP);
    atomic_store(&is_welcoming, false);
    darn_attention_sample(false);
    now = darn_os_now();
    atomic_store(&next_welcome, now + (now - start) * 100 / darn_state.options.budget);
    darn_spending_review(darn_state.options.budget);
}

uint64_t darn_beginning_pass(uint64_t now)
{
    if (lasts)
        look_at_beginning();
    else if (darn_budget_is_max())
        alternate(now);
    else if (atomic_load(&is_welcoming))
        welcome();
    return lasts ? BEGINNING_STEP : darn_budget_is_max() ? SLICE : LONGEST_NAP;
}

void darn_beginning_welcome(void)
{
    if (lasts || darn_budget_is_max() ||
        (!darn_remembering && darn_os_now() < atomic_load(&next_welcome)))
        return;
    darn_remembering = true;
    if (!atomic_exchange(&is_welcoming, true)) {
        darn_attention_sample(true);
        darn_os_wake(darn_threads_word(), 1);
    }
}

void darn_beginning_after_fork(void)
{
    atomic_store(&is_welcoming, false);
}
