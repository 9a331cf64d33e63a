#include "plugin/table/site_table.h"

#include <llvm-c/Comdat.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

void darn_site_tables_init(struct darn_site_tables *tables, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);

    *tables = (struct darn_site_tables){
        .module = module,
        .i8 = LLVMInt8TypeInContext(context),
        .i32 = LLVMInt32TypeInContext(context),
        .i64 = LLVMInt64TypeInContext(context),
    };
}

static void free_table(struct darn_site_table *table)
{
    free(table->sites.bytes);
    free(table->texts.bytes);
    darn_map_free(&table->places);
}

void darn_site_tables_free(struct darn_site_tables *tables)
{
    for (size_t i = 0; i < tables->count; i++)
        free_table(&tables->items[i]);
    free(tables->items);
    darn_map_free(&tables->by_comdat);
}

/* ---- bytes ---- */

static size_t append(struct darn_bytes *to, const void *bytes, size_t size)
{
    size_t at = to->size;

    to->bytes = darn_grow(to->bytes, &to->capacity, at + size, 1);
    memcpy(to->bytes + at, bytes, size);
    to->size += size;
    return at;
}

/* 64 bits of hash tell the texts of one table apart. */
static uint32_t place_of_text(struct darn_site_table *table, const char *text, size_t length)
{
    uintptr_t key = darn_hash_bytes(DARN_HASH_START, text, length) | 1; /* 0 is no key */
    size_t place = darn_map_get(&table->places, key, 0);

    if (!place) {
        place = append(&table->texts, text, length) + 1;
        append(&table->texts, "", 1);
        darn_map_put(&table->places, key, place);
    }
    return (uint32_t)(place - 1);
}

static uint32_t place_of_scope(struct darn_site_table *table, const struct darn_site_texts *texts)
{
    static const char padding[_Alignof(struct darn_scope)];
    struct darn_scope scope = {
        .file = place_of_text(table, texts->file, texts->file_length),
        .dir = place_of_text(table, texts->dir, texts->dir_length),
        .function = place_of_text(table, texts->function, strlen(texts->function)),
        .gaps = {(uint32_t)texts->gaps, (uint32_t)(texts->gaps >> 32)},
    };
    uintptr_t key =
        darn_hash_bytes(DARN_HASH_START, (const char *)&scope, sizeof(scope)) & ~(uintptr_t)1;
    size_t place = key ? darn_map_get(&table->places, key, 0) : 0;

    if (!place) {
        append(&table->texts, padding, -table->texts.size % sizeof(padding));
        place = append(&table->texts, &scope, sizeof(scope)) + 1;
        if (key)
            darn_map_put(&table->places, key, place);
    }
    return (uint32_t)(place - 1);
}

/* ---- tables ---- */

/* Its type says nothing of its size: a table replaces it when that is known. */
static LLVMValueRef stand_in(struct darn_site_tables *tables)
{
    return LLVMAddGlobal(tables->module, tables->i8, "");
}

static struct darn_site_table *table_of(struct darn_site_tables *tables, LLVMComdatRef comdat)
{
    static const struct darn_site head = {.kind = DARN_SITE_HEAD, .version = DARN_SITE_VERSION};
    uintptr_t key = comdat ? (uintptr_t)comdat : 1; /* 0 is no key */
    size_t number = darn_map_get(&tables->by_comdat, key, 0);
    struct darn_site_table *table;

    if (number)
        return &tables->items[number - 1];
    tables->items =
        darn_grow(tables->items, &tables->capacity, tables->count + 1, sizeof(*tables->items));
    table = &tables->items[tables->count++];
    *table = (struct darn_site_table){
        .comdat = comdat, .records = stand_in(tables), .armed = stand_in(tables)};
    append(&table->sites, &head, sizeof(head));
    darn_map_put(&tables->by_comdat, key, tables->count);
    return table;
}

static LLVMValueRef address(struct darn_site_tables *tables, LLVMValueRef in, size_t offset)
{
    LLVMValueRef index = LLVMConstInt(tables->i64, offset, 0);

    return LLVMConstGEP2(tables->i8, in, &index, 1);
}

struct darn_record darn_site_tables_add(struct darn_site_tables *tables, LLVMValueRef function,
                                        const struct darn_site *site,
                                        const struct darn_site_texts *texts)
{
    struct darn_site_table *table = table_of(tables, LLVMGetComdat(function));
    struct darn_site record = *site;

    record.place = (uint32_t)(table->sites.size / sizeof(record));
    record.scope = place_of_scope(table, texts);
    record.variable = place_of_text(table, texts->variable, strlen(texts->variable));
    append(&table->sites, &record, sizeof(record));
    return (struct darn_record){
        address(tables, table->records, record.place * sizeof(record)),
        address(tables, table->armed, darn_armed_place(record.place)),
        address(tables, table->armed, darn_armed_place(record.place) + DARN_ARMED_TOGETHER),
    };
}

