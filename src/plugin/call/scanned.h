/* What scanf and its kin write: one thing for each conversion of their format, if that is a
 * constant. */
#ifndef DARN_PLUGIN_SCANNED_H
#define DARN_PLUGIN_SCANNED_H

#include <llvm-c/Core.h>

#define DARN_MOST_SCANNED 32

struct darn_scanned {
    unsigned argument; /* the pointer */
    unsigned size;     /* in bytes; 0: a string */
    unsigned before;   /* it is written if the call returns more than this */
};

/* Fills at most DARN_MOST_SCANNED, and says how many. 0 for any other call, and for a format that
 * is not known or not understood. */
unsigned darn_scanned(LLVMValueRef call, struct darn_scanned *scanned);

/* The text of a format; NULL: it is not known. */
const char *darn_constant_format(LLVMValueRef value);

#endif
