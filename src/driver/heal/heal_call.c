#include "driver/heal/heal_call.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbol/demangle.h"
#include "report/symbol/symbolize.h"

#define MOST_CALLS 256

/* A call, with the lines of the functions around it: the function that has the code first. */
struct call {
    uint64_t after;
    uint32_t lines[DARN_DEADLOCK_FRAMES];
};

struct calls {
    struct darn_heal_module *module;
    const struct darn_deadlock_frame *frames;
    uint32_t depth;
    size_t count;
    bool too_many;
    struct call items[MOST_CALLS];
};

int darn_heal_module_open(struct darn_heal_module *module, const char *path)
{
    char real[PATH_MAX];
    const char *name = realpath(path, real) ? real : path, *slash = strrchr(name, '/');

    /* Under a link it runs by its own name, which is the one that the runtime knows. */
    *module = (struct darn_heal_module){.path = path};
    if (darn_elf_calls_open(&module->elf, path))
        return -1;
    module->name = darn_pool_text(&module->pool, slash ? slash + 1 : name);
    return 0;
}

void darn_heal_module_close(struct darn_heal_module *module)
{
    darn_elf_calls_close(&module->elf);
    darn_modules_close(&module->debug);
    darn_pool_release(&module->pool);
}

uint32_t darn_heal_call_depth(const struct darn_deadlock_stack *stack, uint32_t at)
{
    uint32_t depth = 1;

    while (at + depth < stack->count && !stack->frames[at + depth].module)
        depth++;
    return depth;
}

/* gcc makes `take.constprop.0` of `take`. */
static bool is_function(struct darn_text_pool *pool, const char *symbol, const char *name)
{
    size_t length = strcspn(symbol, ".");

    if (!name)
        return false;
    if (strcmp(symbol, name) == 0 || (strncmp(symbol, name, length) == 0 && !name[length]))
        return true;
    return strncmp(symbol, "_Z", 2) == 0 && strcmp(darn_demangle(pool, symbol), name) == 0;
}

static bool is_same(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

/* Keeps the call if it lies in the same functions. */
static void add_call(void *context, uint64_t after)
{
    struct calls *calls = context;
    struct darn_frame found[DARN_SYMBOLIZE_DEPTH];
    size_t depth = darn_symbolize_code(&calls->module->debug, &calls->module->pool,
                                       calls->module->path, after - 1, found);
    struct call *call = &calls->items[calls->count];

    if (depth != calls->depth)
        return;
    for (size_t i = 0; i < depth; i++) {
        if (!is_same(found[i].function, calls->frames[i].function))
            return;
    }
    calls->too_many = calls->count == MOST_CALLS;
    if (calls->too_many)
        return;
    *call = (struct call){.after = after};
    for (size_t i = 0; i < depth; i++)
        call->lines[i] = found[depth - 1 - i].line;
    calls->count++;
}

static int compare(const void *left, const void *right)
{
    const struct call *a = left, *b = right;

    for (size_t i = 0; i < DARN_DEADLOCK_FRAMES; i++) {
        if (a->lines[i] != b->lines[i])
            return a->lines[i] < b->lines[i] ? -1 : 1;
    }
    return (a->after > b->after) - (a->after < b->after);
}

/* All calls of the same function at places like this one, in the order of their lines. */
static struct calls *find_calls(struct darn_heal_module *module,
                                const struct darn_deadlock_frame *frames, uint32_t depth,
                                const char *callee)
{
    struct calls *calls = darn_pool_get(&module->pool, 1, sizeof(*calls));
    const char *function = frames[depth - 1].function;

    calls->module = module;
    calls->frames = frames;
    calls->depth = depth;
    for (size_t i = 0; i < module->elf.function_count; i++) {
        const struct darn_elf_function *symbol = &module->elf.functions[i];

        if (symbol->size && is_function(&module->pool, symbol->name, function))
            darn_elf_each_call(&module->elf, symbol->address, symbol->address + symbol->size,
                               callee, add_call, calls);
    }
    if (calls->count)
        qsort(calls->items, calls->count, sizeof(calls->items[0]), compare);
    return calls;
}

static bool is_same_line(const struct call *one, const struct call *other)
{
    return memcmp(one->lines, other->lines, sizeof(one->lines)) == 0;
}

/* Numbers the lines, from 1; returns how many there are. */
static uint32_t number_lines(const struct calls *calls, uint32_t *numbers)
{
    uint32_t number = 0;

    for (size_t i = 0; i < calls->count; i++) {
        if (i == 0 || !is_same_line(&calls->items[i - 1], &calls->items[i]))
            number++;
        numbers[i] = number;
    }
    return number;
}

void darn_heal_call_describe(struct darn_heal_module *module, struct darn_deadlock_frame *frames,
                             uint32_t count)
{
    const char *callee = darn_elf_callee(&module->elf, frames[0].offset);
    uint32_t numbers[MOST_CALLS], lines;
    struct calls *calls;

    if (!callee)
        return;
    frames[0].calls = callee;
    calls = find_calls(module, frames, count, callee);
    if (calls->too_many)
        return;
    lines = number_lines(calls, numbers);
    for (size_t i = 0; i < calls->count; i++) {
        if (calls->items[i].after != frames[0].offset)
            continue;
        frames[0].nth = numbers[i];
        frames[0].of = lines;
    }
}

const char *darn_heal_call_find(struct darn_heal_module *module, struct darn_deadlock_frame *frames,
                                uint32_t count)
{
    uint32_t numbers[MOST_CALLS], lines;
    const struct call *found = NULL;
    struct calls *calls;

    if (!frames[0].calls || !frames[0].nth)
        return "it is not known what is called there";
    calls = find_calls(module, frames, count, frames[0].calls);
    if (!calls->count)
        return "there is no such call in the function any more";
    lines = number_lines(calls, numbers);
    if (calls->too_many || lines != frames[0].of)
        return "the function has more or fewer such calls now, so that it is not clear which one "
               "is meant";
    for (size_t i = 0; i < calls->count; i++) {
        if (numbers[i] != frames[0].nth)
            continue;
        if (found)
            return "the compiler has made several calls of it";
        found = &calls->items[i];
    }
    frames[0].offset = found->after;
    for (uint32_t i = 0; i < count; i++)
        frames[i].line = found->lines[count - 1 - i];
    return NULL;
}
