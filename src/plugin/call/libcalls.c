#include "plugin/core/libcalls.h"

#include <string.h>

#include "site/site.h"

#define READS(pointer, by)                                                                         \
    {                                                                                              \
        DARN_EXTENT_LENGTH, pointer, by, 0, 0                                                      \
    }
#define WRITES(pointer, by)                                                                        \
    {                                                                                              \
        DARN_EXTENT_LENGTH, pointer, by, 1, 0                                                      \
    }
#define READS_STRING(pointer)                                                                      \
    {                                                                                              \
        DARN_EXTENT_STRING, pointer, pointer, 0, 0                                                 \
    }
#define WRITES_STRING(p, from)                                                                     \
    {                                                                                              \
        DARN_EXTENT_STRING, p, from, 1, 0                                                          \
    }
#define READS_BYTE(pointer)                                                                        \
    {                                                                                              \
        DARN_EXTENT_BYTE, pointer, 0, 0, 0                                                         \
    }
#define ASSERTS(flag)                                                                              \
    {                                                                                              \
        DARN_EXTENT_LENGTH, 0, 1, 0, flag                                                          \
    }

static const struct darn_libcall libcalls[] = {
    {"memcpy", 3, {WRITES(0, 2), READS(1, 2)}},
    {"memmove", 3, {WRITES(0, 2), READS(1, 2)}},
    {"mempcpy", 3, {WRITES(0, 2), READS(1, 2)}},
    {"__memcpy_chk", 4, {WRITES(0, 2), READS(1, 2)}},
    {"__memmove_chk", 4, {WRITES(0, 2), READS(1, 2)}},
    {"bcopy", 3, {READS(0, 2), WRITES(1, 2)}},
    {"memset", 3, {WRITES(0, 2)}},
    {"__memset_chk", 4, {WRITES(0, 2)}},
    {"bzero", 2, {WRITES(0, 1)}},
    {"explicit_bzero", 2, {WRITES(0, 1)}},
    {"memcmp", 3, {READS(0, 2), READS(1, 2)}},
    {"bcmp", 3, {READS(0, 2), READS(1, 2)}},
    {"memchr", 3, {READS_BYTE(0)}},
    {"memrchr", 3, {READS_BYTE(0)}},
    {"strlen", 1, {READS_STRING(0)}},
    {"strdup", 1, {READS_STRING(0)}},
    {"strcpy", 2, {WRITES_STRING(0, 1), READS_STRING(1)}},
    {"stpcpy", 2, {WRITES_STRING(0, 1), READS_STRING(1)}},
    {"__strcpy_chk", 3, {WRITES_STRING(0, 1), READS_STRING(1)}},
    {"strncpy", 3, {WRITES(0, 2), READS_BYTE(1)}},
    {"strcat", 2, {READS_STRING(0), READS_STRING(1)}},
    {"strncat", 3, {READS_STRING(0), READS_BYTE(1)}},
    {"strcmp", 2, {READS_BYTE(0), READS_BYTE(1)}},
    {"strcasecmp", 2, {READS_BYTE(0), READS_BYTE(1)}},
    {"strchr", 2, {READS_BYTE(0)}},
    {"strrchr", 2, {READS_STRING(0)}},
    {"strstr", 2, {READS_BYTE(0), READS_STRING(1)}},
    {"strspn", 2, {READS_BYTE(0)}},
    {"strcspn", 2, {READS_BYTE(0)}},
    {"strpbrk", 2, {READS_BYTE(0)}},
    {"atoi", 1, {READS_BYTE(0)}},
    {"atol", 1, {READS_BYTE(0)}},
    {"strtol", 3, {READS_BYTE(0)}},
    {"strtoul", 3, {READS_BYTE(0)}},
    {"darn_assert_exclusive_writer", 2, {ASSERTS(DARN_SITE_ASSERT_WRITER)}},
    {"darn_assert_exclusive_access", 2, {ASSERTS(DARN_SITE_ASSERT_ACCESS)}},
};

const struct darn_libcall *darn_libcall(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name;
    size_t length;

    /* A definition in this module is the program's own function of that name. */
    if (!callee || !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
        return NULL;
    name = LLVMGetValueName2(callee, &length);
    for (size_t i = 0; i < sizeof(libcalls) / sizeof(libcalls[0]); i++) {
        if (strcmp(libcalls[i].name, name) == 0 &&
            libcalls[i].arguments == LLVMGetNumArgOperands(call))
            return &libcalls[i];
    }
    return NULL;
}
