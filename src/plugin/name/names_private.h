/* Shared by names*.c alone. */
#ifndef DARN_PLUGIN_NAMES_PRIVATE_H
#define DARN_PLUGIN_NAMES_PRIVATE_H

#include "plugin/core/debuginfo.h"
#include "plugin/name/locals.h"
#include "plugin/name/name_place.h"
#include "plugin/name/names.h"
#include "plugin/name/structs.h"

/* How many pointers are followed back: a->b->c->d->e */
#define DARN_NAME_DEPTH 6

/* The longest way from a variable to a field. */
#define DARN_NAME_PATH 200

struct darn_names {
    LLVMTargetDataRef layout;
    struct darn_locals locals;
    unsigned dbg_kind, tbaa_kind;
    LLVMMetadataRef function; /* the source function of the access that is being named */
    struct darn_di_goal goal; /* what it is to */
    unsigned bit;             /* where it begins in the word that is accessed */
    LLVMMetadataRef owner;    /* of what was named last: the struct that it is a member of; */
    int is_behind;            /* it is an element of what a pointer points to; */
    int is_beyond;            /* it may not be in the object that it is named after */
    int has_tbaa;
    LLVMModuleRef module;
    struct darn_structs structs; /* filled when it is first needed */
    int has_structs;
    int prefers_globals;
};

/* All of these append a name and return the type of what has it, or NULL. */

/* The way into an object that has a name, and this type. */
LLVMMetadataRef darn_name_inside(struct darn_names *names, LLVMMetadataRef type,
                                 const struct darn_place *place, struct darn_text *text);

/* `pointer` is the name of a pointer, and the place lies behind it: p->next, p[].next, *p, p->@16
 */
LLVMMetadataRef darn_name_pointee(struct darn_names *names, const char *pointer,
                                  LLVMMetadataRef pointee, struct darn_place place,
                                  struct darn_text *text);

/* The same of a pointer or a reference of this type. */
LLVMMetadataRef darn_name_behind(struct darn_names *names, const char *pointer,
                                 LLVMMetadataRef pointer_type, const struct darn_place *place,
                                 struct darn_text *text);

/* What the pointer points to, with another goal than that of the access. */
LLVMMetadataRef darn_name_other(struct darn_names *names, LLVMValueRef pointer,
                                struct darn_di_goal goal, int depth, struct darn_text *text);

/* What a call returns a pointer or a reference to: the base of the place. */
LLVMMetadataRef darn_name_call(struct darn_names *names, const struct darn_place *place, int depth,
                               struct darn_text *text);

#endif
