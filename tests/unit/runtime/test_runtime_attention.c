/* Attention: the lock of the filter, and signals that come while it is held. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/watch/attention.h"
#include "runtime/watch/watch.h"

static volatile sig_atomic_t raises, handled;

/* What attention asks for, with its lock held: the moment for a signal. */
bool __wrap_darn_watch_each(void (*visit)(uintptr_t address, uint32_t size))
{
    (void)visit;
    if (raises)
        raise(SIGUSR1);
    return false;
}

bool __wrap_darn_watch_is_open(void)
{
    return darn_watch_each(NULL);
}

static void spin_in_handler(int number)
{
    (void)number;
    raises = 0;
    darn_attention_refresh();
    handled++;
}

/* A lock that is waited for in vain ends the test by SIGALRM. */
static void comes_through(void (*call)(void))
{
    raises = 1;
    handled = 0;
    alarm(10);
    call();
    alarm(0);
    assert_int_equal(handled, 1);
}

static void invite(void)
{
    darn_attention_invite(1);
}

static void withdraw(void)
{
    darn_attention_withdraw();
}

static void invite_sections(void)
{
    darn_attention_invite_sections(true);
}

static void a_handler_never_waits_for_the_code_that_it_came_into(void **state)
{
    (void)state;
    signal(SIGUSR1, spin_in_handler);
    comes_through(darn_attention_refresh);
    comes_through(invite_sections);
    comes_through(invite);
    comes_through(withdraw);
    comes_through(darn_attention_keep);
    comes_through(darn_attention_always);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handler_never_waits_for_the_code_that_it_came_into),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
