#include "plugin/core/ignore.h"

#include <fnmatch.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/core/debuginfo.h"
#include "site/wishes.h"

#define ANNOTATION "darn.ignore"

enum { BY_FUNCTION, BY_FILE };

struct darn_ignore_pattern {
    int kind;
    char *glob;
};

/* llvm.global.annotations: an array of {annotated value, text, file, line, arguments}. */
void darn_annotated(struct darn_map *functions, LLVMModuleRef module, const char *annotation)
{
    LLVMValueRef list = LLVMGetNamedGlobal(module, "llvm.global.annotations");
    LLVMValueRef array = list ? LLVMGetInitializer(list) : NULL;
    int count = array ? LLVMGetNumOperands(array) : 0;

    for (int i = 0; i < count; i++) {
        LLVMValueRef entry = LLVMGetOperand(array, (unsigned)i);
        LLVMValueRef text = LLVMGetOperand(entry, 1);
        LLVMValueRef string = LLVMIsAGlobalVariable(text) ? LLVMGetInitializer(text) : NULL;
        size_t length;

        if (string && LLVMIsConstantString(string) &&
            strcmp(LLVMGetAsString(string, &length), annotation) == 0)
            darn_map_put(functions, (uintptr_t)LLVMGetOperand(entry, 0), 1);
    }
}

static void add_pattern(struct darn_ignore *ignore, int kind, const char *glob)
{
    struct darn_ignore_pattern *grown =
        realloc(ignore->patterns, (ignore->count + 1) * sizeof(*ignore->patterns));
    char *copy = strdup(glob);

    if (!grown || !copy)
        abort();
    ignore->patterns = grown;
    ignore->patterns[ignore->count++] = (struct darn_ignore_pattern){kind, copy};
}

static char *trim(char *line)
{
    char *end;

    while (*line == ' ' || *line == '\t')
        line++;
    end = line + strcspn(line, "\r\n");
    while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
    return line;
}

/* [thread], [address|thread], [*]: a section that is for us, or was meant for TSan. */
static int is_our_section(const char *header)
{
    return strchr(header, '*') || strstr(header, "thread") || strstr(header, "darn");
}

/* `darn cc` has checked the list before clang was started. A category (=init) does not concern us.
 */
static void read_list(struct darn_ignore *ignore, const char *path)
{
    FILE *file = fopen(path, "r");
    char buffer[4096];
    int ours = 1;

    if (!file)
        return;
    while (fgets(buffer, sizeof(buffer), file)) {
        char *line = trim(buffer);

        if (*line == '[')
            ours = is_our_section(line);
        else if (ours && !strchr(line, '=') && strncmp(line, "fun:", 4) == 0)
            add_pattern(ignore, BY_FUNCTION, line + 4);
        else if (ours && !strchr(line, '=') && strncmp(line, "src:", 4) == 0)
            add_pattern(ignore, BY_FILE, line + 4);
    }
    fclose(file);
}

void darn_ignore_init(struct darn_ignore *ignore, LLVMModuleRef module)
{
    const char *path = getenv(DARN_IGNORELIST_VARIABLE);

    *ignore = (struct darn_ignore){0};
    darn_annotated(&ignore->functions, module, ANNOTATION);
    if (path && *path)
        read_list(ignore, path);
}

void darn_ignore_free(struct darn_ignore *ignore)
{
    for (size_t i = 0; i < ignore->count; i++)
        free(ignore->patterns[i].glob);
    free(ignore->patterns);
    darn_map_free(&ignore->functions);
}

static int is_listed(const struct darn_ignore *ignore, LLVMValueRef function)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    LLVMMetadataRef file = subprogram ? LLVMDIScopeGetFile(subprogram) : NULL;
    unsigned file_length = 0;
    size_t length;
    const char *path = file ? LLVMDIFileGetFilename(file, &file_length) : NULL;
    const char *symbol = LLVMGetValueName2(function, &length);
    char name[256], file_name[4096];
    struct darn_text text;

    darn_text_start(&text, name, sizeof(name));
    if (subprogram)
        darn_di_string(darn_di_operand(subprogram, DARN_DI_SUBPROGRAM_NAME), &text);
    snprintf(file_name, sizeof(file_name), "%.*s", (int)file_length, path ? path : "");
    for (size_t i = 0; i < ignore->count; i++) {
        const struct darn_ignore_pattern *pattern = &ignore->patterns[i];

        if (pattern->kind == BY_FILE && fnmatch(pattern->glob, file_name, 0) == 0)
            return 1;
        if (pattern->kind == BY_FUNCTION && (fnmatch(pattern->glob, symbol, 0) == 0 ||
                                             (name[0] && fnmatch(pattern->glob, name, 0) == 0)))
            return 1;
    }
    return 0;
}

static int has_attribute(LLVMValueRef function, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                       kind) != NULL;
}

/*
 * std::ctype<char> keeps what it has narrowed, in the locale that all threads share, without a lock
 * (std::regex calls it): the same byte is the same value, whoever stores it. By the rules of C++ it
 * is a race, about which nobody who uses the library can do anything.
 */
static int is_cache_of_library(LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);

    return strcmp(name, "_ZNKSt5ctypeIcE6narrowEcc") == 0 ||
           strcmp(name, "_ZNKSt5ctypeIcE6narrowEPKcS2_cPc") == 0;
}

int darn_ignore_function(const struct darn_ignore *ignore, LLVMValueRef function)
{
    return is_cache_of_library(function) || darn_map_get(&ignore->functions, (uintptr_t)function, 0) ||
           has_attribute(function, "disable_sanitizer_instrumentation") ||
           has_attribute(function, "naked") || is_listed(ignore, function);
}
