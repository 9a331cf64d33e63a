/* What the members of std::string do to it that are calls of libstdc++: without optimization all of
 * them are, else those that assign and change. */
#ifndef DARN_PLUGIN_CXX_STRING_H
#define DARN_PLUGIN_CXX_STRING_H

#include <llvm-c/Core.h>

/* Bytes of the string itself, not of its characters. */
struct darn_string_effect {
    unsigned offset, size;
    int writes;
    int copies; /* its second argument; if that is the string itself, nothing is done */
};

/* Whether the call is one of a member of which that is known. The string is its first argument. */
int darn_string_call(LLVMValueRef call, struct darn_string_effect *effect);

#endif
