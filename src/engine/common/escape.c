#include "engine/common/escape.h"

#include <stdlib.h>

#include "engine/common/blocks.h"
#include "base/grow.h"
#include "engine/common/pointers.h"
#include "engine/common/threads.h"

#define NOBODY UINT32_MAX /* the thread of a block that has escaped */

/* A stack of which this many pieces have escaped has escaped as a whole. */
#define PIECES 64

struct piece {
    uint64_t start, size;
};

struct stack {
    uint64_t start, size; /* 0: not known */
    uint32_t list;        /* pointers that are stored in it */
    uint32_t count;
    struct piece escaped[PIECES];
};

/* What is about to escape. */
struct target {
    uint64_t value;
    uint32_t size;
    uint32_t thread; /* that stored the pointer to it */
};

struct darn_escape {
    struct darn_blocks *blocks;
    struct darn_pointers pointers;
    struct darn_threads threads;
    struct stack **stacks; /* by index of the thread; NULL: not known */
    size_t stack_capacity, stack_count;
    struct target *targets;
    size_t target_count, target_capacity;
    uint32_t taken_from; /* the thread of the object whose pointers are being followed */
};

struct darn_escape *darn_escape_create(void)
{
    struct darn_escape *escape = calloc(1, sizeof(*escape));

    if (!escape)
        return NULL;
    escape->blocks = darn_blocks_create();
    if (!escape->blocks) {
        free(escape);
        return NULL;
    }
    darn_pointers_init(&escape->pointers);
    return escape;
}

void darn_escape_destroy(struct darn_escape *escape)
{
    if (!escape)
        return;
    for (size_t i = 0; i < escape->stack_capacity; i++)
        free(escape->stacks[i]);
    free(escape->stacks);
    free(escape->targets);
    darn_threads_free(&escape->threads);
    darn_pointers_free(&escape->pointers);
    darn_blocks_destroy(escape->blocks);
    free(escape);
}

/* The stack of the thread, if the address is in it. */
static struct stack *stack_with(const struct darn_escape *escape, uint64_t address, uint32_t thread)
{
    uint32_t known = darn_threads_find(&escape->threads, thread);
    struct stack *stack = known ? escape->stacks[known - 1] : NULL;

    return stack && address - stack->start < stack->size ? stack : NULL;
}

static bool has_escaped_on(const struct stack *stack, uint64_t address)
{
    for (uint32_t i = 0; i < stack->count; i++) {
        if (address - stack->escaped[i].start < stack->escaped[i].size)
            return true;
    }
    return false;
}

static void add_target(struct darn_escape *escape, struct target target)
{
    escape->targets = darn_grow(escape->targets, &escape->target_capacity, escape->target_count + 1,
                                sizeof(*escape->targets));
    escape->targets[escape->target_count++] = target;
}

static void follow(void *context, const struct darn_pointer *pointer)
{
    struct darn_escape *escape = context;

    add_target(escape, (struct target){pointer->value, pointer->size, escape->taken_from});
}

static void let_go(struct darn_escape *escape, uint32_t *list, uint64_t start, uint64_t size,
                   uint32_t thread)
{
    escape->taken_from = thread;
    darn_pointers_take(&escape->pointers, list, start, size, follow, escape);
}

static void block_escapes(struct darn_escape *escape, struct darn_block *block)
{
    uint32_t thread = block->thread;

    block->thread = NOBODY;
    let_go(escape, &block->list, 0, UINT64_MAX, thread);
}

/* Both ends of the piece are within the stack; what the event says may be anything. */
static struct piece piece_of(const struct stack *stack, const struct target *target)
{
    uint64_t room = stack->size - (target->value - stack->start);
    uint64_t size = target->size ? target->size : 1;

    return (struct piece){target->value, size < room ? size : room};
}

static void piece_escapes(struct darn_escape *escape, struct stack *stack,
                          const struct target *target)
{
    struct piece piece = piece_of(stack, target);

    for (uint32_t i = 0; i < stack->count; i++) {
        const struct piece *known = &stack->escaped[i];

        if (piece.start - known->start < known->size &&
            piece.size <= known->size - (piece.start - known->start))
            return;
    }
    if (stack->count == PIECES) {
        stack->count = 0;
        piece = (struct piece){stack->start, stack->size};
    }
    stack->escaped[stack->count++] = piece;
    let_go(escape, &stack->list, piece.start, piece.size, target->thread);
}

