/* The methods of a vector for the driver; a stack has them, too. */
#ifndef ATOMICITY_VECTOR_METHODS_H
#define ATOMICITY_VECTOR_METHODS_H

#include "pairs.h"
#include "vector.h"

#define ONE(name, ...)                                                                             \
    static void call_##name(void *self, void *other)                                               \
    {                                                                                              \
        (void)other;                                                                               \
        vector_##name(self, ##__VA_ARGS__);                                                        \
    }

ONE(size)
ONE(is_empty)
ONE(get, 1)
ONE(first)
ONE(last)
ONE(index_of, 3)
ONE(contains, 3)
ONE(add, 9)
ONE(insert, 1, 9)
ONE(set, 1, 9)
ONE(remove_at, 1)
ONE(remove, 3)
ONE(clear)
ONE(set_size, 2)
ONE(reserve, 64)
ONE(trim)
#undef ONE

static void call_to_array(void *self, void *other)
{
    int array[8];

    (void)other;
    vector_to_array(self, array, 8);
}

static void call_insert_all(void *self, void *other)
{
    vector_insert_all(self, 1, other);
}

#define TWO(name)                                                                                  \
    static void call_##name(void *self, void *other)                                               \
    {                                                                                              \
        vector_##name(self, other);                                                                \
    }

TWO(remove_all)
TWO(retain_all)
TWO(contains_all)
TWO(add_all)
TWO(equals)
TWO(starts_with)
#undef TWO

#define ONE(name)                                                                                  \
    {                                                                                              \
#name, call_##name, false                                                                  \
    }
#define TWO(name)                                                                                  \
    {                                                                                              \
#name, call_##name, true                                                                   \
    }
#define VECTOR_METHODS                                                                             \
    ONE(size), ONE(is_empty), ONE(get), ONE(first), ONE(last), ONE(index_of), ONE(contains),       \
        ONE(to_array), ONE(add), ONE(insert), ONE(set), ONE(remove_at), ONE(remove), ONE(clear),   \
        ONE(set_size), ONE(reserve), ONE(trim), TWO(remove_all), TWO(retain_all),                  \
        TWO(contains_all), TWO(add_all), TWO(insert_all), TWO(equals), TWO(starts_with)

/* 1 2 3 4 and 1 2 3 5: alike for some steps. */
static void fill_vector(struct vector *vector, int which)
{
    for (int i = 1; i <= 3; i++)
        vector_add(vector, i);
    vector_add(vector, 4 + which);
}

static bool is_sound(void *object)
{
    return vector_is_sound(object);
}

#endif
