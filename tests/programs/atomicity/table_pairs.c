/*
 * claim: the methods that walk over another hash table are not atomic, the others are
 * build: -O1
 * with: table.c
 * expect: benign table_copy on changes, count
 * expect: benign table_put_all on changes
 * expect: benign table_remove_all on changes
 * expect: benign table_equals on changes, count
 * expect: nothing else
 * race: changes
 */
#include "pairs.h"
#include "table.h"

#define ONE(name, ...)                                                                             \
    static void call_##name(void *self, void *other)                                               \
    {                                                                                              \
        (void)other;                                                                               \
        table_##name(self, ##__VA_ARGS__);                                                         \
    }

ONE(size)
ONE(is_empty)
ONE(get, 2)
ONE(contains_key, 2)
ONE(contains_value, 30)
ONE(hash)
ONE(put, 9, 90)
ONE(remove, 2)
ONE(clear)
ONE(rehash)
#undef ONE

static void call_put_again(void *self, void *other)
{
    (void)other;
    table_put(self, 2, 21);
}

static void call_copy(void *self, void *other)
{
    struct table *copy = table_copy(other);

    (void)self;
    if (copy)
        table_destroy(copy);
}

#define TWO(name)                                                                                  \
    static void call_##name(void *self, void *other)                                               \
    {                                                                                              \
        table_##name(self, other);                                                                 \
    }

TWO(put_all)
TWO(remove_all)
TWO(equals)
#undef TWO

#define ONE(name)                                                                                  \
    {                                                                                              \
#name, call_##name, false                                                                  \
    }
#define TWO(name)                                                                                  \
    {                                                                                              \
#name, call_##name, true                                                                   \
    }
static const struct method methods[] = {
    ONE(size),      ONE(is_empty), ONE(get),    ONE(contains_key), ONE(contains_value),
    ONE(hash),      ONE(put),      ONE(remove), ONE(clear),        ONE(rehash),
    ONE(put_again), TWO(copy),     TWO(equals), TWO(put_all),      TWO(remove_all),
};

/* 1 2 3 4 and 1 2 3 5. */
static void *make(int which)
{
    struct table *table = table_create(3);

    for (int key = 1; key <= 3; key++)
        table_put(table, key, 10 * key);
    table_put(table, 4 + which, 40);
    return table;
}

static bool is_sound(void *object)
{
    return table_is_sound(object);
}

static void destroy(void *object)
{
    table_destroy(object);
}

int main(int argc, char **argv)
{
    static const struct subject subject = {methods, sizeof(methods) / sizeof(methods[0]), make,
                                           is_sound, destroy};

    return run_pairs(&subject, argc, argv);
}
