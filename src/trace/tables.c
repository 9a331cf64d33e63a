#include "trace/tables.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/codec.h"
#include "trace/format.h"

/* Ids are given out one after the other, but the record of one may be missing when the program was
 * killed or the file was full. An id beyond this is damage, not a reason to fill the memory. */
static uint64_t id_limit(const struct darn_table *table)
{
    return 1024 + 4 * (uint64_t)table->total;
}

/* The payload of a record. A number that is not there makes it `bad`. */
struct fields {
    const uint8_t *at, *end;
    bool bad;
};

static uint64_t number(struct fields *fields)
{
    uint64_t value = 0;
    const uint8_t *next = darn_get_varint(fields->at, fields->end, &value);

    if (!next) {
        fields->bad = true;
        return 0;
    }
    fields->at = next;
    return value;
}

static uint32_t bounded(struct fields *fields, uint32_t most)
{
    uint64_t value = number(fields);

    if (value > most)
        fields->bad = true;
    return (uint32_t)value;
}

static uint32_t small(struct fields *fields)
{
    return bounded(fields, UINT32_MAX);
}

/* NULL when it is empty: the same as not known. */
static const char *text(struct darn_tables *tables, struct fields *fields)
{
    uint64_t length = number(fields);
    const char *at = (const char *)fields->at;

    if (fields->bad || length > (size_t)(fields->end - fields->at)) {
        fields->bad = true;
        return NULL;
    }
    fields->at += length;
    if (!length)
        return NULL;
    return darn_names_get(&tables->names, darn_names_put(&tables->names, at, (size_t)length));
}

static void *make(struct darn_tables *tables, size_t size)
{
    return darn_arena_get(&tables->arena, size);
}

static void *read_module(struct darn_tables *tables, struct fields *fields, uint32_t id)
{
    struct darn_trace_module *module = make(tables, sizeof(*module));

    (void)id;
    module->start = number(fields);
    module->end = number(fields);
    module->offset = number(fields);
    module->path = text(tables, fields);
    return module;
}

static void *read_thread(struct darn_tables *tables, struct fields *fields, uint32_t id)
{
    struct darn_trace_thread *thread = make(tables, sizeof(*thread));
    uint32_t parent;

    thread->number = id - 1;
    thread->tid = small(fields);
    parent = small(fields);
    thread->has_parent = parent != 0;
    thread->parent = parent ? parent - 1 : 0;
    thread->stack = small(fields);
    thread->name = text(tables, fields);
    return thread;
}

static void *read_site(struct darn_tables *tables, struct fields *fields, uint32_t id)
{
    struct darn_trace_site *site = make(tables, sizeof(*site));

    (void)id;
    site->line = small(fields);
    site->column = small(fields);
    site->size = small(fields);
    site->kind = (uint8_t)bounded(fields, UINT8_MAX);
    site->flags = (uint16_t)bounded(fields, UINT16_MAX);
    site->key = number(fields);
    site->file = text(tables, fields);
    site->dir = text(tables, fields);
    site->function = text(tables, fields);
    site->variable = text(tables, fields);
    site->has_copy = fields->at < fields->end; /* an older trace ends here */
    if (site->has_copy)
        site->inlined = number(fields);
    return site;
}

static void *read_stack(struct darn_tables *tables, struct fields *fields, uint32_t id)
{
    struct darn_trace_stack *stack = make(tables, sizeof(*stack));
    uint64_t depth = number(fields);
    uint64_t *pcs;

    (void)id;
    if (fields->bad || depth > (size_t)(fields->end - fields->at)) {
        fields->bad = true;
        return NULL;
    }
    pcs = make(tables, (size_t)depth * sizeof(*pcs));
    for (size_t i = 0; i < depth; i++)
        pcs[i] = number(fields);
    stack->depth = (uint32_t)depth;
    stack->pcs = pcs;
    return stack;
}

static void *read_where(struct darn_tables *tables, struct fields *fields, uint32_t id)
{
    struct darn_where *where = make(tables, sizeof(*where));

    (void)id;
    where->site = small(fields);
    where->stack = small(fields);
    return where;
}

