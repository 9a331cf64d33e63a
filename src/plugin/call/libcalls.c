#include "plugin/call/libcalls.h"

#include <string.h>

#include "site/site.h"

/* Of arguments, but two of them. */
#define ANY_NUMBER 255

#define READS(pointer, by)                                                                         \
    {                                                                                              \
        DARN_EXTENT_LENGTH, pointer, by, 0, 0, 0                                                   \
    }
#define WRITES(pointer, by)                                                                        \
    {                                                                                              \
        DARN_EXTENT_LENGTH, pointer, by, 1, 0, 0                                                   \
    }
#define READS_STRING(pointer)                                                                      \
    {                                                                                              \
        DARN_EXTENT_STRING, pointer, pointer, 0, 0, 0                                              \
    }
#define WRITES_STRING(p, from)                                                                     \
    {                                                                                              \
        DARN_EXTENT_STRING, p, from, 1, 0, 0                                                       \
    }
#define READS_BYTE(pointer)                                                                        \
    {                                                                                              \
        DARN_EXTENT_BYTE, pointer, 0, 0, 0, 0                                                      \
    }
#define COMPARES(pointer, other, most)                                                             \
    {                                                                                              \
        DARN_EXTENT_COMPARED, pointer, other, 0, 0, most                                           \
    }
#define ASSERTS(flag)                                                                              \
    {                                                                                              \
        DARN_EXTENT_LENGTH, 0, 1, 0, flag, 0                                                       \
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
    {"strncpy", 3, {WRITES(0, 2), COMPARES(1, 1, 2)}},
    {"strcat", 2, {READS_STRING(0), READS_STRING(1)}},
    {"strncat", 3, {READS_STRING(0), COMPARES(1, 1, 2)}},
    {"strcmp", 2, {COMPARES(0, 1, DARN_NO_LIMIT), COMPARES(1, 0, DARN_NO_LIMIT)}},
    {"strcasecmp", 2, {COMPARES(0, 1, DARN_NO_LIMIT), COMPARES(1, 0, DARN_NO_LIMIT)}},
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
    {"strtoll", 3, {READS_BYTE(0)}},
    {"strtoull", 3, {READS_BYTE(0)}},
    {"strtod", 2, {READS_BYTE(0)}},
    {"atof", 1, {READS_BYTE(0)}},
    {"atoll", 1, {READS_BYTE(0)}},
    {"strncmp", 3, {COMPARES(0, 1, 2), COMPARES(1, 0, 2)}},
    {"strncasecmp", 3, {COMPARES(0, 1, 2), COMPARES(1, 0, 2)}},
    {"strndup", 2, {COMPARES(0, 0, 1)}},
    {"strnlen", 2, {COMPARES(0, 0, 1)}},
    {"darn_assert_exclusive_writer", 2, {ASSERTS(DARN_SITE_ASSERT_WRITER)}},
    {"darn_assert_exclusive_access", 2, {ASSERTS(DARN_SITE_ASSERT_ACCESS)}},
};

#define READS_ALL(pointer, size, number)                                                           \
    {                                                                                              \
        DARN_EXTENT_PRODUCT, pointer, size, 0, 0, number                                           \
    }
#define WRITES_ALL(pointer, size, number)                                                          \
    {                                                                                              \
        DARN_EXTENT_PRODUCT, pointer, size, 1, 0, number                                           \
    }
#define GETS(extent, pointer, with)                                                                \
    {                                                                                              \
        DARN_EXTENT_##extent, pointer, 0, 1, 0, with                                               \
    }

#define FILLS(pointer, size)                                                                       \
    {                                                                                              \
        DARN_EXTENT_SUCCEEDED, pointer, 0, 1, 0, size                                              \
    }
#define GETS_PARTS(extent, pointer, by)                                                            \
    {                                                                                              \
        DARN_EXTENT_##extent, pointer, by, 1, 0, 0                                                 \
    }
#define READS_PARTS(extent, pointer, by)                                                           \
    {                                                                                              \
        DARN_EXTENT_ALL_##extent, pointer, by, 0, 0, 0                                             \
    }

