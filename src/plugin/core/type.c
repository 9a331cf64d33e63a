#include "plugin/core/type.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "plugin/core/debuginfo.h"
#include "plugin/core/plugin.h"

/* Structs in structs. */
#define MAX_DEPTH 32

/* The member that has the offset, and where it begins. A type is (name, member, offset, …). */
static LLVMMetadataRef member_at(LLVMMetadataRef type, uint64_t offset, uint64_t *start)
{
    unsigned count = darn_shim_operand_count(type);
    LLVMMetadataRef found = NULL;

    for (unsigned i = 1; i + 1 < count; i += 2) {
        uint64_t at = darn_shim_number(darn_shim_operand(type, i + 1));

        if (at > offset)
            break;
        found = darn_shim_operand(type, i);
        *start = at;
    }
    return found;
}

/* In C++ a type has the same name for both, if all of the program knows it. */
static void name_owner(LLVMMetadataRef owner, struct darn_text *text)
{
    if (owner)
        darn_di_string(darn_di_operand(owner, DARN_DI_TYPE_IDENTIFIER), text);
}

/*
 * What no source can name is a member of nothing that has a name. False if the access may be to
 * memory of any type: debug info does not know that, it has the struct that the source speaks of.
 */
static int name_hidden(LLVMMetadataRef type, struct darn_text *text)
{
    char name[32];
    struct darn_text buffer;

    darn_text_start(&buffer, name, sizeof(name));
    darn_di_string(darn_di_operand(type, 0), &buffer);
    if (strcmp(name, "vtable pointer") == 0)
        darn_text_add(text, name);
    return strcmp(name, "omnipotent char") != 0;
}

/* By the tag (struct type, member type, offset). False if debug info must not be asked. */
static int name_by_tag(LLVMMetadataRef tag, struct darn_text *text)
{
    LLVMMetadataRef type = darn_shim_operand(tag, 0), access = darn_shim_operand(tag, 1);
    uint64_t offset = darn_shim_number(darn_shim_operand(tag, 2));

    if (!type || !access || offset == UINT64_MAX)
        return 1;
    if (type == access)
        return name_hidden(type, text);
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
        uint64_t start = 0;
        LLVMMetadataRef member = member_at(type, offset, &start);

        if (!member)
            return 1;
        if (member == access) {
            darn_di_string(darn_di_operand(type, 0), text);
            return 1;
        }
        type = member;
        offset -= start;
    }
    return 1;
}

void darn_type_of(LLVMValueRef instruction, LLVMMetadataRef owner, char *to, size_t size)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
    LLVMValueRef tag =
        LLVMGetMetadata(instruction, LLVMGetMDKindIDInContext(context, "tbaa", strlen("tbaa")));
    struct darn_text text;

    darn_text_start(&text, to, size);
    if ((!tag || name_by_tag(LLVMValueAsMetadata(tag), &text)) && !to[0])
        name_owner(owner, &text);
}
