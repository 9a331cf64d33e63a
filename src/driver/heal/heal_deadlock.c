#include "driver/heal/heal_deadlock.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "driver/heal/heal_call.h"
#include "section/deadlock.h"

#define SIGNATURE_SIZE (64 << 10)

/* A signature in the making. */
struct making {
    struct darn_deadlock deadlock;
    struct darn_heal_module modules[DARN_DEADLOCK_MODULES]; /* those of the deadlock, in order */
    char *why;
    size_t why_size;
};

static int refuse(struct making *making, const char *why)
{
    snprintf(making->why, making->why_size, "%s", why);
    return -1;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text && *text ? text : NULL;
}

static struct darn_heal_module *module_of(struct making *making, const char *path)
{
    struct darn_deadlock *deadlock = &making->deadlock;
    struct darn_heal_module *module;

    for (uint32_t i = 0; i < deadlock->module_count; i++) {
        if (strcmp(making->modules[i].path, path) == 0)
            return &making->modules[i];
    }
    if (deadlock->module_count == DARN_DEADLOCK_MODULES) {
        refuse(making, "the stacks lie in too many modules");
        return NULL;
    }
    module = &making->modules[deadlock->module_count];
    if (darn_heal_module_open(module, path)) {
        snprintf(making->why, making->why_size, "%s cannot be read", path);
        return NULL;
    }
    deadlock->modules[deadlock->module_count].name = module->name;
    deadlock->modules[deadlock->module_count++].build = module->elf.build;
    return module;
}

/* ---- stacks ---- */

/* The frames of one address become one place: `at` is that of the first. */
static bool begins_place(const json_t *frames, size_t i)
{
    const json_t *frame = json_array_get(frames, i), *before = json_array_get(frames, i - 1);

    return i == 0 ||
           !json_equal(json_object_get(frame, "offset"), json_object_get(before, "offset")) ||
           !json_equal(json_object_get(frame, "module"), json_object_get(before, "module"));
}

static void add_frame(struct darn_deadlock_stack *stack, const json_t *frame, bool is_place,
                      const char *module)
{
    struct darn_deadlock_frame *to = &stack->frames[stack->count++];
    const char *offset = text_of(frame, "offset");

    *to = (struct darn_deadlock_frame){
        .module = is_place ? module : NULL,
        .offset = is_place && offset ? strtoull(offset, NULL, 16) : 0,
        .function = text_of(frame, "function"),
        .file = text_of(frame, "file"),
        .line = (uint32_t)json_integer_value(json_object_get(frame, "line")),
    };
}

/* Frames that are not known, like code made at run time, end the stack. */
static int add_stack(struct making *making, struct darn_deadlock_stack *stack, const json_t *frames)
{
    struct darn_heal_module *module = NULL;
    uint32_t places = 0;

    for (size_t i = 0; i < json_array_size(frames); i++) {
        const json_t *frame = json_array_get(frames, i);
        bool is_place = begins_place(frames, i);
        const char *path = text_of(frame, "module");

        if (!path || stack->count == DARN_DEADLOCK_FRAMES ||
            (is_place && ++places > DARN_DEADLOCK_DEPTH))
            break;
        if (is_place)
            module = module_of(making, path);
        if (!module)
            return -1;
        add_frame(stack, frame, is_place, module->name);
    }
    return 0;
}

static struct darn_heal_module *module_named(struct making *making, const char *name)
{
    for (uint32_t i = 0; i < making->deadlock.module_count; i++) {
        if (strcmp(making->modules[i].name, name) == 0)
            return &making->modules[i];
    }
    return NULL;
}

/*
 * Says what is called at each place. That also tells whether the module is still the one of the
 * finding: a lock is taken by a call of that name.
 */
static int describe(struct making *making, struct darn_deadlock_stack *stack)
{
    for (uint32_t i = 0; i < stack->count; i += darn_heal_place_depth(stack, i)) {
        struct darn_heal_module *module = module_named(making, stack->frames[i].module);

        darn_heal_place_describe(module, &stack->frames[i], darn_heal_place_depth(stack, i));
        if (i == 0 && stack->frames[0].calls && !strstr(stack->frames[0].calls, "lock") &&
            !strstr(stack->frames[0].calls, "wait")) {
            snprintf(making->why, making->why_size,
                     "%s is not the one of the finding any more: no lock is taken at 0x%llx",
                     module->path, (unsigned long long)stack->frames[0].offset);
            return -1;
        }
    }
    return 0;
}

