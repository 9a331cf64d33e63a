/*
 * From a function to its caller, also through code without frame pointers: libc, the C++ library,
 * shared objects that darn did not compile.
 *
 * The way from one return address to the next is the same each time, so it is found once, in the
 * call frame information (cfi.h), packed into a word and kept in a table. A step is then a look
 * into that table and one or two reads of the stack. There is no lock and nothing is allocated: a
 * signal handler that comes in between finds the table as it was before or after.
 */
#ifndef DARN_RUNTIME_UNWIND_H
#define DARN_RUNTIME_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread/cfi.h"

struct darn_thread;

/* Which memory is read, and how. */
enum darn_reach {
    DARN_REACH_OWN,  /* the stack of the thread, which is there: no system call */
    DARN_REACH_ANY,  /* other stacks (of a coroutine, a signal handler), too: by copying */
    DARN_REACH_COPY, /* everything by copying: the thread is another one, or its stack is broken */
};

/* Where the walk is. */
struct darn_unwind {
    const struct darn_thread *thread;
    enum darn_reach reach;
    uintptr_t pc;     /* a return address; of a function that a signal has interrupted, one more */
    uintptr_t sp, bp; /* rsp and rbp at that place, after the return */
};

/* Goes to the caller. False: there is none, or nobody knows. */
bool darn_unwind_step(struct darn_unwind *at);

/*
 * All of them at once, with DARN_REACH_OWN: each allocation comes by here, so all is in registers,
 * and the frame pointers of the program itself are trusted: an archive that was linked to it, and
 * keeps none, costs a frame. `frame` is as in stack.h; how many places of `pcs` it has filled.
 */
uint32_t darn_unwind_quickly(uintptr_t *pcs, uint32_t depth, const struct darn_thread *thread,
                             const void *frame);

/* A module was unloaded: what comes next at its addresses is other code. */
void darn_unwind_forget(void);

/*
 * The packed form of a way (pure, for tests). The CFA is rsp or rbp and a number of words, below it
 * is the return address, and somewhere below rbp if the function has saved it: 99 of 100 functions
 * are so. Others are looked up again at each step.
 */
enum darn_way_kind {
    DARN_WAY_NONE,   /* not known yet */
    DARN_WAY_WORDS,  /* as above */
    DARN_WAY_FRAME,  /* no information: the code is trusted to keep frame pointers */
    DARN_WAY_LOOKUP, /* more than fits in here */
    DARN_WAY_END,    /* there is no caller */
};

struct darn_way {
    enum darn_way_kind kind;
    bool by_rbp;     /* else by rsp */
    uint32_t words;  /* up to the CFA */
    uint32_t rbp_at; /* so many words below the CFA is the caller's rbp; 0: in rbp */
};

struct darn_way darn_way_of(const struct darn_cfi_row *row);
uint32_t darn_way_pack(const struct darn_way *way);
struct darn_way darn_way_unpack(uint32_t packed);

#endif
