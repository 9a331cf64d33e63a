/*
 * Places of calls, found again in another build: this function, what it calls, and which of the
 * lines that call it. Lines may move; their number and order must not change.
 */
#ifndef DARN_DRIVER_HEAL_CALL_H
#define DARN_DRIVER_HEAL_CALL_H

#include "driver/process/elf_calls.h"
#include "report/text_pool.h"
#include "report/symbol/module.h"
#include "section/deadlock.h"

/* A module as it is now. */
struct darn_heal_module {
    const char *path;
    const char *name; /* the last part of the path, of links that of what they lead to */
    struct darn_elf_calls elf;
    struct darn_modules debug;
    struct darn_text_pool pool; /* of the names that were asked for */
};

/* 0, or -1 when it cannot be read. */
int darn_heal_module_open(struct darn_heal_module *module, const char *path);
void darn_heal_module_close(struct darn_heal_module *module);

/* Completes frames[0], the call, from the module: what it calls, and as which of how many lines.
 * Frames that follow without a module are those into which it was inlined; there are `count` in
 * all. */
void darn_heal_call_describe(struct darn_heal_module *module, struct darn_deadlock_frame *frames,
                             uint32_t count);

/* Finds the place that frames[0] describes, and sets its offset and the lines of all. NULL, or what
 * is wrong, in words. */
const char *darn_heal_call_find(struct darn_heal_module *module, struct darn_deadlock_frame *frames,
                                uint32_t count);

/* How many frames belong to the place that begins at this one. */
uint32_t darn_heal_call_depth(const struct darn_deadlock_stack *stack, uint32_t at);

#endif