static const struct darn_libcall buffers[] = {
    {"write", 3, {READS(1, 2)}},
    {"pwrite", 4, {READS(1, 2)}},
    {"pwrite64", 4, {READS(1, 2)}},
    {"send", 4, {READS(1, 2)}},
    {"sendto", 6, {READS(1, 2)}},
    {"puts", 1, {READS_STRING(0)}},
    {"fputs", 2, {READS_STRING(0)}},
    {"fwrite", 4, {READS_ALL(0, 1, 2)}},
    {"qsort", 4, {WRITES_ALL(0, 1, 2)}},
    {"read", 3, {GETS(RESULT, 1, 0)}},
    {"__read_chk", 4, {GETS(RESULT, 1, 0)}},
    {"pread", 4, {GETS(RESULT, 1, 0)}},
    {"pread64", 4, {GETS(RESULT, 1, 0)}},
    {"recv", 4, {GETS(RESULT, 1, 0)}},
    {"recvfrom", 6, {GETS(RESULT, 1, 0)}},
    {"getrandom", 3, {GETS(RESULT, 0, 0)}},
    {"readlink", 3, {GETS(RESULT, 1, 0)}},
    {"fread", 4, {GETS(RESULTS, 0, 1)}},
    {"__fread_chk", 5, {GETS(RESULTS, 0, 2)}},
    {"fgets", 3, {GETS(RETURNED, 0, 0)}},
    {"__fgets_chk", 4, {GETS(RETURNED, 0, 0)}},
    {"getcwd", 2, {GETS(RETURNED, 0, 0)}},
    {"inet_ntop", 4, {GETS(RETURNED, 2, 0)}},
    {"strerror_r", 3, {GETS(RETURNED, 1, 0)}},
    {"__xpg_strerror_r", 3, {GETS(FILLED, 1, 0)}},
    {"stat", 2, {FILLS(1, 144)}},
    {"stat64", 2, {FILLS(1, 144)}},
    {"lstat", 2, {FILLS(1, 144)}},
    {"lstat64", 2, {FILLS(1, 144)}},
    {"fstat", 2, {FILLS(1, 144)}},
    {"fstat64", 2, {FILLS(1, 144)}},
    {"fstatat", 4, {FILLS(2, 144)}},
    {"fstatat64", 4, {FILLS(2, 144)}},
    {"clock_gettime", 2, {FILLS(1, 16)}},
    {"gettimeofday", 2, {FILLS(0, 16)}},
    {"getrusage", 2, {FILLS(1, 144)}},
    {"gmtime_r", 2, {FILLS(1, 56)}},
    {"localtime_r", 2, {FILLS(1, 56)}},
    {"pipe", 1, {FILLS(0, 8)}},
    {"pipe2", 2, {FILLS(0, 8)}},
    {"socketpair", 4, {FILLS(3, 8)}},
    {"getline", 3, {GETS(LINE, 0, 0)}},
    {"getdelim", 4, {GETS(LINE, 0, 0)}},
    {"__getdelim", 4, {GETS(LINE, 0, 0)}},
    {"readv", 3, {GETS_PARTS(PARTS, 1, 2)}},
    {"preadv", 4, {GETS_PARTS(PARTS, 1, 2)}},
    {"preadv64", 4, {GETS_PARTS(PARTS, 1, 2)}},
    {"preadv2", 5, {GETS_PARTS(PARTS, 1, 2)}},
    {"preadv64v2", 5, {GETS_PARTS(PARTS, 1, 2)}},
    {"recvmsg", 3, {GETS_PARTS(MESSAGE, 1, 1)}},
    {"writev", 3, {READS_PARTS(PARTS, 1, 2)}},
    {"pwritev", 4, {READS_PARTS(PARTS, 1, 2)}},
    {"pwritev64", 4, {READS_PARTS(PARTS, 1, 2)}},
    {"pwritev2", 5, {READS_PARTS(PARTS, 1, 2)}},
    {"pwritev64v2", 5, {READS_PARTS(PARTS, 1, 2)}},
    {"sendmsg", 3, {READS_PARTS(OF_MESSAGE, 1, 1)}},
    {"snprintf", ANY_NUMBER, {GETS(PRINTED, 0, 1)}},
    {"vsnprintf", 4, {GETS(PRINTED, 0, 1)}},
    {"__snprintf_chk", ANY_NUMBER, {GETS(PRINTED, 0, 1)}},
    {"__vsnprintf_chk", 6, {GETS(PRINTED, 0, 1)}},
    {"sprintf", ANY_NUMBER, {GETS(PRINTED_ALL, 0, 0)}},
    {"vsprintf", 3, {GETS(PRINTED_ALL, 0, 0)}},
    {"__sprintf_chk", ANY_NUMBER, {GETS(PRINTED_ALL, 0, 0)}},
    {"asprintf", ANY_NUMBER, {GETS(SCANNED, 0, 0)}},
    {"vasprintf", 3, {GETS(SCANNED, 0, 0)}},
    {"__asprintf_chk", ANY_NUMBER, {GETS(SCANNED, 0, 0)}},
};