/* Whatever can be reached from the targets by known pointers. */
static void targets_escape(struct darn_escape *escape)
{
    while (escape->target_count) {
        struct target target = escape->targets[--escape->target_count];
        struct stack *stack = stack_with(escape, target.value, target.thread);
        struct darn_block *block = stack ? NULL : darn_blocks_at(escape->blocks, target.value);

        if (stack)
            piece_escapes(escape, stack, &target);
        else if (block && block->thread != NOBODY)
            block_escapes(escape, block);
    }
}

/* Another thread has come to the block. */
static void block_is_met(struct darn_escape *escape, struct darn_block *block)
{
    block_escapes(escape, block);
    targets_escape(escape);
}

bool darn_escape_has(struct darn_escape *escape, uint64_t address, uint32_t thread)
{
    const struct stack *stack = stack_with(escape, address, thread);
    struct darn_block *block;

    if (stack)
        return has_escaped_on(stack, address);
    block = darn_blocks_at(escape->blocks, address);
    if (!block || block->thread == NOBODY)
        return true;
    if (block->thread == thread)
        return false;
    block_is_met(escape, block);
    return true;
}

/* A pointer is stored: in memory of the thread's own it is remembered, anywhere else what it points
 * to escapes. */
static void on_pointer(struct darn_escape *escape, const struct darn_event *event)
{
    struct darn_pointer pointer = {.at = event->target, .value = event->extra, .size = event->size};
    struct stack *stack = stack_with(escape, event->target, event->thread);
    struct darn_block *block;

    if (!darn_escape_has(escape, event->target, event->thread)) {
        block = stack ? NULL : darn_blocks_at(escape->blocks, event->target);
        pointer.holder = stack ? stack->start : block->start;
        darn_pointers_put(&escape->pointers, stack ? &stack->list : &block->list, &pointer);
        return;
    }
    add_target(escape, (struct target){event->extra, event->size, event->thread});
    targets_escape(escape);
}

static void drop_stack(struct darn_escape *escape, uint32_t thread)
{
    uint32_t known = darn_threads_find(&escape->threads, thread);
    struct stack *stack = known ? escape->stacks[known - 1] : NULL;

    if (!stack)
        return;
    darn_pointers_take(&escape->pointers, &stack->list, 0, UINT64_MAX, NULL, NULL);
    free(stack);
    escape->stacks[known - 1] = NULL;
    escape->stack_count--;
}

static void on_stack(struct darn_escape *escape, const struct darn_event *event)
{
    uint32_t index = darn_threads_index(&escape->threads, event->thread);
    struct stack *stack;

    escape->stacks = darn_grow(escape->stacks, &escape->stack_capacity, (size_t)index + 1,
                               sizeof(struct stack *));
    drop_stack(escape, event->thread);
    stack = darn_need_memory(calloc(1, sizeof(*stack)));
    stack->start = event->target;
    stack->size = event->extra;
    escape->stacks[index] = stack;
    escape->stack_count++;
}

static void drop_block(struct darn_escape *escape, uint64_t start)
{
    uint32_t list = darn_blocks_remove(escape->blocks, start);

    darn_pointers_take(&escape->pointers, &list, 0, UINT64_MAX, NULL, NULL);
}

/* Not every FREE is recorded: blocks that were there before are gone. */
static void make_room(struct darn_escape *escape, const struct darn_event *event)
{
    const struct darn_block *block;

    drop_block(escape, event->target);
    while ((block = darn_blocks_overlapping(escape->blocks, event->target, event->extra)))
        drop_block(escape, block->start);
}

void darn_escape_event(struct darn_escape *escape, const struct darn_event *event)
{
    switch (event->kind) {
    case DARN_EVENT_ALLOC:
        make_room(escape, event);
        darn_blocks_add(escape->blocks, event->target, event->extra, event->thread);
        break;
    case DARN_EVENT_FREE:
        drop_block(escape, event->target);
        break;
    case DARN_EVENT_STACK:
        on_stack(escape, event);
        break;
    case DARN_EVENT_POINTER:
        on_pointer(escape, event);
        break;
    case DARN_EVENT_EXIT:
        drop_stack(escape, event->thread);
        break;
    default:
        break;
    }
}

size_t darn_escape_memory(const struct darn_escape *escape)
{
    return sizeof(*escape) + darn_blocks_memory(escape->blocks) +
           darn_pointers_memory(&escape->pointers) + darn_threads_memory(&escape->threads) +
           escape->stack_capacity * sizeof(struct stack *) +
           escape->stack_count * sizeof(struct stack) +
           escape->target_capacity * sizeof(*escape->targets);
}