static void *read_sync(struct darn_tables *tables, struct fields *fields, uint32_t id)
{
    struct darn_trace_sync *sync = make(tables, sizeof(*sync));

    (void)id;
    sync->reader = small(fields);
    sync->writer = small(fields);
    return sync;
}

static void *read_counter(struct darn_tables *tables, struct fields *fields, uint32_t id)
{
    struct darn_trace_counter *counter = make(tables, sizeof(*counter));

    (void)id;
    counter->value = number(fields);
    counter->text = text(tables, fields);
    return counter;
}

static void add(struct darn_table *table, uint32_t id, uint64_t at, void *item)
{
    table->rows =
        darn_grow(table->rows, &table->row_room, table->row_count + 1, sizeof(*table->rows));
    table->rows[table->row_count++] = (struct darn_table_row){at, id, item};
    table->total++;
}

static const struct {
    size_t table; /* offset in struct darn_tables */
    void *(*read)(struct darn_tables *tables, struct fields *fields, uint32_t id);
} types[] = {
    [DARN_RECORD_MODULE] = {offsetof(struct darn_tables, modules), read_module},
    [DARN_RECORD_THREAD] = {offsetof(struct darn_tables, threads), read_thread},
    [DARN_RECORD_SITE] = {offsetof(struct darn_tables, sites), read_site},
    [DARN_RECORD_STACK] = {offsetof(struct darn_tables, stacks), read_stack},
    [DARN_RECORD_WHERE] = {offsetof(struct darn_tables, wheres_read), read_where},
    [DARN_RECORD_SYNC] = {offsetof(struct darn_tables, syncs), read_sync},
    [DARN_RECORD_COUNTER] = {offsetof(struct darn_tables, counters), read_counter},
};

/* False when the payload makes no sense. */
static bool read_record(struct darn_tables *tables, unsigned type, struct fields *fields,
                        uint64_t at)
{
    void *item;
    uint32_t id;

    if (type == DARN_RECORD_PROGRAM) {
        tables->program = text(tables, fields);
        return !fields->bad;
    }
    if (type >= sizeof(types) / sizeof(types[0]) || !types[type].read)
        return true;
    id = small(fields);
    item = types[type].read(tables, fields, id);
    if (fields->bad || !id)
        return false;
    add((struct darn_table *)((char *)tables + types[type].table), id, at, item);
    return true;
}

int darn_tables_read(struct darn_tables *tables, const uint8_t *bytes, size_t length, uint64_t at,
                     unsigned step, struct darn_damage *damage)
{
    const uint8_t *from = bytes, *end = bytes + length;

    while (from < end) {
        uint64_t here = at + step * (uint64_t)(from - bytes);
        struct fields fields = {from + 1, end, false};
        uint64_t size = number(&fields);
        unsigned type = *from;

        if (fields.bad || size > (size_t)(end - fields.at))
            return darn_damage(damage, here, "a record of the tables ends beyond its block");
        fields.end = fields.at + size;
        from = fields.end;
        if (!read_record(tables, type, &fields, here))
            return darn_damage(damage, here, "a record of type %u in the tables makes no sense",
                               type);
    }
    return 0;
}

/* Room for ids up to `most`; what is new is NULL. */
static void widen(struct darn_table *table, uint32_t most)
{
    size_t old = table->items ? (size_t)table->most + 1 : 0, size = (size_t)most + 1;

    if (size > old) {
        table->items = darn_need_memory(reallocarray(table->items, size, sizeof(*table->items)));
        memset(table->items + old, 0, (size - old) * sizeof(*table->items));
    }
    table->most = most;
}

