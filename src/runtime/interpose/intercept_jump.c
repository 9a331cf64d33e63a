/* Ways out of functions that the functions themselves do not see: jumps and exceptions. A thread
 * that takes one leaves all of its atomic sections; which of them it really leaves is not asked. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>

#include "runtime/control/decide.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/heal.h"
#include "runtime/interpose/callback.h"
#include "runtime/interpose/intercept.h"
#include "runtime/os/glibc.h"
#include "runtime/record/record.h"
#include "runtime/section/sections.h"
#include "runtime/thread/misuse.h"

static struct darn_thread *leave_sections(void)
{
    struct darn_thread *thread = darn_thread_peek();

    if (thread && darn_turn_mine(thread))
        darn_decide_leave(thread->slot);
    else if (thread && (thread->inside || thread->scope_depth))
        darn_sections_abandon(thread);
    return thread;
}

void darn_jump_leave(void)
{
    struct darn_thread *thread = leave_sections();

    if (thread && darn_healing)
        darn_heal_abandon(thread);
}

static void jump(const struct __jmp_buf_tag *env, const void *frame)
{
    struct darn_thread *thread = darn_thread_peek();
    uintptr_t to = darn_jump_stack(env);

    darn_gates_jump(); /* before we wait for the turn: whoever has it may want to pass */
    if (thread && darn_turns && thread->slot)
        darn_turn_jump(thread->slot, to, frame);
    leave_sections();
    if (!thread)
        return;
    if (thread->wait.kind != DARN_WAIT_NONE)
        darn_misuse_cancel(); /* out of a handler that came in a wait: it seems to go on */
    if (darn_healing)
        darn_heal_jump(thread, to);
    darn_record_jump(thread, to);
}

#define INTERCEPT_JUMP(name)                                                                       \
    DARN_INTERCEPT(void, name, struct __jmp_buf_tag env[1], int value)                             \
    {                                                                                              \
        jump(env, __builtin_frame_address(0));                                                     \
        DARN_REAL(name)(env, value);                                                               \
        __builtin_unreachable();                                                                   \
    }

void __longjmp_chk(struct __jmp_buf_tag env[1], int value) __attribute__((noreturn));

INTERCEPT_JUMP(longjmp)
INTERCEPT_JUMP(_longjmp)
INTERCEPT_JUMP(siglongjmp)
INTERCEPT_JUMP(__longjmp_chk)

/*
 * Whoever throws an exception or is cancelled has its stack unwound, and the unwinder asks the
 * loader about each frame. That the functions which throw are in a library that may be linked
 * statically does not matter then. Who only wants to print its stack leaves its sections, too.
 */
DARN_INTERCEPT(int, _dl_find_object, void *address, struct dl_find_object *object)
{
    darn_jump_leave();
    return DARN_REAL(_dl_find_object)(address, object);
}
