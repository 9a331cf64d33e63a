/*
 * What the events of a binary trace name by number: the records of its tables (format.h).
 */
#ifndef DARN_TRACE_TABLES_H
#define DARN_TRACE_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/codec.h"
#include "trace/damage.h"
#include "trace/trace_names.h"
#include "trace/trace.h"

/* What an event gets for its number of a WHERE. */
struct darn_where {
    uint32_t site, stack;
    uint16_t flags; /* DARN_EVENT_SYNC for accesses at the site of a recognised spin */
};

/* Things by their id. While records come in, they are only collected, because ids may come in any
 * order; darn_tables_finish orders them. */
struct darn_table {
    struct darn_table_row {
        uint64_t at; /* where the record is in the file */
        uint32_t id;
        void *item;
    } * rows;
    size_t row_count, row_room;
    size_t total; /* rows that there ever were */
    void **items; /* by id, up to `most`; NULL: there is none */
    uint32_t most;
};

struct darn_tables {
    struct darn_arena arena;
    struct darn_trace_names names;
    const char *program;
    struct darn_table sites, stacks, threads, modules, syncs, counters, wheres_read;
    struct darn_where *wheres; /* by id, below where_count */
    uint32_t where_count;
    struct darn_trace_sync *sync_pairs;
    size_t sync_count;
};

struct darn_trace_counter {
    uint64_t value;
    const char *text;
};

/* Reads the records of one block of tables. `at` is where it is in the file; records are `step`
 * bytes apart there for each of theirs: 1, or 0 when they were packed. 0, or -1 for damage. */
int darn_tables_read(struct darn_tables *tables, const uint8_t *bytes, size_t length, uint64_t at,
                     unsigned step, struct darn_damage *damage);

/* After the last block, or the last one so far; whatever names something that is not there names
 * nothing from now on. 0, or -1 when an id cannot be right, and is left out. */
int darn_tables_finish(struct darn_tables *tables, struct darn_damage *damage);

void darn_tables_free(struct darn_tables *tables);

/* NULL when there is none. */
static inline void *darn_table_get(const struct darn_table *table, uint64_t id)
{
    return id && id <= table->most ? table->items[id] : NULL;
}

/* The event of a block, with the names of where it happened. */
static inline void darn_tables_resolve(const struct darn_tables *tables,
                                       const struct darn_coded *coded, uint32_t thread,
                                       struct darn_event *event)
{
    *event = coded->event;
    event->thread = thread;
    if (coded->where < tables->where_count) {
        const struct darn_where *where = &tables->wheres[coded->where];

        event->site = where->site;
        event->stack = where->stack;
        if (darn_event_is_access(event))
            event->flags |= where->flags;
    }
    if (event->kind == DARN_EVENT_SPIN && !darn_table_get(&tables->sites, event->extra))
        event->extra = 0;
}

#endif
