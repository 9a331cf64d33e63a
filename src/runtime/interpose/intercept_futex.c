/*
 * System calls of the program's own. The futex: libstdc++ makes it for futures, atomic waits,
 * semaphores, latches and barriers; in a controlled run the waiting is ours. Filters on system
 * calls, which are ours to obey, too. And the end of a thread that tells nobody else.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/control/vtime.h"
#include "runtime/interpose/filter.h"
#include "runtime/interpose/intercept.h"
#include "runtime/watch/sampler.h"

struct awaited {
    const volatile uint32_t *word;
    uint32_t value;
    const struct darn_object *object;
    uint32_t version; /* a wake changes it, whatever the word is */
};

static bool is_over(void *argument)
{
    const struct awaited *awaited = argument;

    return *awaited->word != awaited->value || awaited->object->version != awaited->version;
}

/* FUTEX_WAIT takes a span, FUTEX_WAIT_BITSET a moment. */
static uint64_t deadline_of(long operation, const struct timespec *time)
{
    if (!time)
        return DARN_NO_DEADLINE;
    if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT)
        return darn_vtime_after(time);
    return darn_vtime_of(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, time);
}

static long wait_for_wake(struct darn_slot *slot, const volatile uint32_t *word, long operation,
                          uint32_t value, const struct timespec *time, const void *frame)
{
    struct awaited awaited = {.word = word, .value = value, .object = darn_object(word)};

    if (*word != value) {
        errno = EAGAIN;
        return -1;
    }
    awaited.version = awaited.object->version;
    if (darn_turn_call(slot, word, is_over, &awaited, deadline_of(operation, time), frame))
        return 0;
    errno = ETIMEDOUT;
    return -1;
}

/* The thread ends here and now. The last one that does so gives the process its exit status: that
 * must not be ours. */
static void end_thread(void)
{
    darn_thread_end();
    darn_sampler_stop();
}

DARN_INTERCEPT(long, syscall, long number, ...)
{
    struct darn_slot *slot = darn_turn_mine(darn_thread_peek());
    va_list list;
    long a, b, c, d, e, f, command;

    va_start(list, number);
    a = va_arg(list, long);
    b = va_arg(list, long);
    c = va_arg(list, long);
    d = va_arg(list, long);
    e = va_arg(list, long);
    f = va_arg(list, long);
    va_end(list);
    darn_filter_notice(number, a, b);
    if (number == SYS_exit)
        end_thread();
    command = b & FUTEX_CMD_MASK;
    if (slot && number == SYS_futex && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET))
        return wait_for_wake(slot, (const volatile uint32_t *)a, b, (uint32_t)c,
                             (const struct timespec *)d, __builtin_frame_address(0));
    if (slot && number == SYS_futex && (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET)) {
        darn_turn_pass(slot, DARN_STEP_SIGNAL, (const volatile void *)a,
                       __builtin_frame_address(0));
        darn_turn_changed(darn_object((const volatile void *)a));
    }
    return DARN_REAL(syscall)(number, a, b, c, d, e, f);
}

DARN_INTERCEPT(int, prctl, int option, ...)
{
    va_list list;
    long a, b, c, d;

    va_start(list, option);
    a = va_arg(list, long);
    b = va_arg(list, long);
    c = va_arg(list, long);
    d = va_arg(list, long);
    va_end(list);
    darn_filter_notice(SYS_prctl, option, a);
    return DARN_REAL(prctl)(option, a, b, c, d);
}
