/*
 * What the code in front of an access looks at, and whom it calls: the other half of the contract
 * between the plugin and the runtime.
 *
 *     if (the guard's byte && (darn_filter[(address >> 6) & 4095] | site's armed byte))
 *         darn_hook_access(address, site);
 *
 * The byte is the guard's own (darn_site_look). It is 0 while nothing is being watched, and the
 * code behind it has run often enough to be left to chance: one load and one branch that is never
 * taken. With attention raised, all these bytes are set. The filter keeps an access to memory that nobody watches from calling the
 * runtime; it says "perhaps" for whole cache lines. The runtime fills it when every access shall
 * call. A site that is armed calls whatever the address: so are those that a trace records.
 *
 * The second look is in the guard itself where accesses are made often, in small loops. Elsewhere it
 * is a function of the runtime's, since code that never runs has to be compiled, too:
 *
 *     if (the guard's byte)
 *         darn_look_access(address, site);     which goes on to darn_hook_access
 *
 * The reads of spin loops (DARN_SITE_SPIN) call darn_hook_spin without any guard: nobody is in a
 * hurry there. So do calls that wait for a condition variable (darn_hook_wait, right before the
 * call). With `darn cc --darn-functions`, functions begin and end with
 *
 *     if (darn_functions)
 *         darn_hook_begin(site);
 *
 * and so do, always, blocks that are annotated as atomic (darn_hook_block_begin).
 *
 * Accesses between which nothing may synchronize share a guard's byte: if it is set, another version
 * of that code runs, in which each has the rest of the guard (plugin/core/group.h).
 *
 * Sites that only sections need (section.h) look at no filter: accesses that another one covers
 * (DARN_SITE_EXTRA), ways out of sections, calls that lead into them. Attention, one byte for all of
 * them and for fences, is raised as long as anybody is in a section, or on the way into one:
 *
 *     if (darn_attention && site's armed byte)
 *         darn_hook_access(address, site);     or darn_hook_leave(site), darn_hook_call(site)
 *
 * Programs that are built to be healed (darn cc --only) compare the armed byte with a byte of the
 * thread, everywhere, and have a call behind the access, too (DARN_SITE_AFTER):
 *
 *     if (site's armed byte > darn_own) {
 *         darn_hook_access(address, site);
 *         the access
 *         darn_hook_done(address, site);
 *     } else {
 *         the access
 *     }
 *
 * An atomic operation or a fence has a second guard, behind its first one, so that happens-before
 * is known of a run in which nothing else is watched:
 *
 *     if (darn_ordering)
 *         darn_hook_order(address, site);
 *
 * A relaxed load has none, and a relaxed store looks at darn_fenced (darn_hook_relaxed).
 *
 * So has a call that may lead to code that darn has not compiled, with a byte for each function
 * that a file calls, until the runtime has seen that it is not such; and inline assembly that
 * touches memory, which looks at darn_ordering:
 *
 *     if (the byte)
 *         darn_hook_outside(function, &the byte);
 *
 * A function of the system's libraries that synchronizes by itself looks at darn_ordering, too, and
 * has NULL in the place of the function.
 *
 * A function that is annotated as atomic tells its beginning and its ends without any guard
 * (darn_hook_atomic_begin, darn_hook_atomic_end, with the site of the function).
 */
#ifndef DARN_SITE_GUARD_H
#define DARN_SITE_GUARD_H

#include <stdint.h>

#define DARN_FILTER_SHIFT 6
#define DARN_FILTER_SIZE  4096

/* The byte of each thread that armed bytes are compared with (armed.h): the first of a variable
 * (runtime/thread/own.h). */
#define DARN_LIMIT "darn_own"

/* Names that end in _here are those of the same program, reached without the detour that shared
 * objects have to make. */