/* ---- what the module gets ---- */

static LLVMValueRef add_global(struct darn_site_tables *tables, const struct darn_site_table *table,
                               LLVMTypeRef type, const char *name, const char *section)
{
    LLVMValueRef added = LLVMAddGlobal(tables->module, type, name);

    LLVMSetLinkage(added, LLVMPrivateLinkage);
    LLVMSetSection(added, section);
    LLVMSetAlignment(added, _Alignof(struct darn_site));
    /* The records of an inline function go the way of the copy of the function they belong to. */
    if (table->comdat)
        LLVMSetComdat(added, table->comdat);
    return added;
}

static LLVMValueRef bytes_of(struct darn_site_tables *tables, const char *bytes, size_t size)
{
    return LLVMConstStringInContext(LLVMGetModuleContext(tables->module), bytes, (unsigned)size, 1);
}

/* target - &head.field, in 32 bits: resolved by the linker, nothing is left for the loader. */
static LLVMValueRef relative(struct darn_site_tables *tables, LLVMTypeRef type, LLVMValueRef head,
                             unsigned field, LLVMValueRef target)
{
    LLVMValueRef indices[2] = {LLVMConstInt(tables->i32, 0, 0),
                               LLVMConstInt(tables->i32, field, 0)};
    /* Only in bounds LLVM sees that the distance is known to the linker. */
    LLVMValueRef from = LLVMConstInBoundsGEP2(type, head, indices, 2);
    LLVMValueRef distance =
        LLVMConstSub(LLVMConstPtrToInt(target, tables->i64), LLVMConstPtrToInt(from, tables->i64));

    return LLVMConstTrunc(distance, tables->i32);
}

static void replace(LLVMValueRef stand_in, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(stand_in, by);
    LLVMDeleteGlobal(stand_in);
}

static LLVMValueRef add_texts(struct darn_site_tables *tables, const struct darn_site_table *table)
{
    LLVMValueRef value = bytes_of(tables, table->texts.bytes, table->texts.size);
    LLVMValueRef added =
        add_global(tables, table, LLVMTypeOf(value), "darn.texts", DARN_TEXTS_SECTION);

    LLVMSetInitializer(added, value);
    LLVMSetGlobalConstant(added, 1);
    return added;
}

static LLVMValueRef add_armed(struct darn_site_tables *tables, const struct darn_site_table *table)
{
    size_t count = table->sites.size / sizeof(struct darn_site);
    size_t chunks = (count + DARN_ARMED_TOGETHER - 1) / DARN_ARMED_TOGETHER;
    LLVMTypeRef type = LLVMArrayType2(tables->i8, chunks * DARN_ARMED_CHUNK);
    LLVMValueRef added = add_global(tables, table, type, "darn.armed", DARN_ARMED_SECTION);

    LLVMSetInitializer(added, LLVMConstNull(type));
    LLVMSetAlignment(added, DARN_ARMED_CHUNK);
    return added;
}

static void add_records(struct darn_site_tables *tables, const struct darn_site_table *table,
                        LLVMValueRef texts, LLVMValueRef armed)
{
    LLVMContextRef context = LLVMGetModuleContext(tables->module);
    size_t known = offsetof(struct darn_site, line); /* and all behind it */
    LLVMValueRef rest = bytes_of(tables, table->sites.bytes + known, table->sites.size - known);
    LLVMTypeRef types[4] = {tables->i32, tables->i32, tables->i32, LLVMTypeOf(rest)};
    LLVMTypeRef type = LLVMStructTypeInContext(context, types, 4, 0);
    LLVMValueRef added = add_global(tables, table, type, "darn.sites", DARN_SITE_SECTION);
    LLVMValueRef fields[4] = {LLVMConstInt(tables->i32, 0, 0),
                              relative(tables, type, added, 1, texts),
                              relative(tables, type, added, 2, armed), rest};

    static_assert(offsetof(struct darn_site, texts) == 4 &&
                      offsetof(struct darn_site, armed) == 8 &&
                      offsetof(struct darn_site, line) == 12,
                  "the fields of a head");
    LLVMSetInitializer(added, LLVMConstStructInContext(context, fields, 4, 0));
    LLVMSetGlobalConstant(added, 1);
    replace(table->records, added);
}

void darn_site_tables_write(struct darn_site_tables *tables)
{
    for (size_t i = 0; i < tables->count; i++) {
        struct darn_site_table *table = &tables->items[i];
        LLVMValueRef texts = add_texts(tables, table), armed = add_armed(tables, table);

        add_records(tables, table, texts, armed);
        replace(table->armed, armed);
    }
}
