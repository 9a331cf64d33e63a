#include "engine_fixture.h"
#include "random_trace.h"

#include "engine/race/lead.h"

/* A step as text: "1acq 1rel 2acq 1@0 2@1". */
static const char *text_of(const struct darn_lead *lead)
{
    static char text[1024];
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < lead->count; i++) {
        const struct darn_lead_step *step = &lead->steps[i];
        const char *words[] = {[DARN_EVENT_ACQUIRE] = "acq",
                               [DARN_EVENT_RELEASE] = "rel",
                               [DARN_EVENT_FORK] = "fork",
                               [DARN_EVENT_SIGNAL] = "signal",
                               [DARN_EVENT_WAIT] = "wait"};

        if (step->kind == DARN_EVENT_NONE)
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u@%u*%u",
                                       i ? " " : "", step->thread, step->side, step->visits);
        else
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u%s", i ? " " : "",
                                       step->thread, words[step->kind]);
    }
    return text;
}

enum { X = 0x100, Y = 0x200, L = 0x300 };

static const struct darn_engine_config no_config;

/* The writer's section is not needed by the other one, which need not wait for its end. */
static void a_section_that_nobody_needs_is_left_out(void **state)
{
    struct darn_leads *leads = darn_leads_create(&no_config, 1, false);
    struct darn_event events[] = {
        at_site(1, ACCESS(1, WRITE, X)),
        EVENT(1, ACQUIRE, L),
        EVENT(1, RELEASE, L),
        EVENT(2, ACQUIRE, L),
        EVENT(2, RELEASE, L),
        at_site(2, ACCESS(2, READ, X)),
    };

    (void)state;
    darn_leads_site(leads, 0, 0, 1);
    darn_leads_site(leads, 0, 1, 2);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        darn_leads_event(leads, &events[i]);
    assert_string_equal(text_of(darn_leads_get(leads, 0)), "2acq 2rel 1@0*1 2@1*1");
    darn_leads_destroy(leads);
}

/* readv, sscanf: the other side may touch any of what the call fills. */
static void a_site_may_touch_several_places(void **state)
{
    struct darn_leads *leads = darn_leads_create(&no_config, 2, false);
    struct darn_event events[] = {
        at_site(1, ACCESS(1, WRITE, X)),
        at_site(1, ACCESS(1, WRITE, Y)),
        EVENT(1, ACQUIRE, L),
        EVENT(1, RELEASE, L),
        EVENT(2, ACQUIRE, L),
        EVENT(2, RELEASE, L),
        at_site(2, ACCESS(2, READ, X)),
        at_site(3, ACCESS(2, READ, Y)),
    };

    (void)state;
    for (uint32_t pair = 0; pair < 2; pair++) {
        darn_leads_site(leads, pair, 0, 1);
        darn_leads_site(leads, pair, 1, 2 + pair);
    }
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        darn_leads_event(leads, &events[i]);
    assert_string_equal(text_of(darn_leads_get(leads, 0)), "2acq 2rel 1@0*1 2@1*1");
    assert_string_equal(text_of(darn_leads_get(leads, 1)), "2acq 2rel 1@0*2 2@1*1");
    darn_leads_destroy(leads);
}

/* What a thread reads has to be written before. */
static void a_third_thread_comes_as_far_as_it_is_needed(void **state)
{
    struct darn_leads *leads = darn_leads_create(&no_config, 1, false);
    struct darn_event events[] = {
        at_site(1, ACCESS(1, WRITE, X)),
        EVENT(3, ACQUIRE, L),
        at_site(3, ACCESS(3, WRITE, Y)),
        EVENT(3, RELEASE, L),
        EVENT(3, ACQUIRE, L),
        EVENT(3, RELEASE, L),
        EVENT(2, ACQUIRE, L),
        at_site(4, ACCESS(2, READ, Y)),
        EVENT(2, RELEASE, L),
        at_site(2, ACCESS(2, WRITE, X + 8)),
        at_site(2, ACCESS(2, WRITE, X)),
    };

    (void)state;
    darn_leads_site(leads, 0, 0, 1);
    darn_leads_site(leads, 0, 1, 2);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        darn_leads_event(leads, &events[i]);
    assert_string_equal(text_of(darn_leads_get(leads, 0)), "3acq 3rel 2acq 2rel 1@0*1 2@1*2");
    darn_leads_destroy(leads);
}

static void one_site_may_be_both_sides(void **state)
{
    struct darn_leads *leads = darn_leads_create(&no_config, 1, false);
    struct darn_event events[] = {at_site(1, ACCESS(1, WRITE, X)), at_site(1, ACCESS(2, WRITE, X))};

    (void)state;
    darn_leads_site(leads, 0, 0, 1);
    darn_leads_site(leads, 0, 1, 1);
    for (size_t i = 0; i < 2; i++)
        darn_leads_event(leads, &events[i]);
    assert_int_equal(darn_leads_get(leads, 0)->count, 2);
    darn_leads_destroy(leads);
}

