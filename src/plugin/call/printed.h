/* What printf and its kin read: the strings that their format names, if that is a constant. */
#ifndef DARN_PLUGIN_PRINTED_H
#define DARN_PLUGIN_PRINTED_H

#include <llvm-c/Core.h>

#define DARN_MOST_PRINTED 16

/* Fills in at most DARN_MOST_PRINTED arguments that are strings, and says how many. 0 for any other
 * call, and for a format that is not known or not understood. */
unsigned darn_printed(LLVMValueRef call, unsigned *arguments);

#endif
