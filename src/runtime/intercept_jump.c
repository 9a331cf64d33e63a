/* Ways out of functions that the functions themselves do not see: jumps and exceptions. A thread
 * that takes one leaves all of its atomic sections; which of them it really leaves is not asked. */
#include <setjmp.h>

#include "runtime/intercept.h"
#include "runtime/sections.h"

static void leave(void)
{
    struct darn_thread *thread = darn_thread_peek();

    if (thread && (thread->inside || thread->scope_depth))
        darn_sections_abandon(thread);
}

#define INTERCEPT_JUMP(name)                                                                       \
    DARN_INTERCEPT(void, name, struct __jmp_buf_tag env[1], int value)                             \
    {                                                                                              \
        leave();                                                                                   \
        DARN_REAL(name)(env, value);                                                               \
        __builtin_unreachable();                                                                   \
    }

void __longjmp_chk(struct __jmp_buf_tag env[1], int value) __attribute__((noreturn));

INTERCEPT_JUMP(longjmp)
INTERCEPT_JUMP(_longjmp)
INTERCEPT_JUMP(siglongjmp)
INTERCEPT_JUMP(__longjmp_chk)

void __cxa_throw(void *object, void *type, void (*destructor)(void *)) __attribute__((noreturn));
void __cxa_rethrow(void) __attribute__((noreturn));

DARN_INTERCEPT(void, __cxa_throw, void *object, void *type, void (*destructor)(void *))
{
    leave();
    DARN_REAL(__cxa_throw)(object, type, destructor);
    __builtin_unreachable();
}

DARN_INTERCEPT(void, __cxa_rethrow, void)
{
    leave();
    DARN_REAL(__cxa_rethrow)();
    __builtin_unreachable();
}
