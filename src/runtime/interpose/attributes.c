#define _GNU_SOURCE
#include "runtime/interpose/attributes.h"

#include <sched.h>
#include <signal.h>
#include <string.h>

/* Where no address was given, libc makes one of the size alone. */
static uintptr_t stack_of(const pthread_attr_t *attributes, size_t *size)
{
    void *start = NULL;

    *size = 0;
    pthread_attr_getstack(attributes, &start, size);
    if ((uintptr_t)start + *size)
        return (uintptr_t)start;
    pthread_attr_getstacksize(attributes, size);
    return 0;
}

uintptr_t darn_attributes_stack(const pthread_attr_t *attributes, size_t *size)
{
    pthread_attr_t usual;
    uintptr_t start;

    if (attributes)
        return stack_of(attributes, size);
    pthread_attr_init(&usual);
    start = stack_of(&usual, size);
    pthread_attr_destroy(&usual);
    return start;
}

static void copy_stack(const pthread_attr_t *from, pthread_attr_t *to)
{
    size_t size;
    uintptr_t start = stack_of(from, &size);

    if (start)
        pthread_attr_setstack(to, (void *)start, size);
    else
        pthread_attr_setstacksize(to, size);
    if (pthread_attr_getguardsize(from, &size) == 0)
        pthread_attr_setguardsize(to, size);
}

/* "All processors" is what libc says where none were given. */
static void copy_processors(const pthread_attr_t *from, pthread_attr_t *to)
{
    cpu_set_t set, all;

    memset(&all, 0xff, sizeof(all));
    if (pthread_attr_getaffinity_np(from, sizeof(set), &set) == 0 && !CPU_EQUAL(&set, &all))
        pthread_attr_setaffinity_np(to, sizeof(set), &set);
}

static void copy_scheduling(const pthread_attr_t *from, pthread_attr_t *to)
{
    struct sched_param parameters;
    int value;

    if (pthread_attr_getinheritsched(from, &value) == 0)
        pthread_attr_setinheritsched(to, value);
    if (pthread_attr_getschedpolicy(from, &value) == 0)
        pthread_attr_setschedpolicy(to, value);
    if (pthread_attr_getschedparam(from, &parameters) == 0)
        pthread_attr_setschedparam(to, &parameters);
    if (pthread_attr_getscope(from, &value) == 0)
        pthread_attr_setscope(to, value);
}

bool darn_attributes_without_signals(const pthread_attr_t *attributes, pthread_attr_t *copy,
                                     uint64_t *mask)
{
    sigset_t set;
    int value;

    if (!attributes || pthread_attr_getsigmask_np(attributes, &set) || pthread_attr_init(copy))
        return false;
    memcpy(mask, &set, sizeof(*mask)); /* the kernel's sixty-four come first */
    if (pthread_attr_getdetachstate(attributes, &value) == 0)
        pthread_attr_setdetachstate(copy, value);
    copy_stack(attributes, copy);
    copy_processors(attributes, copy);
    copy_scheduling(attributes, copy);
    return true;
}