/* The last record of an id counts. */
static void order(struct darn_table *table, const char *what, struct darn_damage *damage)
{
    uint64_t limit = id_limit(table);
    uint32_t most = table->most;

    for (size_t i = 0; i < table->row_count; i++) {
        const struct darn_table_row *row = &table->rows[i];

        if (row->id > limit)
            (void)darn_damage(damage, row->at, "there is a %s number %u among %zu", what, row->id,
                              table->total);
        else if (row->id > most)
            most = row->id;
    }
    widen(table, most);
    for (size_t i = 0; i < table->row_count; i++)
        if (table->rows[i].id <= table->most)
            table->items[table->rows[i].id] = table->rows[i].item;
    free(table->rows);
    table->rows = NULL;
    table->row_count = table->row_room = 0;
}

/* Pairs whose sites are known. */
static void find_syncs(struct darn_tables *tables)
{
    free(tables->sync_pairs);
    tables->sync_count = 0;
    tables->sync_pairs = darn_need_zeroed(tables->syncs.most, sizeof(*tables->sync_pairs));
    for (uint32_t id = 1; id <= tables->syncs.most; id++) {
        const struct darn_trace_sync *sync = tables->syncs.items[id];

        if (sync && darn_table_get(&tables->sites, sync->reader) &&
            darn_table_get(&tables->sites, sync->writer))
            tables->sync_pairs[tables->sync_count++] = *sync;
    }
}

/* Those that were read since the last time. */
static void fill_wheres(struct darn_tables *tables)
{
    size_t count = (size_t)tables->wheres_read.most + 1, old = tables->where_count;

    tables->wheres = darn_need_memory(reallocarray(tables->wheres, count, sizeof(*tables->wheres)));
    memset(tables->wheres + old, 0, (count - old) * sizeof(*tables->wheres));
    tables->where_count = (uint32_t)count;
    for (uint32_t id = 1; id < tables->where_count; id++) {
        const struct darn_where *read = tables->wheres_read.items[id];
        struct darn_where *where = &tables->wheres[id];

        if (!read)
            continue;
        if (darn_table_get(&tables->sites, read->site))
            where->site = read->site;
        if (darn_table_get(&tables->stacks, read->stack))
            where->stack = read->stack;
    }
    free(tables->wheres_read.items);
    tables->wheres_read.items = NULL;
}

static void mark_syncs(struct darn_tables *tables)
{
    uint8_t *is_sync = darn_need_zeroed((size_t)tables->sites.most + 1, 1);

    for (size_t i = 0; i < tables->sync_count; i++) {
        is_sync[tables->sync_pairs[i].reader] = 1;
        is_sync[tables->sync_pairs[i].writer] = 1;
    }
    for (uint32_t id = 1; id < tables->where_count; id++)
        tables->wheres[id].flags = is_sync[tables->wheres[id].site] ? DARN_EVENT_SYNC : 0;
    free(is_sync);
}

int darn_tables_finish(struct darn_tables *tables, struct darn_damage *damage)
{
    order(&tables->sites, "site", damage);
    order(&tables->stacks, "stack", damage);
    order(&tables->threads, "thread", damage);
    order(&tables->modules, "module", damage);
    order(&tables->syncs, "spin", damage);
    order(&tables->counters, "counter", damage);
    order(&tables->wheres_read, "place", damage);
    find_syncs(tables);
    fill_wheres(tables);
    mark_syncs(tables);
    for (uint32_t id = 1; id <= tables->threads.most; id++) {
        struct darn_trace_thread *thread = tables->threads.items[id];

        if (thread && !darn_table_get(&tables->stacks, thread->stack))
            thread->stack = 0;
    }
    return damage->found ? -1 : 0;
}

static void free_table(struct darn_table *table)
{
    free(table->rows);
    free(table->items);
}

void darn_tables_free(struct darn_tables *tables)
{
    free_table(&tables->sites);
    free_table(&tables->stacks);
    free_table(&tables->threads);
    free_table(&tables->modules);
    free_table(&tables->syncs);
    free_table(&tables->counters);
    free_table(&tables->wheres_read);
    free(tables->wheres);
    free(tables->sync_pairs);
    darn_names_free(&tables->names);
    darn_arena_free(&tables->arena);
    *tables = (struct darn_tables){0};
}
