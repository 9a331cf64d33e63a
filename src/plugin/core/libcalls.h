/*
 * The memory and string functions of libc, as accesses of their caller.
 *
 * They are hooked at the call and not by interposition: there the source position is known, code
 * that was not compiled by darn pays nothing, and the guard in front costs as little as that of a
 * load. Functions that may block (read, fread) are left out on purpose: what they touch, they touch
 * after waiting, and a window in front of the wait would give false alarms. The assertions of
 * darn.h are calls of the same kind.
 */
#ifndef DARN_PLUGIN_LIBCALLS_H
#define DARN_PLUGIN_LIBCALLS_H

#include <llvm-c/Core.h>

enum darn_extent {
    DARN_EXTENT_NONE,   /* end of the list */
    DARN_EXTENT_LENGTH, /* as many bytes as the argument `by` says */
    DARN_EXTENT_STRING, /* the string that the argument `by` points to, with its end */
    DARN_EXTENT_BYTE,   /* the first byte: how far the function looks depends on the data */
};

struct darn_effect {
    enum darn_extent extent;
    unsigned char argument; /* the pointer */
    unsigned char by;
    unsigned char writes;
    unsigned char flags; /* of the site: assertions of darn.h */
};

#define DARN_MAX_EFFECTS 3

struct darn_libcall {
    const char *name;
    unsigned char arguments;
    struct darn_effect effects[DARN_MAX_EFFECTS];
};

/* What a call does to memory if it calls such a function, or NULL. */
const struct darn_libcall *darn_libcall(LLVMValueRef call);

#endif
