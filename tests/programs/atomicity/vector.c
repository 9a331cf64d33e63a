#include "vector.h"

#include <stdlib.h>
#include <string.h>

#include "monitor.h"

struct vector *vector_create(int capacity)
{
    struct vector *vector = calloc(1, sizeof(*vector));

    if (!vector || !(vector->elements = calloc((size_t)capacity + 1, sizeof(int))))
        abort();
    monitor_init(&vector->lock);
    vector->capacity = capacity;
    return vector;
}

void vector_destroy(struct vector *vector)
{
    pthread_mutex_destroy(&vector->lock);
    free(vector->elements);
    free(vector);
}

/* The functions that follow, up to the methods, are called with the lock held. */

static void grow_to(struct vector *vector, int capacity)
{
    if (capacity <= vector->capacity)
        return;
    if (capacity < 2 * vector->capacity)
        capacity = 2 * vector->capacity;
    vector->elements = realloc(vector->elements, ((size_t)capacity + 1) * sizeof(int));
    if (!vector->elements)
        abort();
    vector->capacity = capacity;
}

static void make_gap(struct vector *vector, int at, int length)
{
    grow_to(vector, vector->count + length);
    memmove(vector->elements + at + length, vector->elements + at,
            (size_t)(vector->count - at) * sizeof(int));
}

static void close_gap(struct vector *vector, int at, int length)
{
    memmove(vector->elements + at, vector->elements + at + length,
            (size_t)(vector->count - at - length) * sizeof(int));
}

static bool has(struct vector *vector, int at)
{
    return at >= 0 && at < vector->count;
}

/* ---- methods of one vector ---- */

int vector_size(struct vector *vector)
{
    int count;

    monitor_enter(&vector->lock);
    count = vector->count;
    monitor_leave(&vector->lock);
    return count;
}

bool vector_is_empty(struct vector *vector)
{
    return vector_size(vector) == 0;
}

int vector_get(struct vector *vector, int at)
{
    int value;

    monitor_enter(&vector->lock);
    value = has(vector, at) ? vector->elements[at] : 0;
    monitor_leave(&vector->lock);
    return value;
}

int vector_first(struct vector *vector)
{
    return vector_get(vector, 0);
}

int vector_last(struct vector *vector)
{
    int value;

    monitor_enter(&vector->lock);
    value = vector_get(vector, vector->count - 1);
    monitor_leave(&vector->lock);
    return value;
}

int vector_index_of(struct vector *vector, int value)
{
    int at = 0, count;

    monitor_enter(&vector->lock);
    count = vector->count;
    while (at < count && vector->elements[at] != value)
        at++;
    monitor_leave(&vector->lock);
    return at < count ? at : -1;
}

bool vector_contains(struct vector *vector, int value)
{
    return vector_index_of(vector, value) >= 0;
}

int vector_to_array(struct vector *vector, int *array, int size)
{
    monitor_enter(&vector->lock);
    if (size > vector->count)
        size = vector->count;
    memcpy(array, vector->elements, (size_t)size * sizeof(int));
    monitor_leave(&vector->lock);
    return size;
}

void vector_add(struct vector *vector, int value)
{
    monitor_enter(&vector->lock);
    vector->changes++;
    grow_to(vector, vector->count + 1);
    vector->elements[vector->count++] = value;
    monitor_leave(&vector->lock);
}

void vector_insert(struct vector *vector, int at, int value)
{
    monitor_enter(&vector->lock);
    if (at >= 0 && at <= vector->count) {
        vector->changes++;
        make_gap(vector, at, 1);
        vector->elements[at] = value;
        vector->count++;
    }
    monitor_leave(&vector->lock);
}

void vector_set(struct vector *vector, int at, int value)
{
    monitor_enter(&vector->lock);
    if (has(vector, at))
        vector->elements[at] = value;
    monitor_leave(&vector->lock);
}

void vector_remove_at(struct vector *vector, int at)
{
    monitor_enter(&vector->lock);
    if (has(vector, at)) {
        vector->changes++;
        close_gap(vector, at, 1);
        vector->count--;
    }
    monitor_leave(&vector->lock);
}

bool vector_remove(struct vector *vector, int value)
{
    int at;

    monitor_enter(&vector->lock);
    at = vector_index_of(vector, value);
    vector_remove_at(vector, at);
    monitor_leave(&vector->lock);
    return at >= 0;
}

void vector_clear(struct vector *vector)
{
    monitor_enter(&vector->lock);
    vector->changes++;
    vector->count = 0;
    monitor_leave(&vector->lock);
}

