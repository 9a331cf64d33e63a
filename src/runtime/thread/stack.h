/* Call stacks. A step costs some nanoseconds once its place in the code is known (unwind.h). */
#ifndef DARN_RUNTIME_STACK_H
#define DARN_RUNTIME_STACK_H

#include <stdbool.h>
#include <stdint.h>

#define DARN_STACK_DEPTH 24

struct darn_stack {
    uint32_t depth;
    uintptr_t pcs[DARN_STACK_DEPTH];
};

struct darn_thread;

/*
 * Walks from a frame of the calling thread, which must be live, to the first function of the
 * thread: by call frame information where there is some, else by frame pointers (unwind.h). A step
 * never leads downwards, so wrong information ends the walk but cannot lead it in circles. Another
 * stack (a coroutine's, a signal handler's) is read by system calls.
 */
void darn_stack_walk(struct darn_stack *stack, const struct darn_thread *thread, const void *frame);

/* In the place of the caller's frame, where a frame was made up for what has no stack any more: the
 * address behind it is the whole stack. No register of a program points there. */
extern const char darn_stack_alone;
#define DARN_STACK_ALONE ((uintptr_t)&darn_stack_alone)

/* The same into a list with room for `depth` addresses; returns how many it has filled. */
uint32_t darn_stack_walk_into(uintptr_t *pcs, uint32_t depth, const struct darn_thread *thread,
                              const void *frame);

/* The same without a system call, for what happens often: on another stack it is one frame long. */
uint32_t darn_stack_quick(uintptr_t *pcs, uint32_t depth, const struct darn_thread *thread,
                          const void *frame);

/* The same for another thread that was in the frame a moment ago: its stack may be gone by now, and
 * the walk ends where it is. */
void darn_stack_copy(struct darn_stack *stack, const struct darn_thread *thread, const void *frame);

/* From where a signal has interrupted the calling thread. Its stack may have overflowed, or be
 * overwritten. The first place is one more than the program counter, as if it were a return
 * address. */
struct darn_stack_registers {
    uintptr_t pc, sp, bp;
    bool is_lost; /* it has called what is no function: the caller is the first */
};
uint32_t darn_stack_interrupted(uintptr_t *pcs, uint32_t depth, const struct darn_thread *thread,
                                const struct darn_stack_registers *registers);

/* Whether a jump of the thread to the stack pointer `to` leaves `frame`. A signal handler may have
 * a stack of its own, and jump there as it likes. */
bool darn_stack_is_left(const struct darn_thread *thread, uintptr_t frame, uintptr_t to);

/* Loads the unwinder of libgcc, before any lock of the program is held: control/livelock.c asks it
 * for registers. */
void darn_stack_prepare(void);

#endif
