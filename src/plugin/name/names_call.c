/*
 * What calls return has no name of its own; the call has one. `vec[2]` calls `operator[]`, `it->x`
 * calls `operator->`, and what `bank.account(7)` returns is written the same way, without the
 * arguments: `bank.account()`. Arguments would be expressions, and no two sides of a race need have
 * the same.
 */
#include "plugin/name/names_private.h"

#include <string.h>

/* A function, as debug info has it. */
struct callee {
    char name[DARN_NAME_PATH];
    LLVMMetadataRef result; /* its type */
    LLVMMetadataRef object; /* the class whose method it is, or NULL */
};

static int find_callee(LLVMValueRef call, struct callee *callee)
{
    LLVMValueRef function = LLVMGetCalledValue(call);
    LLVMMetadataRef program =
        function && LLVMIsAFunction(function) ? LLVMGetSubprogram(function) : NULL;
    LLVMMetadataRef type = program ? darn_di_operand(program, DARN_DI_SUBPROGRAM_TYPE) : NULL;
    LLVMMetadataRef types = type ? darn_di_operand(type, DARN_DI_SUBROUTINE_TYPES) : NULL;
    LLVMMetadataRef first = types ? darn_di_operand(types, 1) : NULL;
    struct darn_text text;

    *callee = (struct callee){{0}, NULL, NULL};
    darn_text_start(&text, callee->name, sizeof(callee->name));
    if (!types || darn_di_string(darn_di_operand(program, DARN_DI_SUBPROGRAM_NAME), &text))
        return -1;
    callee->result = darn_di_operand(types, 0);
    if (first && LLVMGetMetadataKind(first) == LLVMDIDerivedTypeMetadataKind &&
        LLVMDITypeGetFlags(first) & LLVMDIFlagObjectPointer)
        callee->object = darn_di_strip(darn_di_pointee(first));
    return darn_di_pointee(callee->result) ? 0 : -1;
}

/* The object whose method is called; empty when it has no name. */
static void name_object(struct darn_names *names, LLVMValueRef call, const struct callee *callee,
                        int depth, char *to, size_t size)
{
    struct darn_di_goal goal = {.type = callee->object};
    struct darn_text text;

    darn_text_start(&text, to, size);
    if (!callee->object || !LLVMGetNumArgOperands(call) ||
        darn_name_other(names, LLVMGetArgOperand(call, 0), goal, depth + 1, &text) !=
            callee->object)
        to[0] = '\0';
}

/* `(*p)` where more follows. */
static void add_operand(const char *object, struct darn_text *text)
{
    if (object[0] == '*')
        darn_text_char(text, '(');
    darn_text_add(text, object);
    if (object[0] == '*')
        darn_text_char(text, ')');
}

static void add_index(LLVMValueRef call, struct darn_text *text)
{
    LLVMValueRef index = LLVMGetNumArgOperands(call) > 1 ? LLVMGetArgOperand(call, 1) : NULL;

    darn_text_char(text, '[');
    if (index && LLVMIsAConstantInt(index) && LLVMConstIntGetSExtValue(index) >= 0)
        darn_text_number(text, LLVMConstIntGetZExtValue(index));
    darn_text_char(text, ']');
}

static void add_call(const char *object, const char *function, struct darn_text *text)
{
    if (object[0]) {
        darn_text_add(text, object[0] == '*' ? object + 1 : object);
        darn_text_add(text, object[0] == '*' ? "->" : ".");
    }
    darn_text_part(text, function, strcspn(function, "<")); /* get<1, int, long> */
    darn_text_add(text, "()");
}

LLVMMetadataRef darn_name_call(struct darn_names *names, const struct darn_place *place, int depth,
                               struct darn_text *text)
{
    struct callee callee;
    char object[DARN_NAME_PATH], name[DARN_NAME_PATH];
    struct darn_text buffer;
    int is_operator;

    if (find_callee(place->base, &callee))
        return NULL;
    name_object(names, place->base, &callee, depth, object, sizeof(object));
    is_operator = strncmp(callee.name, "operator", strlen("operator")) == 0;
    if (is_operator && !object[0])
        return NULL;
    darn_text_start(&buffer, name, sizeof(name));
    if (!is_operator) {
        add_call(object, callee.name, &buffer);
    } else if (strcmp(callee.name, "operator[]") == 0) {
        add_operand(object, &buffer);
        add_index(place->base, &buffer);
    } else if (strcmp(callee.name, "operator->") == 0 || strcmp(callee.name, "operator*") == 0) {
        add_operand(object, &buffer);
        return darn_name_pointee(names, name, darn_di_pointee(callee.result), *place, text);
    } else {
        return NULL;
    }
    return darn_name_behind(names, name, callee.result, place, text);
}
