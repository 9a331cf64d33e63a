/*
 * claim: of the methods of a text only append is not atomic: it asks twice for what it copies
 * build: -O1
 * with: text.c
 * expect: benign text_append on length
 * expect: nothing else
 */
#include "pairs.h"
#include "text.h"

#define ONE(name, ...)                                                                             \
    static void call_##name(void *self, void *other)                                               \
    {                                                                                              \
        (void)other;                                                                               \
        text_##name(self, ##__VA_ARGS__);                                                          \
    }

ONE(length)
ONE(capacity)
ONE(char_at, 1)
ONE(index_of, 'o')
ONE(append_string, "s and more")
ONE(insert_string, 1, "mm")
ONE(set_char_at, 1, 'x')
ONE(set_length, 2)
ONE(delete, 1, 3)
ONE(replace, 0, 2, "abc")
ONE(reverse)
ONE(reserve, 64)
#undef ONE

static void call_get_chars(void *self, void *other)
{
    char chars[4];

    (void)other;
    text_get_chars(self, 1, 4, chars);
}

static void call_to_string(void *self, void *other)
{
    (void)other;
    free(text_to_string(self));
}

static void call_append(void *self, void *other)
{
    text_append(self, other);
}

static void call_insert(void *self, void *other)
{
    text_insert(self, 1, other);
}

static void call_equals(void *self, void *other)
{
    text_equals(self, other);
}

#define ONE(name)                                                                                  \
    {                                                                                              \
#name, call_##name, false                                                                  \
    }
#define TWO(name)                                                                                  \
    {                                                                                              \
#name, call_##name, true                                                                   \
    }
static const struct method methods[] = {
    ONE(length),   ONE(capacity),      ONE(char_at),       ONE(get_chars),   ONE(to_string),
    ONE(index_of), ONE(append_string), ONE(insert_string), ONE(set_char_at), ONE(set_length),
    ONE(delete),   ONE(replace),       ONE(reverse),       ONE(reserve),     TWO(append),
    TWO(insert),   TWO(equals),
};

static void *make(int which)
{
    return text_create(which ? "world" : "hello");
}

static bool is_sound(void *object)
{
    return text_is_sound(object);
}

static void destroy(void *object)
{
    text_destroy(object);
}

int main(int argc, char **argv)
{
    static const struct subject subject = {methods, sizeof(methods) / sizeof(methods[0]), make,
                                           is_sound, destroy};

    return run_pairs(&subject, argc, argv);
}
