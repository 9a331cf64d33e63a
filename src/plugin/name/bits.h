/*
 * Which bits of a word an access is about: a bit-field is read and written with the whole word that
 * it is in, and only what is done with that says which field it is.
 */
#ifndef DARN_PLUGIN_BITS_H
#define DARN_PLUGIN_BITS_H

#include <llvm-c/Core.h>

/* The first of them, counted from the start of the word; 0 when that is not known. */
unsigned darn_bits_first(LLVMValueRef access);

#endif
