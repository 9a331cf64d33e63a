#include "runtime/report/nothing.h"

#include <string.h>

#include "runtime/os/helper.h"
#include "runtime/report/counters.h"
#include "runtime/report/tell.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/attention.h"

/* 1234567 as 1,234,567. */
static void say_grouped(struct darn_say *say, uint64_t number)
{
    uint64_t unit = 1;

    while (number / unit >= 1000)
        unit *= 1000;
    darn_say_number(say, number / unit);
    for (; unit > 1; unit /= 1000) {
        uint64_t group = number % unit / (unit / 1000);

        darn_say_text(say, group < 10 ? ",00" : group < 100 ? ",0" : ",");
        darn_say_number(say, group);
    }
}

static void say_counted(struct darn_say *say, uint64_t number, const char *one, const char *several)
{
    say_grouped(say, number);
    darn_say_text(say, number == 1 ? one : several);
}

static void say_share(struct darn_say *say)
{
    uint32_t thousandths = darn_attention_share();

    if (thousandths < 10) {
        darn_say_text(say, ", in less than 1 % of the time");
        return;
    }
    darn_say_text(say, ", in ");
    darn_say_number(say, thousandths / 10);
    darn_say_text(say, " % of the time");
}

/* What has kept the run from seeing more than it did, as far as it is not told by a line of its own
 * (darn_counter_is_loss). */
static void say_missing(struct darn_say *say)
{
    uint64_t outside = darn_counter_value(DARN_COUNT_THREADS_OUTSIDE);

    if (darn_state.options.report == DARN_REPORT_OBSERVED)
        darn_say_text(say, "; races that were not caught in the act were not asked for");
    else if (darn_counter_value(DARN_COUNT_ORDER_LIMITED) ||
             darn_counter_value(DARN_COUNT_ORDER_NO_MEMORY) ||
             darn_counter_value(DARN_COUNT_THREADS_UNKNOWN))
        darn_say_text(say, "; for want of memory only races at the same moment were looked for");
    if (outside) {
        darn_say_text(say, "; what darn did not compile hides races: ");
        say_counted(say, outside, " thread began there", " threads began there");
    }
    if (darn_counter_value(DARN_COUNT_SAMPLERS_REFUSED))
        darn_say_text(say, "; at times nothing was watched: the system gave no thread for it");
}

static void say_seen(struct darn_say *say)
{
    uint32_t threads = darn_threads_count();

    if (threads < 2) { /* accesses are looked at from the second on */
        darn_say_text(say, ": it had one thread");
        return;
    }
    darn_say_text(say, ": ");
    say_counted(say, threads, " thread", " threads");
    if (darn_state.preloaded) {
        darn_say_text(say, "; its data races cannot be seen: it was not compiled by darn");
        return;
    }
    if (!darn_state.options.budget) {
        darn_say_text(say, "; its accesses were not watched");
        return;
    }
    darn_say_text(say, ", ");
    say_counted(say, darn_threads_seen(), " access seen", " accesses seen");
    say_share(say);
    say_missing(say);
}

void darn_nothing_say(void)
{
    const char *program = darn_helper_program(), *slash = strrchr(program, '/');
    struct darn_say say;

    if (!darn_state.is_asked || darn_state.mode != DARN_MODE_WATCH)
        return;
    darn_say_start(&say);
    darn_say_text(&say, "darn: nothing found in ");
    darn_say_text(&say, slash ? slash + 1 : program);
    if (darn_state.has_forked) /* they say themselves what they find */
        darn_say_text(&say, ", its children aside");
    say_seen(&say);
    darn_say_end(&say);
}
