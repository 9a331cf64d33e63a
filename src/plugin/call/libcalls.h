/*
 * The memory and string functions of libc, as accesses of their caller.
 *
 * They are hooked at the call and not by interposition: there the source position is known, code
 * that was not compiled by darn pays nothing, and the guard in front costs as little as that of a
 * load. The assertions of darn.h are calls of the same kind.
 *
 * Functions that may block (read, fread) synchronize, too. What they write they write after
 * waiting: a window in front of the wait would give false alarms, so the hook stands behind the
 * call, where also the size is known. What they read (write, puts) they have read before anybody
 * can hear of it: that hook stands in front.
 */
#ifndef DARN_PLUGIN_LIBCALLS_H
#define DARN_PLUGIN_LIBCALLS_H

#include <llvm-c/Core.h>

enum darn_extent {
    DARN_EXTENT_NONE,    /* end of the list */
    DARN_EXTENT_LENGTH,  /* as many bytes as the argument `by` says */
    DARN_EXTENT_STRING,  /* the string that the argument `by` points to, with its end */
    DARN_EXTENT_COMPARED, /* as far as this string and that of the argument `by` are equal, and one
                             byte more; at most to the end, and as many as the argument `with` says
                             (DARN_NO_LIMIT: nothing says so). Compared with itself: the string */
    DARN_EXTENT_BYTE,    /* the first byte: how far the function looks depends on the data */
    DARN_EXTENT_PRODUCT, /* the argument `by` times the argument `with` */
    /* When the function has returned: */
    DARN_EXTENT_RESULT,  /* as many bytes as it returns, if that is more than 0 */
    DARN_EXTENT_RESULTS, /* so many times the argument `with` */
    DARN_EXTENT_PRINTED, /* so many and one more, but no more than the argument `with` */
    DARN_EXTENT_PRINTED_ALL,
    DARN_EXTENT_RETURNED,     /* the string that it returns, if that is there, and not elsewhere */
    DARN_EXTENT_FILLED,       /* the string that is there, if it returns 0 */
    DARN_EXTENT_SCANNED,      /* so many bytes, if it returns more than a number (scanned.h); in a
                                 list, those of a pointer, and more than 0 */
    DARN_EXTENT_SUCCEEDED,    /* `with` bytes, if it returns 0, or a pointer that is not NULL */
    DARN_EXTENT_SCANNED_TEXT, /* the same with the string that is there */
    DARN_EXTENT_LINE,  /* as many bytes as it returns and one more, where the pointer points to */
    DARN_EXTENT_PARTS, /* as many bytes as it returns, in the parts of a vector (struct iovec); the
                          argument `by` is its length */
    DARN_EXTENT_MESSAGE, /* the same in those of a struct msghdr */
    /* Before it is called: */
    DARN_EXTENT_ALL_PARTS, /* all of them */
    DARN_EXTENT_ALL_OF_MESSAGE,
};

/* Whether the access is behind the call. */
static inline int darn_extent_is_late(enum darn_extent extent)
{
    return extent >= DARN_EXTENT_RESULT && extent < DARN_EXTENT_ALL_PARTS;
}

/* Whether the memory is not where the argument points to, but where that says. */
static inline int darn_extent_is_indirect(enum darn_extent extent)
{
    return extent >= DARN_EXTENT_LINE;
}

static inline int darn_extent_has_parts(enum darn_extent extent)
{
    return extent >= DARN_EXTENT_PARTS;
}

struct darn_effect {
    enum darn_extent extent;
    unsigned char argument; /* the pointer */
    unsigned char by;
    unsigned char writes;
    unsigned char flags; /* of the site: assertions of darn.h */
    unsigned char with;
};

#define DARN_MAX_EFFECTS 3
#define DARN_NO_LIMIT    255

struct darn_libcall {
    const char *name;
    unsigned char arguments;
    struct darn_effect effects[DARN_MAX_EFFECTS];
};

/* What a call does to memory if it calls such a function, or NULL. */
const struct darn_libcall *darn_libcall(LLVMValueRef call);

/* The same for those that may block, and for those that call back. */
const struct darn_libcall *darn_buffer_call(LLVMValueRef call);

#endif
