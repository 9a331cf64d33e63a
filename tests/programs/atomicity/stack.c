#include "stack.h"

#include <stdlib.h>

#include "monitor.h"

struct stack *stack_create(void)
{
    struct stack *stack = calloc(1, sizeof(*stack));

    if (!stack)
        abort();
    stack->items = vector_create(2);
    return stack;
}

void stack_destroy(struct stack *stack)
{
    vector_destroy(stack->items);
    free(stack);
}

void stack_push(struct stack *stack, int value)
{
    vector_add(stack->items, value);
}

int stack_peek(struct stack *stack)
{
    return vector_last(stack->items);
}

/* The lock of the vector is taken again by each of the methods. */
int stack_pop(struct stack *stack)
{
    struct vector *items = stack->items;
    int value;

    monitor_enter(&items->lock);
    value = vector_last(items);
    vector_remove_at(items, vector_size(items) - 1);
    monitor_leave(&items->lock);
    return value;
}

bool stack_is_empty(struct stack *stack)
{
    return vector_is_empty(stack->items);
}

int stack_search(struct stack *stack, int value)
{
    struct vector *items = stack->items;
    int distance = -1;

    monitor_enter(&items->lock);
    for (int i = 0; i < vector_size(items); i++)
        if (vector_get(items, i) == value)
            distance = vector_size(items) - i;
    monitor_leave(&items->lock);
    return distance;
}
