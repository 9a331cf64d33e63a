/* Between the steps of a control block, which have addresses, and those of a schedule, which have
 * places in modules. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/schedule.h"

static uint32_t count_modules(const struct darn_control_block *block)
{
    return block->module_count < DARN_BLOCK_MODULES ? block->module_count : DARN_BLOCK_MODULES;
}

/* The index of the module that has the address; count_modules when none has. The one tried first is
 * mostly the right one. */
static uint32_t find_module(const struct darn_control_block *block, uint64_t address,
                            uint32_t first)
{
    uint32_t count = count_modules(block);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = (first + i) % count;
        const struct darn_block_module *module = &block->modules[index];

        if (address - module->base < module->size && address >= module->base)
            return index;
    }
    return count;
}

static void drop_old(struct darn_schedule *schedule)
{
    for (size_t i = 0; i < schedule->module_count; i++)
        free(schedule->modules[i]);
    free(schedule->modules);
    free(schedule->steps);
    free(schedule->aims);
    schedule->modules = NULL;
    schedule->steps = NULL;
    schedule->aims = NULL;
    schedule->module_count = schedule->step_count = schedule->aim_count = 0;
}

/* Only modules in which something happened are named; `names` gets their numbers + 1. */
static int take_modules(struct darn_schedule *schedule, const struct darn_control_block *block,
                        uint64_t count, uint32_t *names)
{
    uint32_t all = count_modules(block), module = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t found = find_module(block, block->steps[i].place, module);

        if (found == all)
            continue;
        module = found;
        names[found] = 1;
    }
    schedule->modules = calloc(all + 1, sizeof(*schedule->modules));
    if (!schedule->modules)
        return -ENOMEM;
    for (uint32_t i = 0; i < all; i++) {
        const char *path = block->modules[i].path;

        if (!names[i])
            continue;
        schedule->modules[schedule->module_count] =
            strndup(path, strnlen(path, sizeof(block->modules[i].path)));
        if (!schedule->modules[schedule->module_count])
            return -ENOMEM;
        names[i] = (uint32_t)++schedule->module_count;
    }
    return 0;
}

static struct darn_schedule_place place_of(const struct darn_schedule *schedule,
                                           const struct darn_control_block *block, uint64_t address,
                                           const uint32_t *names, uint32_t *module)
{
    uint32_t found = find_module(block, address, *module);

    if (found == count_modules(block))
        return (struct darn_schedule_place){(uint32_t)schedule->module_count, address};
    *module = found;
    return (struct darn_schedule_place){names[found] - 1, address - block->modules[found].base};
}

/* Places at which something has happened, of the copies that a site may have. */
static int take_aims(struct darn_schedule *schedule, const struct darn_control_block *block,
                     const uint32_t *names)
{
    const struct darn_plan *plan = &block->request.plan;
    uint32_t module = 0;

    schedule->aims = calloc(DARN_AIMS, sizeof(*schedule->aims));
    for (uint32_t i = 0; schedule->aims && i < plan->aim_count && i < DARN_AIMS; i++) {
        uint32_t found = find_module(block, plan->aims[i].place, module);

        if (plan->aims[i].kind < DARN_AIM_FIRST || plan->aims[i].kind > DARN_AIM_REMOTE_SECTION ||
            found == count_modules(block) || !names[found])
            continue;
        schedule->aims[schedule->aim_count++] = (struct darn_schedule_aim){
            plan->aims[i].kind,
            place_of(schedule, block, plan->aims[i].place, names, &module),
        };
    }
    return schedule->aims ? 0 : -ENOMEM;
}

static bool has_triple(const struct darn_plan *plan)
{
    for (uint32_t i = 0; i < plan->aim_count && i < DARN_AIMS; i++)
        if (plan->aims[i].kind == DARN_AIM_THIRD || plan->aims[i].kind == DARN_AIM_FOURTH)
            return true;
    return false;
}

int darn_schedule_take_steps(struct darn_schedule *schedule, const struct darn_control_block *block)
{
    uint64_t count =
        block->result.steps < DARN_BLOCK_STEPS ? block->result.steps : (uint64_t)DARN_BLOCK_STEPS;
    uint32_t names[DARN_BLOCK_MODULES] = {0}, module = 0;
    int result;

    drop_old(schedule);
    schedule->steps = calloc(count + 1, sizeof(*schedule->steps));
    result = schedule->steps ? take_modules(schedule, block, count, names) : -ENOMEM;
    for (uint64_t i = 0; !result && i < count; i++) {
        const struct darn_step *from = &block->steps[i];

        if (!from->op || from->op >= DARN_STEP_OPS) {
            result = -EINVAL;
            break;
        }
        schedule->steps[schedule->step_count++] = (struct darn_schedule_step){
            .thread = from->thread,
            .op = from->op,
            .flags = from->flags,
            .place = place_of(schedule, block, from->place, names, &module),
        };
    }
    if (!result && has_triple(&block->request.plan))
        result = take_aims(schedule, block, names);
    if (result)
        drop_old(schedule);
    return result;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_named(const struct darn_block_module *module, const char *name, bool by_path)
{
    const char *path = module->path;

    if (!memchr(path, '\0', sizeof(module->path)))
        return false;
    return by_path ? strcmp(path, name) == 0 : strcmp(base_name(path), base_name(name)) == 0;
}

/* The module of this path, or one of its name in another directory: a program may have been moved.
 */
static const struct darn_block_module *module_named(const struct darn_control_block *block,
                                                    const char *path)
{
    for (int by_path = 1; by_path >= 0; by_path--)
        for (uint32_t i = 0; i < count_modules(block); i++)
            if (is_named(&block->modules[i], path, by_path))
                return &block->modules[i];
    return NULL;
}

size_t darn_schedule_give_steps(const struct darn_schedule *schedule,
                                struct darn_control_block *block)
{
    const struct darn_block_module *modules[DARN_BLOCK_MODULES] = {NULL};
    size_t count = 0;

    for (size_t i = 0; i < schedule->module_count && i < DARN_BLOCK_MODULES; i++)
        modules[i] = module_named(block, schedule->modules[i]);
    for (; count < schedule->step_count && count < DARN_BLOCK_STEPS; count++) {
        const struct darn_schedule_step *from = &schedule->steps[count];
        uint64_t base = 0;

        if (from->place.module < schedule->module_count) {
            const struct darn_block_module *module =
                from->place.module < DARN_BLOCK_MODULES ? modules[from->place.module] : NULL;

            if (!module)
                break;
            base = module->base;
        }
        block->follow[count] = (struct darn_step){
            .thread = from->thread,
            .op = from->op,
            .flags = from->flags,
            .place = base + from->place.offset,
        };
    }
    return count;
}

void darn_schedule_give_aims(const struct darn_schedule *schedule, struct darn_control_block *block)
{
    struct darn_plan *plan = &block->request.plan;

    for (size_t i = 0; i < schedule->aim_count && plan->aim_count < DARN_AIMS; i++) {
        const struct darn_schedule_aim *aim = &schedule->aims[i];
        const struct darn_block_module *module =
            aim->place.module < schedule->module_count
                ? module_named(block, schedule->modules[aim->place.module])
                : NULL;

        if (module)
            plan->aims[plan->aim_count++] =
                (struct darn_aim){.kind = aim->kind, .place = module->base + aim->place.offset};
    }
}
