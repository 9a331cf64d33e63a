/* Which places share memory, and with what: the same as the definition, tried pair by pair, on
 * thousands of random traces. */
#include "engine_fixture.h"
#include "random_trace.h"
#include "slow_races.h"

#include "engine/atomicity/shared.h"

#define TRACES 10000

static struct random_trace trace;
static struct slow slow;

/* Whether i happens before what thread of j has done or learnt before j. */
static bool is_ordered(size_t i, size_t j)
{
    for (size_t k = j; k-- > 0;) {
        if (trace.events[k].thread == trace.events[j].thread)
            return k == i || happens_before(&slow, i, k);
    }
    for (size_t k = j; k-- > 0;) {
        if (trace.events[k].kind == DARN_EVENT_FORK &&
            trace.events[k].target == trace.events[j].thread &&
            (k == i || happens_before(&slow, i, k)))
            return true;
    }
    return false;
}

static bool have_byte(size_t i, size_t j, uint64_t byte)
{
    if (!touches(&trace.events[i], byte) || !touches(&trace.events[j], byte))
        return false;
    for (size_t k = i + 1; k < j; k++) {
        if (renews(&trace.events[k], byte))
            return false;
    }
    return true;
}

static bool is_half(size_t i)
{
    return trace.events[i].flags & DARN_EVENT_HALF;
}

static bool is_pair(size_t i, size_t j)
{
    if (trace.events[i].thread == trace.events[j].thread || is_half(i) || is_half(j) ||
        !(darn_event_writes(&trace.events[i]) || darn_event_writes(&trace.events[j])) ||
        (is_ordered(i, j) && !kept_apart(&slow, i, j)))
        return false;
    for (uint64_t byte = TRACE_MEMORY; byte < TRACE_MEMORY + TRACE_BYTES; byte++) {
        if (have_byte(i, j, byte))
            return true;
    }
    return false;
}

/* Some writes stand for reads, too. */
static bool reads_too(uint32_t site)
{
    return site % 5 == 2;
}

static uint8_t does(const struct darn_event *event)
{
    if (event->kind == DARN_EVENT_READ)
        return DARN_ALLOW_READ;
    return event->kind == DARN_EVENT_UPDATE || reads_too(event->site) ? DARN_ALLOW_ALL
                                                                      : DARN_ALLOW_WRITE;
}

/* What harms anybody. The context is the seed. */
static uint8_t all_harm(uint64_t seed)
{
    return seed % 5 ? DARN_ALLOW_ALL : 1 + seed % 3;
}

/* Each site is harmed by something else, and of each seventh one nobody asks. */
static struct darn_shared_place most_sites(void *context, uint32_t site)
{
    uint64_t seed = *(uint64_t *)context;
    uint32_t wants = seed % 2 ? DARN_ALLOW_ALL : (uint32_t)(seed / 2 + site) % 4;

    return (struct darn_shared_place){.number = site % 7 == 3 ? 0 : site,
                                      .harm = (uint8_t)(wants & all_harm(seed)),
                                      .reads = reads_too(site)};
}

/* What harms each site: every pair, by the definition. */
static void find_harm(uint8_t harm[TRACE_EVENTS + 1])
{
    static const struct darn_engine_config defaults;

    find_slowly(&slow, &trace, &defaults, true);
    for (size_t j = 0; j < trace.count; j++) {
        for (size_t i = 0; i < j; i++) {
            if (!is_pair(i, j))
                continue;
            harm[trace.events[i].site] |= does(&trace.events[j]);
            harm[trace.events[j].site] |= does(&trace.events[i]);
        }
    }
}

/* Counts what harms a place, by what it is: found[0] are those that nothing harms. */
static void compare(uint64_t seed, size_t found[4], uint64_t *dropped)
{
    struct darn_shared *shared = darn_shared_create(most_sites, &seed, all_harm(seed));
    uint8_t expected[TRACE_EVENTS + 1] = {0};

    assert_non_null(shared);
    find_harm(expected);
    for (size_t i = 0; i < trace.count; i++)
        darn_shared_event(shared, &trace.events[i]);
    *dropped += darn_shared_cost(shared).dropped;
    for (uint32_t site = 1; site <= TRACE_EVENTS; site++) {
        struct darn_shared_place place = most_sites(&seed, site);
        uint8_t wanted = place.number ? expected[site] & place.harm : 0;

        found[wanted]++;
        if (wanted != darn_shared_by(shared, site))
            fail_msg("seed %llu: site %u is shared by %u, not %u", (unsigned long long)seed, site,
                     wanted, darn_shared_by(shared, site));
    }
    darn_shared_destroy(shared);
}

static void places_are_those_of_the_definition(void **state)
{
    size_t found[4] = {0};
    uint64_t dropped = 0;

    (void)state;
    for (uint64_t seed = 0; seed < TRACES; seed++) {
        make_trace(&trace, seed);
        compare(seed, found, &dropped);
    }
    for (int i = 0; i < 4; i++)
        assert_true(found[i] > TRACES / 2);
    assert_int_equal(dropped, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_those_of_the_definition),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
