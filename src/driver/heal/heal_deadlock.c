#include "driver/heal/heal_deadlock.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json_file.h"
#include "driver/heal/heal_call.h"
#include "section/deadlock.h"
#include "section/section.h"

#define MOST_SIGNATURE (64 << 10)

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
static int add_stack(struct making *making, struct darn_deadlock_stack *stack,
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
    for (uint32_t i = 0; i < stack->count; i += darn_heal_call_depth(stack, i)) {
        struct darn_heal_module *module = module_named(making, stack->frames[i].module);

        darn_heal_call_describe(module, &stack->frames[i], darn_heal_call_depth(stack, i));
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

static int add_thread(struct making *making, const struct darn_finding *finding, size_t number)
{
    struct darn_deadlock_thread *thread = &making->deadlock.threads[number];
    const struct darn_finding_access *access = &finding->accesses[number];
    const struct darn_lock *lock = held_lock(finding, number);

    making->deadlock.thread_count++;
    if (access->op != DARN_OP_ACQUIRE || !lock)
        return refuse(making, "not every thread of the circle holds a lock that another one waits "
                              "for: a gate keeps locks from being taken, nothing else");
    if (add_stack(making, &thread->holds, &lock->stack) ||
        add_stack(making, &thread->wants, &access->stack))
        return -1;
    if (!thread->holds.count)
        return refuse(making, "the finding does not say where the locks were taken");
    return describe(making, &thread->holds) || describe(making, &thread->wants) ? -1 : 0;
}

static int make(struct making *making, const struct darn_finding *finding)
{
    if (finding->access_count < 2)
        return refuse(making, "a thread that waits for itself cannot be helped by a gate");
    if (finding->access_count > DARN_DEADLOCK_THREADS)
        return refuse(making, "the circle has too many threads");
    making->deadlock.locks = finding->variable;
    for (size_t i = 0; i < finding->access_count; i++) {
        if (add_thread(making, finding, i))
            return -1;
    }
    return 0;
}

/* ---- orders ---- */

/* The lock under which both came, as this one has taken it. */
static const struct darn_lock *common_lock(const struct darn_finding *finding, size_t number)
{
    const struct darn_finding_access *own = &finding->accesses[number];
    const struct darn_finding_access *other = &finding->accesses[!number];

    for (size_t i = 0; i < own->lock_count; i++)
        for (size_t j = 0; j < other->lock_count; j++)
            if (own->locks[i].address == other->locks[j].address)
                return &own->locks[i];
    return NULL;
}

/* What is set has to be there once; what is used, until nobody uses it any more. */
static enum darn_deadlock_until until_of(const struct darn_finding *finding)
{
    enum darn_op first = finding->accesses[0].op, second = finding->accesses[1].op;
    bool sets = first == DARN_OP_WRITE || first == DARN_OP_UPDATE;
    bool reads = second == DARN_OP_READ || second == DARN_OP_SIGNAL || second == DARN_OP_BROADCAST;

    return (sets || first == DARN_OP_WAIT) && reads ? DARN_UNTIL_DONE : DARN_UNTIL_GONE;
}

static bool is_one_stack(const struct darn_deadlock *deadlock)
{
    const struct darn_deadlock_stack *one = &deadlock->threads[0].holds;
    const struct darn_deadlock_stack *other = &deadlock->threads[1].holds;

    for (uint32_t i = 0; i < one->count && i < other->count; i++)
        if (one->frames[i].offset != other->frames[i].offset)
            return false;
    return true;
}

static int make_order(struct making *making, const struct darn_finding *finding)
{
    if (finding->access_count != 2)
        return refuse(making, "it is not about two operations");
    making->deadlock.locks = finding->variable;
    making->deadlock.until = until_of(finding);
    for (size_t i = 0; i < 2; i++) {
        struct darn_deadlock_stack *holds = &making->deadlock.threads[i].holds;
        const struct darn_lock *lock = common_lock(finding, i);

        making->deadlock.thread_count++;
        if (!lock)
            return refuse(making, "the two are under no lock in common: a gate keeps locks from "
                                  "being taken, nothing else");
        if (add_stack(making, holds, &lock->stack))
            return -1;
        if (!holds->count)
            return refuse(making, "the finding does not say where the lock was taken");
        if (describe(making, holds))
            return -1;
    }
    if (is_one_stack(&making->deadlock))
        return refuse(making, "the two take their lock by the same calls");
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

int darn_heal_deadlocks_from(const struct darn_finding *finding, struct darn_words *signatures,
                             char *why, size_t why_size)
{
    struct making *making;
    int result;

    bool is_order = darn_finding_is(finding, "order-violation");

    if (!is_order && !darn_finding_is(finding, "deadlock"))
        return 0;
    making = darn_need_zeroed(1, sizeof(*making));
    making->why = why;
    making->why_size = why_size;
    result = is_order ? make_order(making, finding) : make(making, finding);
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
