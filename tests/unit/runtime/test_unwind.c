/* Real stacks: the walk finds what the unwinder of libgcc finds. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/thread/stack.h"
#include "runtime/thread/thread.h"

#define MOST 64

static struct darn_thread thread;
static struct darn_stack quick, whole, copied;
static void *others[MOST];
static int other_count;

static int find_stack(void **state)
{
    pthread_attr_t attributes;
    void *start;
    size_t size;

    (void)state;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &start, &size);
    pthread_attr_destroy(&attributes);
    thread.stack_start = (uintptr_t)start;
    thread.stack_end = (uintptr_t)start + size;
    return 0;
}

/* From the frame of who calls it. */
__attribute__((noinline)) static void look(void)
{
    const void *frame = __builtin_frame_address(0);

    quick.depth = darn_stack_quick(quick.pcs, DARN_STACK_DEPTH, &thread, frame);
    darn_stack_walk(&whole, &thread, frame);
    darn_stack_copy(&copied, &thread, frame);
    other_count = backtrace(others, MOST);
}

/* backtrace has frames before, and of what a signal has interrupted the place itself. */
static void expect_same(const struct darn_stack *stack)
{
    int first = 0;

    while (first < other_count && (uintptr_t)others[first] != stack->pcs[0])
        first++;
    assert_in_range(stack->depth, 4, DARN_STACK_DEPTH);
    for (uint32_t i = 0; i < stack->depth && first + (int)i < other_count; i++) {
        uintptr_t other = (uintptr_t)others[first + (int)i];

        if (stack->pcs[i] != other + 1)
            assert_int_equal(stack->pcs[i], other);
    }
    assert_true(first + (int)stack->depth >= other_count || stack->depth == DARN_STACK_DEPTH);
}

static int compare(const void *a, const void *b)
{
    look();
    return *(const int *)a - *(const int *)b;
}

static void a_callback_of_libc_leads_back_to_who_has_called_it(void **state)
{
    int numbers[] = {3, 1, 2};

    (void)state;
    qsort(numbers, 3, sizeof(numbers[0]), compare);
    expect_same(&quick);
    expect_same(&whole);
    expect_same(&copied);
}

static void handle(int number)
{
    (void)number;
    look();
}

static void a_handler_leads_back_to_what_the_signal_has_interrupted(void **state)
{
    struct sigaction action = {.sa_handler = handle};

    (void)state;
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    expect_same(&whole);
    expect_same(&copied);
}

static void so_does_one_on_a_stack_of_its_own(void **state)
{
    static char room[1 << 18];
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)}, before;

    (void)state;
    sigaltstack(&stack, &before);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    sigaltstack(&before, NULL);
    expect_same(&whole);
    expect_same(&copied);
    assert_int_equal(quick.depth, 1); /* it makes no system call */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_callback_of_libc_leads_back_to_who_has_called_it),
        cmocka_unit_test(a_handler_leads_back_to_what_the_signal_has_interrupted),
        cmocka_unit_test(so_does_one_on_a_stack_of_its_own),
    };

    return cmocka_run_group_tests(tests, find_stack, NULL);
}