static void what_a_lock_keeps_apart_has_no_schedule(void **state)
{
    struct darn_leads *leads = darn_leads_create(&no_config, 1, false);
    struct darn_event events[] = {
        EVENT(1, ACQUIRE, L), at_site(1, ACCESS(1, WRITE, X)), EVENT(1, RELEASE, L),
        EVENT(2, ACQUIRE, L), at_site(2, ACCESS(2, WRITE, X)), EVENT(2, RELEASE, L),
    };

    (void)state;
    darn_leads_site(leads, 0, 0, 1);
    darn_leads_site(leads, 0, 1, 2);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        darn_leads_event(leads, &events[i]);
    assert_int_equal(darn_leads_get(leads, 0)->count, 0);
    darn_leads_destroy(leads);
}

/* Locks, forks, joins and semaphores let it happen, and each thread does what it did. */
static void check_possible(const struct random_trace *trace, const struct darn_lead *lead)
{
    static uint64_t held[TRACE_THREADS][8]; /* by lock: how often */
    size_t at[TRACE_THREADS] = {0};
    bool forked[TRACE_THREADS] = {true};
    uint32_t permits = 0;

    memset(held, 0, sizeof(held));
    for (size_t i = 0; i < lead->count; i++) {
        const struct darn_lead_step *step = &lead->steps[i];
        const struct darn_event *event = NULL;

        assert_true(forked[step->thread] || trace->orphans);
        if (step->kind == DARN_EVENT_NONE)
            continue;
        while (!event) {
            assert_true(at[step->thread] < trace->count);
            if (trace->events[at[step->thread]].thread == step->thread &&
                trace->events[at[step->thread]].kind == step->kind)
                event = &trace->events[at[step->thread]];
            at[step->thread]++;
        }
        if (step->kind == DARN_EVENT_FORK)
            forked[event->target] = true;
        if (step->kind == DARN_EVENT_POST)
            permits++;
        if (step->kind == DARN_EVENT_TAKE)
            assert_true(permits-- > 0);
        if (step->kind == DARN_EVENT_ACQUIRE || step->kind == DARN_EVENT_RELEASE) {
            bool is_rw = event->target >= TRACE_RWLOCK;
            uint64_t lock =
                is_rw ? 4 + (event->target - TRACE_RWLOCK) / 8 : (event->target - TRACE_LOCK) / 8;

            if (step->kind == DARN_EVENT_ACQUIRE) {
                for (uint32_t other = 0; other < TRACE_THREADS; other++) {
                    bool both_read = event->lock == DARN_EVENT_RDLOCK && held[other][lock] == 1;

                    assert_true(other == step->thread || !held[other][lock] || both_read);
                }
            }
            held[step->thread][lock] = step->kind == DARN_EVENT_RELEASE   ? 0
                                       : event->lock == DARN_EVENT_RDLOCK ? 1
                                                                          : 2;
        }
    }
}

/* Waits give their mutex back without a step of its own: such traces are left out. */
static bool has_waits(const struct random_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++)
        if (trace->events[i].kind == DARN_EVENT_WAIT)
            return true;
    return false;
}

static void each_prediction_of_syncp_has_a_schedule_that_is_possible(void **state)
{
    static struct random_trace trace;
    size_t predicted = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct trial trial;
        struct darn_leads *leads;

        make_trace(&trace, seed);
        if (trace.sites || has_waits(&trace))
            continue; /* each access has a site of its own */
        trial = start(&darn_engine_syncp, NULL);
        for (size_t i = 0; i < trace.count; i++)
            give(&trial, trace.events[i]);
        finish(&trial);
        leads = darn_leads_create(&no_config, trial.count + 1, false);
        for (size_t i = 0; i < trial.count; i++)
            for (uint32_t side = 0; side < 2; side++)
                darn_leads_site(leads, i, side, trial.predictions[i].steps[side].event.site);
        for (size_t i = 0; i < trace.count; i++)
            darn_leads_event(leads, &trace.events[i]);
        for (size_t i = 0; i < trial.count; i++) {
            const struct darn_prediction *found = &trial.predictions[i];

            if (!found->steps[0].event.size || !found->steps[1].event.size)
                continue;
            assert_true(darn_leads_get(leads, i)->count >= 2);
            check_possible(&trace, darn_leads_get(leads, i));
            predicted++;
        }
        darn_leads_destroy(leads);
        stop(&trial);
    }
    assert_true(predicted > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_section_that_nobody_needs_is_left_out),
        cmocka_unit_test(a_site_may_touch_several_places),
        cmocka_unit_test(a_third_thread_comes_as_far_as_it_is_needed),
        cmocka_unit_test(one_site_may_be_both_sides),
        cmocka_unit_test(what_a_lock_keeps_apart_has_no_schedule),
        cmocka_unit_test(each_prediction_of_syncp_has_a_schedule_that_is_possible),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