#define DARN_ATTENTION      "darn_attention"
#define DARN_ATTENTION_HERE "darn_attention_here"
#define DARN_FILTER         "darn_filter"
#define DARN_FILTER_HERE    "darn_filter_here"
#define DARN_FUNCTIONS      "darn_functions" /* a byte: begin and end of functions are wanted */
#define DARN_FUNCTIONS_HERE "darn_functions_here"
#define DARN_ORDERING       "darn_ordering" /* a byte: atomic operations and fences are wanted */
#define DARN_ORDERING_HERE  "darn_ordering_here"
#define DARN_FENCED         "darn_fenced" /* a byte: relaxed stores are wanted */
#define DARN_FENCED_HERE    "darn_fenced_here"
/* The byte of a function that is called, until it is known not to be outside: libc's functions are
 * not, if they neither synchronize nor hand anything on. */
#define DARN_ASKS          1
#define DARN_ASKS_STRICTLY 2

#define DARN_OUTSIDE        "darn_outside" /* a byte: there is code that darn has not compiled */

/* preserve_most void f(…): cold, and the caller keeps nearly all of its registers. */
#define DARN_HOOK_ACCESS  "darn_hook_access"  /* (address, site) */
#define DARN_HOOK_WRITE   "darn_hook_write"   /* (address, value, site): see DARN_SITE_VALUE */
#define DARN_LOOK_ACCESS  "darn_look_access"  /* (address, site): the second look, then the hook */
#define DARN_LOOK_WRITE   "darn_look_write"   /* (address, value, site): the same */
#define DARN_LOOK_LEAVE   "darn_look_leave"   /* (site): at the armed byte, then darn_hook_leave */
#define DARN_LOOK_CALL    "darn_look_call"    /* (site): the same for darn_hook_call */
#define DARN_HOOK_RANGE   "darn_hook_range"   /* (address, length, site) */
#define DARN_HOOK_PARTS   "darn_hook_parts"   /* (vector, its length, bytes at most, site) */
#define DARN_HOOK_STRING  "darn_hook_string"  /* (address, string that is as long, site) */
#define DARN_HOOK_COMPARED                                                                         \
    "darn_hook_compared" /* (address, string it is compared with, bytes at most, site) */
#define DARN_HOOK_FENCE   "darn_hook_fence"   /* (site) */
#define DARN_HOOK_SPIN    "darn_hook_spin"    /* (address, site) */
#define DARN_HOOK_WAIT    "darn_hook_wait"    /* (condition variable, site) */
#define DARN_HOOK_BEGIN   "darn_hook_begin"   /* (site) */
#define DARN_HOOK_END     "darn_hook_end"     /* (site) */
#define DARN_HOOK_LEAVE   "darn_hook_leave"   /* (site) */
#define DARN_HOOK_CALL    "darn_hook_call"    /* (site) */
#define DARN_HOOK_DONE    "darn_hook_done"    /* (address, site) */
#define DARN_HOOK_ORDER   "darn_hook_order"   /* (address, site) */
#define DARN_HOOK_RELAXED "darn_hook_relaxed" /* (address, site) */
#define DARN_HOOK_OUTSIDE "darn_hook_outside" /* (function, byte): a call, or NULL */

/* Instead of a function that is of a library that is known, but calls ours back in ways that are
 * not. */
#define DARN_NEVER_KNOWN ((const void *)1)

/* The eight bytes before each function that darn has compiled. */
#define DARN_INSIDE UINT64_C(0x6e7261640fd15ead)

#define DARN_HOOK_BLOCK_BEGIN "darn_hook_block_begin" /* (variable, site) */
#define DARN_HOOK_BLOCK_END   "darn_hook_block_end"   /* (variable, site) */

#define DARN_HOOK_ATOMIC_BEGIN "darn_hook_atomic_begin" /* (site) */
#define DARN_HOOK_ATOMIC_END   "darn_hook_atomic_end"   /* (site) */

static inline uint32_t darn_filter_index(uintptr_t address)
{
    return (uint32_t)(address >> DARN_FILTER_SHIFT) & (DARN_FILTER_SIZE - 1);
}

#endif
