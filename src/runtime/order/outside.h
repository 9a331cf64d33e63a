/*
 * Code that darn has not compiled and does not know may synchronize in ways that nobody sees. So a
 * call of it counts as an acquire and a release of one object that all such calls share; and what
 * it calls back comes after all that anybody did.
 */
#ifndef DARN_RUNTIME_OUTSIDE_H
#define DARN_RUNTIME_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

/* The library of OpenMP is known as soon as it tells what it does (interpose/intercept_ompt.c), and
 * until it is clear that it does not. */
enum darn_openmp { DARN_OPENMP_PERHAPS, DARN_OPENMP_TELLS, DARN_OPENMP_SILENT };
extern volatile uint8_t darn_openmp;

/* Guards of calls by pointers look at it (site/site_guard.h). */
extern volatile uint8_t darn_outside;

/* Whether the code there was compiled by darn, or is of a library that synchronizes by nothing but
 * what is intercepted. *for_good: that will not change. */
bool darn_outside_is_known(uintptr_t code, bool *for_good);

/* The same for a thread that begins there. */
bool darn_outside_starts(uintptr_t code);

/* Where a call leads. */
enum darn_outside_answer {
    DARN_OUTSIDE_IS_KNOWN,
    DARN_OUTSIDE_IS_LIBC, /* a function of libc that may tell other threads something, or be told */
    DARN_OUTSIDE_IS_FOREIGN,
};

/* *asks (site/site_guard.h) becomes 0 when it need not be asked again. NULL: nobody wants to know.
 */
enum darn_outside_answer darn_outside_ask(uintptr_t code, volatile uint8_t *asks);

/* A module may be gone: other code may come to lie where it was. */
void darn_outside_forget(void);

/* Whether the code there is of a program or library that darn has compiled, or a part of. */
bool darn_outside_is_ours(uintptr_t code);

/* The addresses of the program itself, if the runtime is linked to it: darn has compiled it. It is
 * asked for at each allocation and each free. */
extern struct darn_outside_range {
    uintptr_t start, size;
} darn_outside_program;

static inline bool darn_outside_is_program(uintptr_t code)
{
    return code - darn_outside_program.start < darn_outside_program.size;
}

/* Whether the code there is libc's. */
bool darn_outside_is_libc(uintptr_t code);

/* Whether the address is one of a program or library. */
bool darn_outside_is_module(uintptr_t address);

/* Whether a function that darn has compiled begins there. */
bool darn_outside_is_marked(uintptr_t code);

/* The module that the code is in: where it begins and ends, and its table of functions for the
 * unwinder (.eh_frame_hdr; 0: it has none). Takes no lock, and a signal handler may ask. False: it
 * is in no module. */
struct darn_outside_module {
    uintptr_t start, end, functions;
};
bool darn_outside_module(uintptr_t code, struct darn_outside_module *module);

/* Before all of these: the loader, which may free memory while it looks something up, must not be
 * asked for its own functions by whoever frees memory. */
void darn_outside_open(void);

/* Looks for libraries that are not known: function pointers may lead there. */
void darn_outside_look(void);

#endif
