#include "plugin/call/printed.h"

#include <ctype.h>
#include <string.h>

#include "plugin/call/scanned.h"

static const struct {
    const char *name;
    unsigned format; /* the argument */
} functions[] = {{"printf", 0},        {"fprintf", 1},        {"dprintf", 1},
                 {"sprintf", 1},       {"snprintf", 2},       {"asprintf", 1},
                 {"__printf_chk", 1},  {"__fprintf_chk", 2},  {"__dprintf_chk", 2},
                 {"__sprintf_chk", 3}, {"__snprintf_chk", 4}, {"__asprintf_chk", 2}};

/* A number, or an argument that has it. */
static const char *skip_number(const char *at, unsigned *argument)
{
    if (*at == '*') {
        *argument += 1;
        return at + 1;
    }
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

/* By a format, with the number of its first argument. */
static unsigned strings_of(const char *format, unsigned argument, unsigned *arguments)
{
    unsigned count = 0;

    while ((format = strchr(format, '%'))) {
        const char *start, *length;
        int is_cut;

        start = format + 1 + strspn(format + 1, "-+ #0'I");
        format = skip_number(start, &argument);
        is_cut = *format == '.'; /* how far it is read depends on the data */
        if (is_cut)
            format = skip_number(format + 1, &argument);
        length = format;
        format += strspn(format, "hlqjztL");
        if (!*format || !strchr("diouxXeEfFgGaAcspnmCS%", *format))
            return 0; /* `%1$s` is not understood either */
        if (*format == 's' && !is_cut && length == format && count < DARN_MOST_PRINTED)
            arguments[count++] = argument;
        argument += *format != '%' && *format != 'm';
        format++;
    }
    return count;
}

static int are_pointers(LLVMValueRef call, const unsigned *arguments, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (arguments[i] >= LLVMGetNumArgOperands(call) ||
            LLVMGetTypeKind(LLVMTypeOf(LLVMGetArgOperand(call, arguments[i]))) !=
                LLVMPointerTypeKind)
            return 0;
    }
    return 1;
}

unsigned darn_printed(LLVMValueRef call, unsigned *arguments)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length;
    const char *name, *format;

    /* A definition in this module is the program's own function of that name. */
    if (!callee || !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
        return 0;
    name = LLVMGetValueName2(callee, &length);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        unsigned at = functions[i].format, count;

        if (strcmp(name, functions[i].name) != 0 || at >= LLVMGetNumArgOperands(call))
            continue;
        format = darn_constant_format(LLVMGetArgOperand(call, at));
        count = format ? strings_of(format, at + 1, arguments) : 0;
        return are_pointers(call, arguments, count) ? count : 0;
    }
    return 0;
}
