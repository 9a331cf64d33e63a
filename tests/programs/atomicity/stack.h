/*
 * A stack that is a vector, after java.util.Stack of JDK 1.4.2: all methods of the vector but
 * vector_copy can be used on `items`, with the same violations. Its own methods are atomic.
 */
#ifndef ATOMICITY_STACK_H
#define ATOMICITY_STACK_H

#include "vector.h"

struct stack {
    struct vector *items;
};

struct stack *stack_create(void);
void stack_destroy(struct stack *stack);

/* What takes from an empty stack gives 0. */
void stack_push(struct stack *stack, int value);
int stack_pop(struct stack *stack);
int stack_peek(struct stack *stack);
bool stack_is_empty(struct stack *stack);
int stack_search(struct stack *stack, int value); /* how far below the top, from 1; -1: not there */

#endif
