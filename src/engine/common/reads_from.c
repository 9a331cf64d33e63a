#include "engine/common/reads_from.h"

#include "base/grow.h"
#include "engine/common/shadow.h"

struct cell {
    struct darn_stamp writer;
};

struct darn_reads_from {
    struct darn_clocks *clocks;
    struct darn_shadow *cells;
};

struct passage {
    struct darn_clocks *clocks;
    struct darn_stamp *now;
    struct darn_stamp stamp; /* of a write */
};

static void copy_cell(void *context, void *memory)
{
    struct cell *cell = memory;

    (void)context;
    cell->writer = darn_stamp_copy(&cell->writer);
}

static void drop_cell(void *context, void *memory)
{
    struct darn_reads_from *flow = context;
    struct cell *cell = memory;

    darn_stamp_drop(flow->clocks, &cell->writer);
}

struct darn_reads_from *darn_reads_from_create(struct darn_clocks *clocks)
{
    struct darn_reads_from *flow = calloc(1, sizeof(*flow));
    struct darn_shadow_type type = {
        .size = sizeof(struct cell), .copy = copy_cell, .drop = drop_cell, .context = flow};

    if (!flow)
        return NULL;
    flow->clocks = clocks;
    flow->cells = darn_shadow_create(&type);
    if (!flow->cells) {
        free(flow);
        return NULL;
    }
    return flow;
}

void darn_reads_from_destroy(struct darn_reads_from *flow)
{
    if (!flow)
        return;
    darn_shadow_destroy(flow->cells);
    free(flow);
}

static void read_cell(void *to, void *memory, uint64_t address)
{
    struct passage *passage = to;
    struct cell *cell = memory;

    (void)address;
    darn_stamp_acquire(passage->clocks, passage->now, &cell->writer);
}

void darn_reads_from_read(struct darn_reads_from *flow, struct darn_stamp *now,
                          const struct darn_event *event)
{
    struct passage passage = {flow->clocks, now, {0}};

    darn_shadow_pass(flow->cells, event, read_cell, &passage);
}

static void write_cell(void *to, void *memory, uint64_t address)
{
    struct passage *passage = to;
    struct cell *cell = memory;

    (void)address;
    darn_stamp_drop(passage->clocks, &cell->writer);
    cell->writer = darn_stamp_copy(&passage->stamp);
}

void darn_reads_from_write(struct darn_reads_from *flow, struct darn_stamp *now,
                           const struct darn_event *event)
{
    struct passage passage = {flow->clocks, now, darn_stamp_take(flow->clocks, now)};

    darn_shadow_pass(flow->cells, event, write_cell, &passage);
    darn_stamp_drop(flow->clocks, &passage.stamp);
}

void darn_reads_from_forget(struct darn_reads_from *flow, uint64_t address, uint64_t size)
{
    darn_shadow_forget(flow->cells, address, size);
}

size_t darn_reads_from_memory(const struct darn_reads_from *flow)
{
    return darn_shadow_memory(flow->cells);
}