void vector_set_size(struct vector *vector, int size)
{
    monitor_enter(&vector->lock);
    vector->changes++;
    if (size > vector->count) {
        grow_to(vector, size);
        memset(vector->elements + vector->count, 0, (size_t)(size - vector->count) * sizeof(int));
    }
    vector->count = size;
    monitor_leave(&vector->lock);
}

void vector_reserve(struct vector *vector, int capacity)
{
    monitor_enter(&vector->lock);
    vector->changes++;
    grow_to(vector, capacity);
    monitor_leave(&vector->lock);
}

void vector_trim(struct vector *vector)
{
    monitor_enter(&vector->lock);
    vector->changes++;
    vector->elements = realloc(vector->elements, ((size_t)vector->count + 1) * sizeof(int));
    if (!vector->elements)
        abort();
    vector->capacity = vector->count;
    monitor_leave(&vector->lock);
}

bool vector_is_sound(struct vector *vector)
{
    bool is_sound;

    monitor_enter(&vector->lock);
    is_sound = vector->count >= 0 && vector->count <= vector->capacity;
    monitor_leave(&vector->lock);
    return is_sound;
}

/* ---- methods of two vectors ---- */

/* If elements are taken out of the other vector after size(), the copy ends with zeros that were
 * never in it; if some are put in, the copy lacks them. (Figure 1 of Wang & Stoller) */
struct vector *vector_copy(struct vector *other)
{
    int count = vector_size(other);
    struct vector *copy = vector_create(count + count / 10);

    vector_to_array(other, copy->elements, copy->capacity);
    copy->count = count;
    return copy;
}

/* Keeps those elements of which the other vector has (or has not) one like it. Each question is one
 * of its own: an element may be judged by another state of that vector than its neighbour. */
static void keep_if(struct vector *vector, struct vector *other, bool contained)
{
    int kept = 0;

    monitor_enter(&vector->lock);
    vector->changes++;
    for (int i = 0; i < vector->count; i++)
        if (vector_contains(other, vector->elements[i]) == contained)
            vector->elements[kept++] = vector->elements[i];
    vector->count = kept;
    monitor_leave(&vector->lock);
}

void vector_remove_all(struct vector *vector, struct vector *other)
{
    keep_if(vector, other, false);
}

void vector_retain_all(struct vector *vector, struct vector *other)
{
    keep_if(vector, other, true);
}

/* True even if the other vector never had these elements at one time. */
bool vector_contains_all(struct vector *vector, struct vector *other)
{
    for (int i = 0; i < vector_size(other); i++)
        if (!vector_contains(vector, vector_get(other, i)))
            return false;
    return true;
}

/* The size is only asked for to make room: whatever else comes is cut off. */
void vector_insert_all(struct vector *vector, int at, struct vector *other)
{
    int length, got;

    monitor_enter(&vector->lock);
    if (at >= 0 && at <= vector->count) {
        vector->changes++;
        length = vector_size(other);
        make_gap(vector, at, length);
        vector->count += length;
        got = vector_to_array(other, vector->elements + at, length);
        close_gap(vector, at + got, length - got);
        vector->count -= length - got;
    }
    monitor_leave(&vector->lock);
}

void vector_add_all(struct vector *vector, struct vector *other)
{
    monitor_enter(&vector->lock);
    vector_insert_all(vector, vector->count, other);
    monitor_leave(&vector->lock);
}

/* An iterator of Java: it takes the lock for each step anew, and notices changes, most of the time:
 * it looks for them without the lock. */
struct walk {
    struct vector *vector;
    int changes;
    int next;
};

static struct walk walk_over(struct vector *vector)
{
    return (struct walk){.vector = vector, .changes = vector->changes};
}

/* 1: there is a next element; 0: there is none; -1: the vector has changed. */
static int walk_on(struct walk *walk, int *value)
{
    if (walk->next >= vector_size(walk->vector))
        return 0;
    if (walk->vector->changes != walk->changes)
        return -1;
    *value = vector_get(walk->vector, walk->next++);
    return 1;
}

int vector_starts_with(struct vector *vector, struct vector *other)
{
    struct walk walk = walk_over(other);
    int value, state, at = 0;
    bool is_same = true;

    monitor_enter(&vector->lock);
    while ((state = walk_on(&walk, &value)) > 0 && is_same) {
        is_same = has(vector, at) && vector->elements[at] == value;
        at++;
    }
    monitor_leave(&vector->lock);
    return state < 0 ? -1 : is_same;
}

int vector_equals(struct vector *vector, struct vector *other)
{
    int starts;

    monitor_enter(&vector->lock);
    starts = vector_starts_with(vector, other);
    if (starts > 0 && vector_size(other) != vector->count)
        starts = 0;
    monitor_leave(&vector->lock);
    return starts;
}
