#include "plugin/call/scanned.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned format; /* the argument */
} functions[] = {{"scanf", 0}, {"fscanf", 1}, {"sscanf", 1}};

/* `__isoc99_scanf` is what <stdio.h> makes of it. */
static const char *without_prefix(const char *name)
{
    static const char *const prefixes[] = {"__isoc99_", "__isoc23_"};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return name + strlen(prefixes[i]);
    }
    return name;
}

/* hh, h, l, ll, q, j, z, t, L: one letter for each, and 0 for none. */
static char take_length(const char **at)
{
    char length = **at;

    if (!length || !strchr("hlqjztL", length))
        return 0;
    *at += 1;
    if ((length == 'h' || length == 'l') && **at == length) {
        *at += 1;
        return length == 'h' ? 'b' : 'q';
    }
    return length;
}

static unsigned integer_size(char length)
{
    return length == 'b' ? 1 : length == 'h' ? 2 : length ? 8 : 4;
}

static unsigned real_size(char length)
{
    return length == 'L' ? 10 : length ? 8 : 4;
}

/* Behind the set of `%[a-z]`; NULL: it does not end. */
static const char *skip_set(const char *at)
{
    at += *at == '^';
    at += *at == ']';
    at = strchr(at, ']');
    return at ? at + 1 : NULL;
}

struct conversion {
    unsigned width;
    char length, letter;
    int is_allocated, is_dropped;
};

/* What follows a `%`; NULL: it is not understood. */
static const char *take_conversion(const char *at, struct conversion *conversion)
{
    char *end;

    *conversion = (struct conversion){.is_dropped = *at == '*'};
    at += conversion->is_dropped;
    conversion->width = (unsigned)strtoul(at, &end, 10);
    at = end;
    conversion->is_allocated = *at == 'm';
    at += conversion->is_allocated;
    conversion->length = take_length(&at);
    conversion->letter = *at;
    if (!*at || !strchr("diouxXpaAeEfFgGscSC[n%", *at))
        return NULL; /* `%1$d` is not either */
    if (*at == 'a' && at[1] && strchr("sS[", at[1]))
        return NULL; /* may be an old way to say that the string is to be allocated */
    return *at == '[' ? skip_set(at + 1) : at + 1;
}

/* How many bytes it writes; 0: a string. Of wide characters nobody knows. */
static int size_of(const struct conversion *conversion, unsigned *size)
{
    if (conversion->is_allocated)
        *size = sizeof(void *);
    else if (strchr("diouxX", conversion->letter))
        *size = integer_size(conversion->length);
    else if (strchr("aAeEfFgG", conversion->letter))
        *size = real_size(conversion->length);
    else if (conversion->letter == 'p')
        *size = sizeof(void *);
    else if (conversion->length || conversion->letter == 'S' || conversion->letter == 'C')
        return 0;
    else
        *size = conversion->letter != 'c' ? 0 : conversion->width ? conversion->width : 1;
    return 1;
}

/* What is written by a format, with the number of its first argument; 0: it is not understood. */
static unsigned scanned_by(const char *format, unsigned argument, struct darn_scanned *scanned)
{
    unsigned count = 0, done = 0;
    struct conversion conversion;

    while ((format = strchr(format, '%'))) {
        format = take_conversion(format + 1, &conversion);
        if (!format)
            return 0;
        if (conversion.letter == '%' || conversion.is_dropped)
            continue;
        if (conversion.letter == 'n') { /* it does not count, and may not be reached */
            argument++;
            continue;
        }
        if (count < DARN_MOST_SCANNED && size_of(&conversion, &scanned[count].size)) {
            scanned[count].argument = argument;
            scanned[count++].before = done;
        }
        argument++;
        done++;
    }
    return count;
}

const char *darn_constant_format(LLVMValueRef value)
{
    LLVMValueRef text;
    size_t length;
    const char *bytes;

    if (!LLVMIsAGlobalVariable(value) || !LLVMIsGlobalConstant(value))
        return NULL;
    text = LLVMGetInitializer(value);
    if (!text || !LLVMIsAConstantDataSequential(text) || !LLVMIsConstantString(text))
        return NULL;
    bytes = LLVMGetAsString(text, &length);
    return length && !bytes[length - 1] ? bytes : NULL;
}

static int fits(LLVMValueRef call, const struct darn_scanned *scanned, unsigned count)
{
    unsigned given = (unsigned)LLVMGetNumArgOperands(call);
    LLVMTypeRef type = LLVMTypeOf(call);

    for (unsigned i = 0; i < count; i++) {
        if (scanned[i].argument >= given ||
            LLVMGetTypeKind(LLVMTypeOf(LLVMGetArgOperand(call, scanned[i].argument))) !=
                LLVMPointerTypeKind)
            return 0;
    }
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32;
}

unsigned darn_scanned(LLVMValueRef call, struct darn_scanned *scanned)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length;
    const char *name, *format;

    if (!callee || !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
        return 0;
    name = without_prefix(LLVMGetValueName2(callee, &length));
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        unsigned at = functions[i].format, count;

        if (strcmp(name, functions[i].name) != 0 || at >= LLVMGetNumArgOperands(call))
            continue;
        format = darn_constant_format(LLVMGetArgOperand(call, at));
        count = format ? scanned_by(format, at + 1, scanned) : 0;
        return fits(call, scanned, count) ? count : 0;
    }
    return 0;
}
