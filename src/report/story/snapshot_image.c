#include "report/story/snapshot_image.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

static const char *segment_bytes(const GElf_Phdr *segment, const char *file, size_t length,
                                 uint64_t address, size_t *left)
{
    uint64_t at = address - segment->p_vaddr;

    if (segment->p_type != PT_LOAD || address < segment->p_vaddr || at >= segment->p_filesz)
        return NULL;
    if (segment->p_offset > length || segment->p_filesz > length - segment->p_offset)
        return NULL; /* the file was cut off */
    *left = segment->p_filesz - at;
    return file + segment->p_offset + at;
}

const char *darn_image_at(struct darn_modules *modules, const char *path, uint64_t address,
                          size_t *left)
{
    Dwfl_Module *module = darn_module_open(modules, path);
    GElf_Addr bias;
    Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
    size_t length, segments;
    const char *file = elf ? elf_rawfile(elf, &length) : NULL;

    if (!file || elf_getphdrnum(elf, &segments))
        return NULL;
    for (size_t i = 0; i < segments; i++) {
        const char *found;
        GElf_Phdr segment;

        if (!gelf_getphdr(elf, (int)i, &segment))
            return NULL;
        found = segment_bytes(&segment, file, length, address, left);
        if (found)
            return found;
    }
    return NULL;
}

/* So many bytes at the address, or false. */
static bool copy_bytes(struct darn_modules *modules, const char *path, uint64_t address, void *to,
                       size_t size)
{
    size_t left;
    const char *bytes = darn_image_at(modules, path, address, &left);

    if (!bytes || left < size)
        return false;
    memcpy(to, bytes, size);
    return true;
}

static const char *text_of(struct darn_modules *modules, const char *path, uint64_t address)
{
    size_t left;
    const char *text = darn_image_at(modules, path, address, &left);

    return text && memchr(text, '\0', left) ? text : NULL;
}

bool darn_image_site(struct darn_modules *modules, const char *path, uint64_t address,
                     struct darn_image_site *site)
{
    struct darn_site *record = &site->record, head;
    struct darn_scope scope;
    uint64_t texts;

    if (!copy_bytes(modules, path, address, record, sizeof(*record)) ||
        record->version != DARN_SITE_VERSION || !record->place)
        return false;
    address -= (uint64_t)record->place * sizeof(*record);
    if (!copy_bytes(modules, path, address, &head, sizeof(head)))
        return false;
    texts = address + offsetof(struct darn_site, texts) + (uint64_t)(int64_t)head.texts;
    if (!copy_bytes(modules, path, texts + record->scope, &scope, sizeof(scope)))
        return false;
    site->file = text_of(modules, path, texts + scope.file);
    site->dir = text_of(modules, path, texts + scope.dir);
    site->function = text_of(modules, path, texts + scope.function);
    site->variable = text_of(modules, path, texts + record->variable);
    site->inlined = record->flags & DARN_SITE_GAPS ? 0 : darn_scope_gaps(&scope);
    return site->file && site->dir && site->function && site->variable;
}
