/* Which places touch the same memory from different threads, over STD traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/atomicity/partners.h"
#include "trace/trace.h"

static char said[1024];
static struct darn_trace *trace;

static void say(void *context, uint32_t one, uint32_t other)
{
    (void)context;
    snprintf(said + strlen(said), sizeof(said) - strlen(said), "%u-%u ",
             darn_trace_site(trace, one)->line, darn_trace_site(trace, other)->line);
}

static const char *partners_of(const char *text)
{
    struct darn_partners *partners = darn_partners_create();
    char error[256] = "";
    struct darn_event event;

    trace = darn_trace_open_memory("test", text, strlen(text), false, error, sizeof(error));
    if (!trace)
        fail_msg("%s", error);
    while (darn_trace_next(trace, &event) > 0)
        darn_partners_event(partners, &event);
    said[0] = '\0';
    darn_partners_each(partners, say, NULL);
    darn_partners_destroy(partners);
    darn_trace_close(trace);
    return said;
}

static void places_of_two_threads_are_partners(void **state)
{
    (void)state;
    assert_string_equal(partners_of("T1|r(x)|1\nT2|w(x)|2\n"), "2-1 1-2 ");
}

static void one_place_may_be_its_own(void **state)
{
    (void)state;
    assert_string_equal(partners_of("T1|w(x)|1\nT2|w(x)|1\n"), "1-1 ");
}

static void places_of_one_thread_or_of_other_memory_are_none(void **state)
{
    (void)state;
    assert_string_equal(partners_of("T1|r(x)|1\nT1|w(x)|2\n"), "");
    assert_string_equal(partners_of("T1|r(x)|1\nT2|w(y)|2\n"), "");
}

static void each_pair_is_told_once(void **state)
{
    (void)state;
    assert_string_equal(partners_of("T1|r(x)|1\nT2|w(x)|2\nT1|r(x)|1\nT2|w(x)|2\nT3|r(x)|1\n"),
                        "2-1 1-2 1-1 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_of_two_threads_are_partners),
        cmocka_unit_test(one_place_may_be_its_own),
        cmocka_unit_test(places_of_one_thread_or_of_other_memory_are_none),
        cmocka_unit_test(each_pair_is_told_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
