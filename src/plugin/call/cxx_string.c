#include "plugin/call/cxx_string.h"

#include <string.h>

#define CLASS "St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"

/* The string begins with the pointer to its characters and their number. */
#define POINTER                                                                                    \
    {                                                                                              \
        0, 8, 0, 0                                                                                 \
    }
#define NUMBER                                                                                     \
    {                                                                                              \
        8, 8, 0, 0                                                                                 \
    }
#define BOTH                                                                                       \
    {                                                                                              \
        0, 16, 0, 0                                                                                \
    }
#define CHANGES                                                                                    \
    {                                                                                              \
        8, 8, 1, 0                                                                                 \
    }
#define COPIES                                                                                     \
    {                                                                                              \
        8, 8, 1, 1                                                                                 \
    }

/*
 * By how the mangled name goes on. Those that change the string set the number in any case, unless
 * the string is to become a copy of itself; what `reserve` and `resize` do depends on what is
 * there, so they only read. Of what is not in the list nothing is known.
 */
static const struct {
    const char *name;
    struct darn_string_effect effect;
} members[] = {
    {"aSEPKc", CHANGES},      {"aSEc", CHANGES},        {"aSEOS4_", CHANGES},
    {"aSERKS4_", COPIES},     {"6assignEPKc", CHANGES}, {"9_M_appendE", CHANGES},
    {"9_M_assignE", COPIES},  {"8_M_eraseE", CHANGES},  {"10_M_replaceE", CHANGES},
    {"9push_backE", CHANGES}, {"8pop_backE", CHANGES},  {"14_M_replace_auxE", CHANGES},
    {"pLE", CHANGES},         {"6insertE", CHANGES},    {"6appendE", CHANGES},
    {"5clearE", CHANGES},     {"6resizeE", NUMBER},     {"7replaceE", CHANGES},
    {"aSE", POINTER},
    {"6assignE", POINTER},    {"7reserveE", POINTER},  {"4sizeE", NUMBER},
    {"6lengthE", NUMBER},     {"5emptyE", NUMBER},     {"5c_strE", POINTER},
    {"4dataE", POINTER},      {"ixE", POINTER},        {"5beginE", POINTER},
    {"5frontE", POINTER},     {"8capacityE", POINTER}, {"2atE", BOTH},
    {"3endE", BOTH},          {"4backE", BOTH},        {"4findE", BOTH},
    {"7compareE", BOTH},      {"6substrE", BOTH},      {"5rfindE", BOTH},
};

static const char *skip(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

int darn_string_call(LLVMValueRef call, struct darn_string_effect *effect)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name, *member;
    size_t length;

    if (!callee || !LLVMIsAFunction(callee) || !LLVMGetNumArgOperands(call))
        return 0;
    name = LLVMGetValueName2(callee, &length);
    member = skip(name, "_ZN" CLASS);
    member = member ? member : skip(name, "_ZNK" CLASS);
    for (size_t i = 0; member && i < sizeof(members) / sizeof(members[0]); i++) {
        if (!skip(member, members[i].name))
            continue;
        *effect = members[i].effect;
        return LLVMIsDeclaration(callee);
    }
    return 0;
}