static const struct darn_libcall *find_libcall(LLVMValueRef call, const struct darn_libcall *list,
                                               size_t count)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name;
    size_t length;

    /* A definition in this module is the program's own function of that name. */
    if (!callee || !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
        return NULL;
    name = LLVMGetValueName2(callee, &length);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0 &&
            (list[i].arguments == LLVMGetNumArgOperands(call) || list[i].arguments == ANY_NUMBER))
            return &list[i];
    }
    return NULL;
}

const struct darn_libcall *darn_libcall(LLVMValueRef call)
{
    return find_libcall(call, libcalls, sizeof(libcalls) / sizeof(libcalls[0]));
}

static int has_width(LLVMValueRef value, unsigned width)
{
    LLVMTypeRef type = LLVMTypeOf(value);

    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == width;
}

static int is_pointer(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

/* These names are not reserved to libc: another `send` of the program has other types. */
static int has_types(LLVMValueRef call, const struct darn_effect *effect)
{
    LLVMValueRef by = LLVMGetArgOperand(call, effect->by);
    LLVMValueRef with =
        effect->extent == DARN_EXTENT_SUCCEEDED ? NULL : LLVMGetArgOperand(call, effect->with);

    if (!is_pointer(LLVMGetArgOperand(call, effect->argument)))
        return 0;
    switch (effect->extent) {
    case DARN_EXTENT_LENGTH:
        return has_width(by, 64);
    case DARN_EXTENT_PRODUCT:
        return has_width(by, 64) && has_width(with, 64);
    case DARN_EXTENT_PARTS:
    case DARN_EXTENT_ALL_PARTS:
        return has_width(call, 64) && has_width(by, 32);
    case DARN_EXTENT_RESULT:
    case DARN_EXTENT_LINE:
    case DARN_EXTENT_MESSAGE:
    case DARN_EXTENT_ALL_OF_MESSAGE:
        return has_width(call, 64);
    case DARN_EXTENT_FILLED:
    case DARN_EXTENT_SCANNED:
        return has_width(call, 32);
    case DARN_EXTENT_SUCCEEDED:
        return has_width(call, 32) || is_pointer(call);
    case DARN_EXTENT_RESULTS:
        return has_width(call, 64) && has_width(with, 64);
    case DARN_EXTENT_PRINTED:
        return has_width(call, 32) && has_width(with, 64);
    case DARN_EXTENT_PRINTED_ALL:
        return has_width(call, 32);
    case DARN_EXTENT_RETURNED:
        return is_pointer(call);
    default:
        return is_pointer(by);
    }
}

const struct darn_libcall *darn_buffer_call(LLVMValueRef call)
{
    const struct darn_libcall *found =
        find_libcall(call, buffers, sizeof(buffers) / sizeof(buffers[0]));

    return found && has_types(call, &found->effects[0]) ? found : NULL;
}
