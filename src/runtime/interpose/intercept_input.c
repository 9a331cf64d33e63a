/* Randomness and the process id: the same in each replay of a controlled run. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "runtime/control/inputs.h"
#include "runtime/interpose/intercept.h"

static bool is_controlled(void)
{
    return darn_turn_mine(darn_thread_peek());
}

DARN_INTERCEPT(ssize_t, getrandom, void *bytes, size_t length, unsigned flags)
{
    ssize_t result = DARN_REAL(getrandom)(bytes, length, flags);

    if (result > 0 && is_controlled())
        darn_input(DARN_INPUT_RANDOM, bytes, (size_t)result);
    return result;
}

DARN_INTERCEPT(int, getentropy, void *bytes, size_t length)
{
    int result = DARN_REAL(getentropy)(bytes, length);

    if (result == 0 && is_controlled())
        darn_input(DARN_INPUT_RANDOM, bytes, length);
    return result;
}

DARN_INTERCEPT(uint32_t, arc4random, void)
{
    uint32_t value = DARN_REAL(arc4random)();

    if (is_controlled())
        darn_input(DARN_INPUT_RANDOM, &value, sizeof(value));
    return value;
}

DARN_INTERCEPT(uint32_t, arc4random_uniform, uint32_t bound)
{
    uint32_t value = DARN_REAL(arc4random_uniform)(bound);

    if (is_controlled())
        darn_input(DARN_INPUT_RANDOM, &value, sizeof(value));
    return value;
}

DARN_INTERCEPT(void, arc4random_buf, void *bytes, size_t length)
{
    DARN_REAL(arc4random_buf)(bytes, length);
    if (is_controlled())
        darn_input(DARN_INPUT_RANDOM, bytes, length);
}

/* What the program was told is its id in a replay; 0: it has not asked. */
static pid_t told;

DARN_INTERCEPT(pid_t, getpid, void)
{
    pid_t pid = DARN_REAL(getpid)();

    if (!is_controlled())
        return pid;
    if (!told) {
        told = pid;
        darn_input(DARN_INPUT_PID, &told, sizeof(told));
    }
    return told;
}

/* The other way round, for calls that take an id. */
pid_t darn_real_pid(pid_t pid)
{
    return told && pid == told && is_controlled() ? DARN_REAL(getpid)() : pid;
}
