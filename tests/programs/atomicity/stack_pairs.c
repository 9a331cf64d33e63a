/*
 * claim: a stack has the violations of the vector that it is made of, and none of its own
 * build: -O1
 * with: stack.c vector.c
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
#include "stack.h"

/* The driver hands vectors around; whoever needs the stack makes one of it. */
#define OWN(name, ...)                                                                             \
    static void call_##name(void *self, void *other)                                               \
    {                                                                                              \
        struct stack stack = {self};                                                               \
                                                                                                   \
        (void)other;                                                                               \
        stack_##name(&stack, ##__VA_ARGS__);                                                       \
    }

OWN(push, 9)
OWN(pop)
OWN(peek)
OWN(search, 2)
#undef OWN

static const struct method methods[] = {VECTOR_METHODS, ONE(push), ONE(pop), ONE(peek),
                                        ONE(search)};

static void *make(int which)
{
    struct stack *stack = stack_create();
    struct vector *items = stack->items;

    fill_vector(items, which);
    free(stack);
    return items;
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
