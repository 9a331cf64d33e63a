#include "report/story/snapshot.h"

#include <string.h>

#include "report/story/snapshot_private.h"
#include "report/symbol/demangle.h"
#include "report/symbol/frames.h"
#include "report/symbol/symbolize.h"
#include "report/unit.h"

uint64_t darn_snapshot_steps(const struct darn_snapshot *snapshot)
{
    uint64_t steps = snapshot->block->result.steps;

    return steps < DARN_BLOCK_STEPS ? steps : DARN_BLOCK_STEPS;
}

uint32_t darn_snapshot_threads(const struct darn_snapshot *snapshot)
{
    uint32_t count = snapshot->block->result.thread_count;

    return count < DARN_BLOCK_THREADS ? count : DARN_BLOCK_THREADS;
}

uint32_t darn_snapshot_locks(const struct darn_block_thread *thread)
{
    uint32_t most = sizeof(thread->locks) / sizeof(thread->locks[0]);

    return thread->lock_count < most ? thread->lock_count : most;
}

const struct darn_block_thread *darn_snapshot_thread(const struct darn_snapshot *snapshot,
                                                     uint32_t thread)
{
    for (uint32_t i = 0; i < darn_snapshot_threads(snapshot); i++)
        if (snapshot->block->result.threads[i].thread == thread)
            return &snapshot->block->result.threads[i];
    return NULL;
}

bool darn_snapshot_has_site(enum darn_step_op op)
{
    return darn_step_is_access(op) || op == DARN_STEP_SPIN;
}

static const struct darn_block_module *module_of(const struct darn_snapshot *snapshot,
                                                 uint64_t address)
{
    const struct darn_control_block *block = snapshot->block;

    for (uint32_t i = 0; i < block->module_count && i < DARN_BLOCK_MODULES; i++) {
        const struct darn_block_module *module = &block->modules[i];

        if (address >= module->base && address - module->base < module->size)
            return memchr(module->path, '\0', sizeof(module->path)) ? module : NULL;
    }
    return NULL;
}

const char *darn_snapshot_locate(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                                 uint64_t address, uint64_t *offset)
{
    const struct darn_block_module *module = module_of(snapshot, address);

    if (!module || !*module->path)
        return NULL;
    *offset = address - module->base;
    return darn_pool_text(pool, module->path);
}

bool darn_snapshot_site(const struct darn_snapshot *snapshot, uint64_t place,
                        struct darn_image_site *site)
{
    const struct darn_block_module *module = module_of(snapshot, place);

    return module && darn_image_site(snapshot->modules, module->path, place - module->base, site);
}

uint64_t darn_snapshot_site_key(const struct darn_snapshot *snapshot, uint64_t place)
{
    struct darn_image_site site;

    if (!darn_snapshot_site(snapshot, place, &site))
        return 0;
    return darn_site_key_of(&site.record, site.file, site.function);
}

uint64_t darn_snapshot_site_inlined(const struct darn_snapshot *snapshot, uint64_t place)
{
    struct darn_image_site site;

    if (!darn_snapshot_site(snapshot, place, &site))
        return 0;
    return site.inlined;
}

struct darn_symbol darn_snapshot_symbol(const struct darn_snapshot *snapshot,
                                        struct darn_text_pool *pool, uint64_t address)
{
    struct darn_symbol symbol = {.module = NULL};

    symbol.module = darn_snapshot_locate(snapshot, pool, address, &symbol.offset);
    if (symbol.module)
        darn_symbolize_data(snapshot->modules, pool, &symbol);
    return symbol;
}

static const char *known(struct darn_text_pool *pool, const char *text)
{
    return *text ? darn_pool_text(pool, text) : NULL;
}

static struct darn_snapshot_place site_place(struct darn_text_pool *pool,
                                             const struct darn_image_site *site)
{
    const char *dir = known(pool, site->dir);
    const char *file = darn_unit_shown(pool, &dir, known(pool, site->file));

    return (struct darn_snapshot_place){
        .file = file,
        .dir = dir,
        .function = darn_demangle(pool, known(pool, site->function)),
        .variable = known(pool, site->variable),
        .line = site->record.line,
        .column = site->record.column,
    };
}

struct darn_snapshot_place darn_snapshot_code(const struct darn_snapshot *snapshot,
                                              struct darn_text_pool *pool, uint64_t place,
                                              uint64_t back)
{
    struct darn_frame frames[DARN_SYMBOLIZE_DEPTH];
    struct darn_finding_stack stack = {frames, 0};
    const struct darn_frame *frame;
    uint64_t offset;
    const char *module = darn_snapshot_locate(snapshot, pool, place, &offset);

    if (!module || offset < back)
        return (struct darn_snapshot_place){.file = NULL};
    stack.count = darn_symbolize_code(snapshot->modules, pool, module, offset - back, frames);
    frame = darn_frames_telling(&stack);
    if (!frame)
        frame = &frames[0];
    if (darn_frame_is_outside(frame))
        return (struct darn_snapshot_place){.file = NULL};
    return (struct darn_snapshot_place){
        .file = frame->file,
        .dir = frame->dir,
        .function = frame->function,
        .line = frame->line,
        .column = frame->column,
    };
}

bool darn_snapshot_is_entry(const struct darn_snapshot *snapshot, uint64_t place)
{
    const struct darn_block_module *module = module_of(snapshot, place);
    Dwfl_Module *opened = module ? darn_module_open(snapshot->modules, module->path) : NULL;
    GElf_Off from_start;
    GElf_Sym symbol;

    return opened &&
           dwfl_module_addrinfo(opened, place - module->base, &from_start, &symbol, NULL, NULL,
                                NULL) &&
           !from_start && GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
}

struct darn_snapshot_place darn_snapshot_place(const struct darn_snapshot *snapshot,
                                               struct darn_text_pool *pool, enum darn_step_op op,
                                               uint64_t place)
{
    struct darn_image_site site;

    /* The call is the byte before the address to which it returns: where a function ends with a
     * call that does not (abort), that address is the entry of the next one. Only threads start
     * at entries. */
    if (!darn_snapshot_has_site(op))
        return darn_snapshot_code(
            snapshot, pool, place,
            op == DARN_STEP_START && darn_snapshot_is_entry(snapshot, place) ? 0 : 1);
    if (!darn_snapshot_site(snapshot, place, &site))
        return (struct darn_snapshot_place){.file = NULL};
    return site_place(pool, &site);
}
