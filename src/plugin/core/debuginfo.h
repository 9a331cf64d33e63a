/* Reads debug info nodes through LLVM's C API, which shows most of them only as lists of operands.
 */
#ifndef DARN_PLUGIN_DEBUGINFO_H
#define DARN_PLUGIN_DEBUGINFO_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdint.h>

#include "base/text.h"

/* The operand of a node, or NULL. */
LLVMMetadataRef darn_di_operand(LLVMMetadataRef node, unsigned index);

/* Positions of the operands that we read, as LLVM 19 lays them out. */
enum {
    DARN_DI_SCOPE_PARENT = 1,       /* of a subprogram, lexical block or type */
    DARN_DI_SUBPROGRAM_NAME = 2,    /* also of a type */
    DARN_DI_SUBPROGRAM_LINKAGE = 3, /* its symbol, where that is not its name */
    DARN_DI_SUBPROGRAM_TYPE = 4,
    DARN_DI_SUBROUTINE_TYPES = 3, /* of such a type: the result, then the arguments */
    DARN_DI_TYPE_BASE = 3,        /* what a typedef, pointer, member or array is made of */
    DARN_DI_TYPE_ELEMENTS = 4,    /* the members of a struct, */
    DARN_DI_TYPE_IDENTIFIER = 7,  /* and its name in all of the program, in C++ */
    DARN_DI_VARIABLE_NAME = 1,
    DARN_DI_VARIABLE_TYPE = 3,
    DARN_DI_EXPRESSION_VARIABLE = 0, /* of a global variable expression */
    DARN_DI_EXPRESSION_ITSELF = 1,
};

/* Appends the text of a string node; 0 if there was one. */
int darn_di_string(LLVMMetadataRef node, struct darn_text *text);

/* Type without typedefs and qualifiers; NULL stays NULL. */
LLVMMetadataRef darn_di_strip(LLVMMetadataRef type);

/* What a pointer or reference points to, or NULL if the type is neither (or void). */
LLVMMetadataRef darn_di_pointee(LLVMMetadataRef type);

int darn_di_is_reference(LLVMMetadataRef type);

/* How a value is kept in a register, as far as that tells the members of a union apart. */
enum darn_di_shape { DARN_DI_ANY, DARN_DI_INTEGER, DARN_DI_POINTER, DARN_DI_FLOAT };

/* What a way is to end at; all 0: at the innermost thing that lies there. */
struct darn_di_goal {
    uint64_t size; /* of the access; 0: not known */
    enum darn_di_shape shape;
    int is_whole;         /* it is a copy: of the outermost thing that is not larger */
    LLVMMetadataRef type; /* an object of this type */
};

/* A way into a type: as text, and the innermost struct that it leads through. */
struct darn_di_way {
    struct darn_text *text;
    struct darn_di_goal goal;
    LLVMMetadataRef owner; /* NULL: none */
    int has_union;         /* one of them is a union */
    unsigned bit;          /* of bit-fields, that with so many bits behind the offset */
};

/*
 * Appends the way from a value of the type to what lies `offset` bytes inside, as `.next[3].x`, and
 * returns the type found there (NULL when the offset leads nowhere, or not to the goal). An array
 * whose element was computed at run time (`variable`) shows as `[]`. Of a union whose members fit
 * the goal equally well, none is named: `u.size`, or nothing at all.
 */
LLVMMetadataRef darn_di_walk(LLVMMetadataRef type, uint64_t offset, int variable,
                             struct darn_di_way *way);

/* Whether it is a struct whose last member is an array of no fixed size. */
int darn_di_is_flexible(LLVMMetadataRef type);

/* Whether it is the class of a lambda: it has no name, and its members are those of variables. */
int darn_di_is_closure(LLVMMetadataRef type);

/* The function that a local variable, a lexical block or a location belongs to. */
LLVMMetadataRef darn_di_function(LLVMMetadataRef scope);

/* Size of a type in bytes, through typedefs; 0 when unknown. */
uint64_t darn_di_size(LLVMMetadataRef type);

#endif
