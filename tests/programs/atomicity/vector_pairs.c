/*
 * claim: methods of a vector that call two methods of another one are not atomic, the others are
 * build: -O1
 * with: vector.c
 * expect: bug vector_copy on count
 * expect: bug vector_remove_all on count
 * expect: bug vector_retain_all on count
 * expect: bug vector_contains_all on count
 * expect: benign vector_add_all on count
 * expect: benign vector_insert_all on count
 * expect: benign vector_equals on changes, count
 * expect: benign vector_starts_with on changes, count
 * expect: nothing else
 * race: changes
 */
#include "vector_methods.h"

static void call_copy(void *self, void *other)
{
    (void)self;
    vector_destroy(vector_copy(other));
}

static const struct method methods[] = {VECTOR_METHODS, TWO(copy)};

static void *make(int which)
{
    struct vector *vector = vector_create(4);

    fill_vector(vector, which);
    return vector;
}

static void destroy(void *object)
{
    vector_destroy(object);
}

int main(int argc, char **argv)
{
    static const struct subject subject = {methods, sizeof(methods) / sizeof(methods[0]), make,
                                           is_sound, destroy};

    return run_pairs(&subject, argc, argv);
}
