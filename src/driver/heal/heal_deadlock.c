#include "driver/heal/heal_deadlock.h"

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json_file.h"
#include "driver/heal/heal_call.h"
#include "driver/heal/signature.h"
#include "section/deadlock.h"
#include "section/section.h"

#define MOST_SIGNATURE (64 << 10)

int darn_signature_refuse(struct darn_signature *making, const char *why)
{
    snprintf(making->why, making->why_size, "%s", why);
    return -1;
}

static struct darn_heal_module *module_of(struct darn_signature *making, const char *path)
{
    struct darn_deadlock *deadlock = &making->deadlock;
    struct darn_heal_module *module;

    for (uint32_t i = 0; i < deadlock->module_count; i++) {
        if (strcmp(making->modules[i].path, path) == 0)
            return &making->modules[i];
    }
    if (deadlock->module_count == DARN_DEADLOCK_MODULES) {
        darn_signature_refuse(making, "the stacks lie in too many modules");
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
static bool begins_place(const struct darn_finding_stack *stack, size_t i)
{
    const struct darn_frame *frame = &stack->frames[i], *before = frame - 1;

    return i == 0 || !frame->module || !before->module || frame->offset != before->offset ||
           strcmp(frame->module, before->module) != 0;
}

static void add_frame(struct darn_deadlock_stack *stack, const struct darn_frame *frame,
                      bool is_place, const char *module)
{
    stack->frames[stack->count++] = (struct darn_deadlock_frame){
        .module = is_place ? module : NULL,
        .offset = is_place ? frame->offset : 0,
        .function = frame->function,
        .file = frame->file,
        .line = frame->line,
    };
}

/* Frames that are not known, like code made at run time, end the stack. */
int darn_signature_add_stack(struct darn_signature *making, struct darn_deadlock_stack *stack,
                     const struct darn_finding_stack *from)
{
    struct darn_heal_module *module = NULL;
    uint32_t places = 0;

    for (size_t i = 0; i < from->count; i++) {
        const struct darn_frame *frame = &from->frames[i];
        bool is_place = begins_place(from, i);

        if (!frame->module || stack->count == DARN_DEADLOCK_FRAMES ||
            (is_place && ++places > DARN_DEADLOCK_DEPTH))
            break;
        if (is_place)
            module = module_of(making, frame->module);
        if (!module)
            return -1;
        add_frame(stack, frame, is_place, module->name);
    }
    return 0;
}

static struct darn_heal_module *module_named(struct darn_signature *making, const char *name)
{
    for (uint32_t i = 0; i < making->deadlock.module_count; i++) {
        if (strcmp(making->modules[i].name, name) == 0)
            return &making->modules[i];
    }
    return NULL;
}

/* What a stack of this kind calls: that also tells whether the module is still the one of the
 * finding. */
static bool is_call_by(const char *callee, enum darn_deadlock_by by)
{
    static const char *const ends[] = {"free", "munmap", "close", "fclose"};

    if (by == DARN_BY_LOCK)
        return strstr(callee, "lock") || strstr(callee, "wait");
    if (by == DARN_BY_START)
        return strstr(callee, "create") != NULL;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (strcmp(callee, ends[i]) == 0)
            return true;
    return strstr(callee, "_destroy") || strncmp(callee, "_ZdlPv", 6) == 0 ||
           strncmp(callee, "_ZdaPv", 6) == 0; /* operator delete */
}

static int refuse_call(struct darn_signature *making, const char *module,
                       const struct darn_deadlock_frame *frame, enum darn_deadlock_by by)
{
    static const char *const what[] = {"no lock is taken", "no thread is started",
                                       "nothing ends that a gate can stand before"};

    snprintf(making->why, making->why_size,
             "%s is not the one of the finding any more: %s at 0x%llx", module, what[by],
             (unsigned long long)frame->offset);
    return -1;
}

/* Says what is called at each place. */
int darn_signature_describe(struct darn_signature *making, struct darn_deadlock_stack *stack,
                            enum darn_deadlock_by by)
{
    for (uint32_t i = 0; i < stack->count; i += darn_heal_call_depth(stack, i)) {
        struct darn_heal_module *module = module_named(making, stack->frames[i].module);

        darn_heal_call_describe(module, &stack->frames[i], darn_heal_call_depth(stack, i));
        if (i == 0 && stack->frames[0].calls && !is_call_by(stack->frames[0].calls, by))
            return refuse_call(making, module->path, &stack->frames[0], by);
    }
    return 0;
}

/* ---- threads ---- */

static bool is_wanted(const struct darn_finding *finding, size_t by_others_than, uint64_t lock)
{
    for (size_t i = 0; i < finding->access_count; i++) {
        if (i != by_others_than && lock && finding->accesses[i].target.address == lock)
            return true;
    }
    return false;
}

/* The lock that the thread holds and another one waits for, or NULL. */
static const struct darn_lock *held_lock(const struct darn_finding *finding, size_t number)
{
    const struct darn_finding_access *access = &finding->accesses[number];

    for (size_t i = 0; i < access->lock_count; i++) {
        if (is_wanted(finding, number, access->locks[i].address))
            return &access->locks[i];
    }
    return NULL;
}

static int add_thread(struct darn_signature *making, const struct darn_finding *finding, size_t number)
{
    struct darn_deadlock_thread *thread = &making->deadlock.threads[number];
    const struct darn_finding_access *access = &finding->accesses[number];
    const struct darn_lock *lock = held_lock(finding, number);

    making->deadlock.thread_count++;
    if (access->op != DARN_OP_ACQUIRE || !lock)
        return darn_signature_refuse(making, "not every thread of the circle holds a lock that another one waits "
                              "for: a gate keeps locks from being taken, nothing else");
    if (darn_signature_add_stack(making, &thread->holds, &lock->stack) ||
        darn_signature_add_stack(making, &thread->wants, &access->stack))
        return -1;
    if (!thread->holds.count)
        return darn_signature_refuse(making, "the finding does not say where the locks were taken");
    return darn_signature_describe(making, &thread->holds, DARN_BY_LOCK) ||
                   darn_signature_describe(making, &thread->wants, DARN_BY_LOCK)
               ? -1
               : 0;
}

static int make(struct darn_signature *making, const struct darn_finding *finding)
{
    if (finding->access_count < 2)
        return darn_signature_refuse(making, "a thread that waits for itself cannot be helped by a gate");
    if (finding->access_count > DARN_DEADLOCK_THREADS)
        return darn_signature_refuse(making, "the circle has too many threads");
    making->deadlock.locks = finding->variable;
    for (size_t i = 0; i < finding->access_count; i++) {
        if (add_thread(making, finding, i))
            return -1;
    }
    return 0;
}

/* ---- the list ---- */

/* Without the names of what it is about, which are for people. */
static json_t *without_names(const char *text)
{
    json_t *signature = json_loads(text, 0, NULL);

    json_object_del(signature, "locks");
    return signature;
}

static bool is_same(const char *one, const char *other)
{
    json_t *signature = without_names(one), *second = without_names(other);
    bool is = json_equal(signature, second);

    json_decref(signature);
    json_decref(second);
    return is;
}

static bool is_there(const struct darn_words *signatures, const char *text)
{
    for (size_t i = 0; i < signatures->count; i++) {
        if (is_same(signatures->items[i], text))
            return true;
    }
    return false;
}

int darn_heal_deadlocks_add(struct darn_words *signatures, const struct darn_deadlock *deadlock)
{
    struct darn_json json;
    int added;

    darn_json_start_growing(&json);
    darn_repository_style(&json);
    darn_deadlock_write(&json, deadlock);
    added = json.text.used > MOST_SIGNATURE ? -1 : !is_there(signatures, json.text.to);
    if (added > 0)
        darn_words_add(signatures, json.text.to);
    darn_json_release(&json);
    return added;
}

int darn_signature_make(darn_signature_maker *maker, const struct darn_finding *finding,
                        const void *context, struct darn_words *signatures,
                        struct darn_heal_why *why)
{
    struct darn_signature *making = darn_need_zeroed(1, sizeof(*making));
    int result;

    making->why = why->text;
    making->why_size = sizeof(why->text);
    making->context = context;
    result = maker(making, finding);
    if (result == 0) {
        result = darn_heal_deadlocks_add(signatures, &making->deadlock);
        if (result < 0)
            darn_signature_refuse(making, "its stacks are too long");
    }
    for (uint32_t i = 0; i < making->deadlock.module_count; i++)
        darn_heal_module_close(&making->modules[i]);
    free(making);
    return result;
}

int darn_heal_deadlocks_from(const struct darn_finding *finding, struct darn_words *signatures,
                             struct darn_heal_why *why)
{
    return darn_finding_is(finding, "deadlock")
               ? darn_signature_make(make, finding, NULL, signatures, why)
               : 0;
}

/* As darn_deadlock_write begins one. */
static bool is_order(const char *signature)
{
    static const char start[] = "{\"until\"";

    return strncmp(signature, start, sizeof(start) - 1) == 0;
}

size_t darn_heal_orders_count(const struct darn_words *signatures)
{
    size_t count = 0;

    for (size_t i = 0; i < signatures->count; i++)
        count += is_order(signatures->items[i]);
    return count;
}

static void write_list(struct darn_json *json, const struct darn_words *signatures, bool orders)
{
    bool any = false;

    for (size_t i = 0; i < signatures->count; i++) {
        if (is_order(signatures->items[i]) != orders)
            continue;
        if (!any) {
            darn_json_break(json, 1);
            darn_json_open(json, orders ? "orders" : "deadlocks", '[');
        }
        any = true;
        darn_json_break(json, 2);
        darn_json_literal(json, NULL, signatures->items[i]);
    }
    if (!any)
        return;
    darn_json_break(json, 1);
    darn_json_close(json, ']');
}

void darn_heal_deadlocks_write(FILE *out, const struct darn_words *signatures)
{
    struct darn_json json;

    if (!signatures->count)
        return;
    darn_json_start_growing(&json);
    darn_repository_style(&json);
    json.comma = true; /* the object has begun elsewhere */
    write_list(&json, signatures, false);
    write_list(&json, signatures, true);
    darn_json_flush(&json, out);
    darn_json_release(&json);
}