/* ---- threads ---- */

static bool is_wanted(const json_t *accesses, size_t by_others_than, const char *lock)
{
    for (size_t i = 0; i < json_array_size(accesses); i++) {
        const json_t *access = json_array_get(accesses, i);
        const char *target = text_of(json_object_get(access, "target"), "address");

        if (i != by_others_than && target && strcmp(target, lock) == 0)
            return true;
    }
    return false;
}

/* The lock that the thread holds and another one waits for, or NULL. */
static const json_t *held_lock(const json_t *accesses, size_t number)
{
    const json_t *locks = json_object_get(json_array_get(accesses, number), "locks");

    for (size_t i = 0; i < json_array_size(locks); i++) {
        const json_t *lock = json_array_get(locks, i);
        const char *address = text_of(lock, "address");

        if (address && is_wanted(accesses, number, address))
            return lock;
    }
    return NULL;
}

static int add_thread(struct making *making, const json_t *accesses, size_t number)
{
    struct darn_deadlock_thread *thread = &making->deadlock.threads[number];
    const json_t *access = json_array_get(accesses, number), *lock = held_lock(accesses, number);
    const char *op = text_of(access, "op");

    making->deadlock.thread_count++;
    if (!op || strcmp(op, "acquire") != 0 || !lock)
        return refuse(making, "not every thread of the circle holds a lock that another one waits "
                              "for: a gate keeps locks from being taken, nothing else");
    if (add_stack(making, &thread->holds, json_object_get(lock, "stack")) ||
        add_stack(making, &thread->wants, json_object_get(access, "stack")))
        return -1;
    if (!thread->holds.count)
        return refuse(making, "the finding does not say where the locks were taken");
    return describe(making, &thread->holds) || describe(making, &thread->wants) ? -1 : 0;
}

static int make(struct making *making, const json_t *finding)
{
    const json_t *accesses = json_object_get(finding, "accesses");
    size_t count = json_array_size(accesses);

    if (count < 2)
        return refuse(making, "a thread that waits for itself cannot be helped by a gate");
    if (count > DARN_DEADLOCK_THREADS)
        return refuse(making, "the circle has too many threads");
    making->deadlock.locks = text_of(finding, "variable");
    for (size_t i = 0; i < count; i++) {
        if (add_thread(making, accesses, i))
            return -1;
    }
    return 0;
}

/* ---- the list ---- */

static bool is_there(const struct darn_words *signatures, const char *text)
{
    for (size_t i = 0; i < signatures->count; i++) {
        if (strcmp(signatures->items[i], text) == 0)
            return true;
    }
    return false;
}

int darn_heal_deadlocks_add(struct darn_words *signatures, const struct darn_deadlock *deadlock)
{
    char *room = malloc(SIGNATURE_SIZE);
    struct darn_text text;
    int added = -1;

    if (!room)
        return -1;
    darn_text_start(&text, room, SIGNATURE_SIZE);
    darn_deadlock_write(&text, deadlock);
    if (!text.cut) {
        added = !is_there(signatures, room);
        if (added)
            darn_words_add(signatures, room);
    }
    free(room);
    return added;
}

int darn_heal_deadlocks_from(const json_t *finding, struct darn_words *signatures, char *why,
                             size_t why_size)
{
    const char *kind = text_of(finding, "kind");
    struct making *making;
    int result;

    if (!kind || strcmp(kind, "deadlock") != 0)
        return 0;
    making = calloc(1, sizeof(*making));
    if (!making) {
        snprintf(why, why_size, "out of memory");
        return -1;
    }
    making->why = why;
    making->why_size = why_size;
    result = make(making, finding);
    if (result == 0) {
        result = darn_heal_deadlocks_add(signatures, &making->deadlock);
        if (result < 0)
            refuse(making, "its stacks are too long");
    }
    for (uint32_t i = 0; i < making->deadlock.module_count; i++)
        darn_heal_module_close(&making->modules[i]);
    free(making);
    return result;
}

void darn_heal_deadlocks_write(FILE *out, const struct darn_words *signatures)
{
    if (!signatures->count)
        return;
    fputs(",\n \"deadlocks\": [\n", out);
    for (size_t i = 0; i < signatures->count; i++)
        fprintf(out, "%s%s\n", signatures->items[i], i + 1 < signatures->count ? "," : "");
    fputs(" ]", out);
}
