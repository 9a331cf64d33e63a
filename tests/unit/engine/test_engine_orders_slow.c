/* Orders against their definition, pair by pair, on small random traces (docs/engine-orders.md).
 * None of it is shared with the engine. */
#include "engine_fixture.h"

#include "reorderings.h"

/* What has put events in order, locks aside: bits of those that come before, and the event itself.
 */
struct past {
    const struct small_trace *trace;
    uint32_t before[SMALL_EVENTS];
};

static bool shows(const struct darn_event *a, const struct darn_event *b)
{
    return a->thread == b->thread || (a->kind == DARN_EVENT_FORK && a->target == b->thread) ||
           (b->kind == DARN_EVENT_JOIN &&
            (a->thread == b->target || (a->kind == DARN_EVENT_FORK && a->target == b->target))) ||
           (a->kind == DARN_EVENT_SEND && b->kind == DARN_EVENT_RECEIVE);
}

/* The last write of the variable before event j, or -1. */
static int last_write(const struct small_trace *trace, uint32_t j)
{
    int last = -1;

    for (uint32_t i = 0; i < j; i++)
        if (trace->events[i].kind == DARN_EVENT_WRITE &&
            trace->events[i].target == trace->events[j].target)
            last = (int)i;
    return last;
}

static void find_past(struct past *past, const struct small_trace *trace)
{
    *past = (struct past){.trace = trace};
    for (uint32_t j = 0; j < trace->count; j++) {
        past->before[j] = 1u << j;
        for (uint32_t i = 0; i < j; i++)
            if (shows(&trace->events[i], &trace->events[j]))
                past->before[j] |= past->before[i];
        if (trace->events[j].kind == DARN_EVENT_READ && last_write(trace, j) >= 0)
            past->before[j] |= past->before[last_write(trace, j)];
    }
}

/* What event j comes after whatever it reads itself. */
static uint32_t before_reading(const struct past *past, uint32_t j)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < j; i++)
        if (shows(&past->trace->events[i], &past->trace->events[j]))
            before |= past->before[i];
    return before;
}

/* How the thread of event i holds the lock there: 0, or enum darn_event_lock + 1. */
static uint32_t held_at(const struct small_trace *trace, uint32_t i, uint64_t lock)
{
    uint32_t held = 0;

    for (uint32_t k = 0; k < i; k++) {
        const struct darn_event *event = &trace->events[k];

        if (event->thread != trace->events[i].thread || event->target != lock)
            continue;
        if (event->kind == DARN_EVENT_ACQUIRE)
            held = event->lock + 1u;
        else if (event->kind == DARN_EVENT_RELEASE)
            held = 0;
    }
    return held;
}

static bool exclude_each_other(const struct small_trace *trace, uint32_t i, uint32_t j)
{
    for (uint64_t lock = SMALL_LOCK; lock < SMALL_LOCK + 8 * SMALL_LOCKS; lock += 8) {
        uint32_t a = held_at(trace, i, lock), b = held_at(trace, j, lock);

        if (a && b && !(a == DARN_EVENT_RDLOCK + 1 && b == DARN_EVENT_RDLOCK + 1))
            return true;
    }
    return false;
}

static uint32_t count_held(const struct small_trace *trace, uint32_t i)
{
    uint32_t count = 0;

    for (uint64_t lock = SMALL_LOCK; lock < SMALL_LOCK + 8 * SMALL_LOCKS; lock += 8)
        count += held_at(trace, i, lock) != 0;
    return count;
}

/* Where the thread of event i has taken the first of the locks that it holds there. */
static uint32_t begin_of(const struct small_trace *trace, uint32_t i)
{
    uint32_t begin = i;

    for (uint32_t k = 0; k < i; k++)
        if (trace->events[k].thread == trace->events[i].thread &&
            trace->events[k].kind == DARN_EVENT_ACQUIRE && !count_held(trace, k))
            begin = k;
    return begin;
}

/* Of reads only those since the last write count, and of a thread the last one. */
static bool is_last_of_its_kind(const struct small_trace *trace, uint32_t i, uint32_t j)
{
    const struct darn_event *events = trace->events;

    if (events[i].kind == DARN_EVENT_WRITE)
        return last_write(trace, j) == (int)i;
    for (uint32_t k = i + 1; k < j; k++)
        if (events[k].target == events[i].target &&
            (events[k].kind == DARN_EVENT_WRITE ||
             (events[k].kind == DARN_EVENT_READ && events[k].thread == events[i].thread)))
            return false;
    return true;
}

static bool is_order(const struct past *past, uint32_t i, uint32_t j)
{
    const struct darn_event *a = &past->trace->events[i], *b = &past->trace->events[j];
    uint32_t before;

    if (!darn_event_is_access(a) || !darn_event_is_access(b) || a->target != b->target ||
        a->thread == b->thread || !(darn_event_writes(a) || darn_event_writes(b)))
        return false;
    before = before_reading(past, j);
    return !(before >> i & 1) && is_last_of_its_kind(past->trace, i, j) &&
           exclude_each_other(past->trace, i, j) && !(before >> begin_of(past->trace, i) & 1);
}

/* The engine keeps the last reads of two threads. */
static bool has_few_readers(const struct small_trace *trace, uint32_t j)
{
    uint32_t readers = 0;

    for (uint32_t i = 0; i < j; i++)
        if (trace->events[i].kind == DARN_EVENT_READ &&
            trace->events[i].target == trace->events[j].target)
            readers |= 1u << trace->events[i].thread;
    return __builtin_popcount(readers) <= 2;
}

static void find_with_engine(const struct small_trace *trace,
                             bool found[SMALL_EVENTS][SMALL_EVENTS])
{
    struct trial trial = start(&darn_engine_orders, NULL);

    memset(found, 0, SMALL_EVENTS * sizeof(found[0]));
    for (uint32_t i = 0; i < trace->count; i++)
        give(&trial, trace->events[i]);
    finish(&trial);
    for (size_t i = 0; i < trial.count; i++)
        found[trial.predictions[i].steps[0].event.site - 1]
             [trial.predictions[i].steps[1].event.site - 1] = true;
    stop(&trial);
}

static uint64_t compare(uint64_t seed, uint32_t length)
{
    bool found[SMALL_EVENTS][SMALL_EVENTS];
    struct small_trace trace;
    struct past past;
    uint64_t count = 0;

    make_small(&trace, seed, length, 6);
    find_past(&past, &trace);
    find_with_engine(&trace, found);
    for (uint32_t i = 0; i < trace.count; i++) {
        for (uint32_t j = 0; j < trace.count; j++) {
            bool wanted = i < j && is_order(&past, i, j);

            if (found[i][j] != wanted && (found[i][j] || has_few_readers(&trace, j)))
                fail_msg("trace %lu: events %u and %u: engine %d, by definition %d",
                         (unsigned long)seed, i + 1, j + 1, found[i][j], wanted);
            count += found[i][j];
        }
    }
    return count;
}

static void the_engine_tells_what_the_definition_says(void **state)
{
    const char *more = getenv("DARN_TEST_TRACES");
    uint64_t count = more ? strtoull(more, NULL, 10) : 40000, found = 0;

    (void)state;
    for (uint64_t seed = 0; seed < count; seed++)
        found += compare(seed, 8 + (uint32_t)(seed % (SMALL_EVENTS - 8)));
    print_message("%lu orders in %lu traces\n", (unsigned long)found, (unsigned long)count);
    assert_true(found * 100 > count); /* worth having */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_engine_tells_what_the_definition_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
