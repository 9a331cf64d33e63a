/*
 * Writes the records of sections into the module.
 *
 * Records that follow each other and belong to the same copy of a function are one variable: each
 * that the linker must keep gets an ELF section of its own, with headers that are as long as the
 * record. Their texts stand behind the last one and count as a part of it, so all distances are
 * known here, and the variable is plain bytes: nothing is left for the linker.
 */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Comdat.h>

#include "base/hash.h"
#include "plugin/section/plugin_section.h"

/* What becomes one variable: records, then their texts. */
struct chunk {
    char *bytes;
    size_t size, capacity;
    size_t last;            /* where the last record is */
    struct darn_map places; /* hash of a text -> where it is, + 1 */
};

struct emitter {
    struct darn_sites *sites;
    LLVMContextRef context;
    LLVMValueRef *chunks;
    unsigned count;
};

static size_t append(struct chunk *chunk, const void *bytes, size_t size)
{
    size_t at = chunk->size;

    if (at + size > chunk->capacity) {
        chunk->capacity = 2 * (at + size);
        chunk->bytes = realloc(chunk->bytes, chunk->capacity);
        if (!chunk->bytes)
            abort();
    }
    memcpy(chunk->bytes + at, bytes, size);
    chunk->size += size;
    return at;
}

/* The entry stands first. */
static void append_record(struct chunk *chunk, const struct darn_found_section *found)
{
    size_t size = found->count * sizeof(found->points[0]);
    struct darn_section_record record = {
        .size = (uint32_t)(sizeof(record) + size),
        .version = DARN_SECTION_VERSION,
        .kind = found->kind,
        .inside = found->inside,
        .count = found->count,
    };

    chunk->last = append(chunk, &record, sizeof(record));
    append(chunk, found->points, size);
}

/* The distance from a field to the text, which is there once. */
static int32_t append_text(struct chunk *chunk, size_t field, const char *text)
{
    size_t length = strlen(text) + 1;
    uintptr_t key = darn_hash_bytes(DARN_HASH_START, text, length) | 1; /* 0 is no key */
    size_t place = darn_map_get(&chunk->places, key, 0);

    if (!place) {
        place = append(chunk, text, length) + 1;
        darn_map_put(&chunk->places, key, place);
    }
    return (int32_t)((int64_t)place - 1 - (int64_t)field);
}

static void append_texts(struct chunk *chunk, size_t at, const struct darn_found_section *found)
{
    int32_t texts[4];
    size_t field = at + offsetof(struct darn_section_record, file);

    static_assert(offsetof(struct darn_section_record, type) ==
                      offsetof(struct darn_section_record, file) + 3 * sizeof(int32_t),
                  "the four are written at once");
    texts[0] = append_text(chunk, field, found->file);
    texts[1] = append_text(chunk, field + sizeof(int32_t), found->function);
    texts[2] = append_text(chunk, field + 2 * sizeof(int32_t), found->variable);
    texts[3] = append_text(chunk, field + 3 * sizeof(int32_t), found->type);
    memcpy(chunk->bytes + field, texts, sizeof(texts));
}

static void emit_bytes(struct emitter *emitter, const struct chunk *chunk, LLVMComdatRef comdat)
{
    LLVMValueRef value =
        LLVMConstStringInContext(emitter->context, chunk->bytes, (unsigned)chunk->size, 1);
    LLVMValueRef made = LLVMAddGlobal(emitter->sites->module, LLVMTypeOf(value), "darn.section");

    LLVMSetInitializer(made, value);
    LLVMSetLinkage(made, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(made, 1);
    LLVMSetSection(made, DARN_SECTIONS_SECTION);
    LLVMSetAlignment(made, 8);
    if (comdat)
        LLVMSetComdat(made, comdat);
    emitter->chunks[emitter->count++] = made;
}

/* Writes the sections from `from` on that are of the same copy of a function; returns the next. */
static size_t emit(struct emitter *emitter, const struct darn_section_finder *sections, size_t from)
{
    static const char padding[8];
    LLVMComdatRef comdat = sections->items[from].comdat;
    struct chunk chunk = {0};
    size_t end, at = 0;
    uint32_t size;

    for (end = from; end < sections->count && sections->items[end].comdat == comdat; end++) {
        if (!sections->items[end].dropped)
            append_record(&chunk, &sections->items[end]);
    }
    if (!chunk.size)
        return end;
    for (size_t i = from; i < end; i++) {
        const struct darn_found_section *found = &sections->items[i];

        if (found->dropped)
            continue;
        append_texts(&chunk, at, found);
        at += sizeof(struct darn_section_record) + found->count * sizeof(found->points[0]);
    }
    append(&chunk, padding, -chunk.size % sizeof(padding));
    size = (uint32_t)(chunk.size - chunk.last);
    memcpy(chunk.bytes + chunk.last + offsetof(struct darn_section_record, size), &size,
           sizeof(size));
    emit_bytes(emitter, &chunk, comdat);
    darn_map_free(&chunk.places);
    free(chunk.bytes);
    return end;
}

/* Nothing refers to the records: llvm.used, which has to be built anew, makes compiler and linker
 * keep them. */
static void retain(struct emitter *emitter)
{
    LLVMModuleRef module = emitter->sites->module;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(emitter->context, 0);
    LLVMValueRef old = LLVMGetNamedGlobal(module, "llvm.used"), list;
    unsigned count = old ? (unsigned)LLVMGetNumOperands(LLVMGetInitializer(old)) : 0;
    LLVMValueRef *entries = calloc(count + emitter->count, sizeof(*entries));

    if (!entries)
        abort();
    for (unsigned i = 0; i < count; i++)
        entries[i] = LLVMGetOperand(LLVMGetInitializer(old), i);
    memcpy(entries + count, emitter->chunks, emitter->count * sizeof(*entries));
    count += emitter->count;
    if (old)
        LLVMDeleteGlobal(old);
    list = LLVMAddGlobal(module, LLVMArrayType2(pointer, count), "llvm.used");
    LLVMSetLinkage(list, LLVMAppendingLinkage);
    LLVMSetSection(list, "llvm.metadata");
    LLVMSetInitializer(list, LLVMConstArray2(pointer, entries, count));
    free(entries);
}

void darn_sections_emit(struct darn_section_finder *sections, struct darn_sites *sites)
{
    struct emitter emitter = {.sites = sites, .context = LLVMGetModuleContext(sites->module)};

    if (!sections->count)
        return;
    emitter.chunks = calloc(sections->count, sizeof(*emitter.chunks));
    if (!emitter.chunks)
        abort();
    for (size_t i = 0; i < sections->count;)
        i = emit(&emitter, sections, i);
    if (emitter.count)
        retain(&emitter);
    free(emitter.chunks);
}

void darn_section_finder_free(struct darn_section_finder *sections)
{
    for (size_t i = 0; i < sections->count; i++) {
        free(sections->items[i].file);
        free(sections->items[i].function);
        free(sections->items[i].variable);
        free(sections->items[i].type);
    }
    free(sections->items);
    darn_map_free(&sections->by_function);
    darn_map_free(&sections->merged);
}
