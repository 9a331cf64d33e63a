/*
 * The driver of Wang & Stoller, figure 6: for each two methods two new objects, and two threads
 * that call one method each, on the one and on the other. A method that takes another object is
 * given the other one of the two. Two such methods are no pair: they could deadlock.
 *
 * Everything here is static: only the methods are transactions. The objects live to the end, so
 * that no pair has memory in common with another one.
 */
#ifndef ATOMICITY_PAIRS_H
#define ATOMICITY_PAIRS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct method {
    const char *name;
    void (*call)(void *self, void *other);
    bool takes_other;
};

struct subject {
    const struct method *methods;
    int count;
    void *(*make)(int which); /* 0 or 1: the two have some elements in common */
    bool (*is_sound)(void *object);
    void (*destroy)(void *object);
};

struct call {
    const struct method *method;
    void *self, *other;
};

static void *run_call(void *arg)
{
    struct call *call = arg;

    call->method->call(call->self, call->other);
    return NULL;
}

static bool run_pair(const struct subject *subject, int first, int second, void **objects)
{
    struct call calls[2];
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        objects[i] = subject->make(i);
    for (int i = 0; i < 2; i++) {
        calls[i].method = &subject->methods[i ? second : first];
        calls[i].self = objects[i];
        calls[i].other = objects[1 - i];
        pthread_create(&threads[i], NULL, run_call, &calls[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (subject->is_sound(objects[0]) && subject->is_sound(objects[1]))
        return true;
    fprintf(stderr, "%s and %s leave an object that is not sound\n", subject->methods[first].name,
            subject->methods[second].name);
    return false;
}

static bool is_chosen(const struct method *method, const char *name)
{
    return !name || strcmp(method->name, name) == 0;
}

/* The whole program: all pairs, or those of the one or two methods that are named. */
static int run_pairs(const struct subject *subject, int argc, char **argv)
{
    const struct method *methods = subject->methods;
    size_t most = 2 * (size_t)subject->count * (size_t)subject->count, used = 0;
    void **objects = calloc(most, sizeof(*objects));
    int pairs = 0, failed = 0;

    for (int i = 0; objects && i < subject->count; i++) {
        for (int j = 0; j < subject->count; j++) {
            if ((methods[i].takes_other && methods[j].takes_other) ||
                !is_chosen(&methods[i], argc > 1 ? argv[1] : NULL) ||
                !is_chosen(&methods[j], argc > 2 ? argv[2] : NULL))
                continue;
            failed += !run_pair(subject, i, j, objects + used);
            used += 2;
            pairs++;
        }
    }
    for (size_t i = 0; i < used; i++)
        subject->destroy(objects[i]);
    free(objects);
    printf("%d pairs of methods\n", pairs);
    return failed > 0 || pairs == 0;
}

#endif
