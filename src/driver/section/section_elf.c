#include "driver/section/section_elf.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "driver/process/program.h"
#include "driver/process/listener.h"
#include "driver/section/section_merge.h"
#include "driver/section/section_needed.h"
#include "site/site_section.h"

/* One ELF file of those that are read. */
struct image {
    struct darn_section_elf *to;
    const char *path;
    Elf *elf;
};

static int compare_sites(const void *left, const void *right)
{
    const struct darn_elf_site *a = left, *b = right;

    return (a->key > b->key) - (a->key < b->key);
}

const struct darn_image_site *darn_section_elf_site(const struct darn_section_elf *elf,
                                                    uint64_t key)
{
    struct darn_elf_site wanted = {.key = key};
    const struct darn_elf_site *found =
        elf->site_count
            ? bsearch(&wanted, elf->sites, elf->site_count, sizeof(wanted), compare_sites)
            : NULL;

    return found ? &found->site : NULL;
}

static void add_site(struct darn_section_elf *elf, const struct darn_image_site *site)
{
    uint64_t key = darn_site_key_of(&site->record, site->file, site->function);

    elf->sites = darn_grow(elf->sites, &elf->site_room, elf->site_count + 1, sizeof(*elf->sites));
    elf->sites[elf->site_count++] = (struct darn_elf_site){key, *site};
}

static void read_sites(struct image *image, const GElf_Shdr *section)
{
    for (uint64_t at = 0; at + sizeof(struct darn_site) <= section->sh_size;
         at += sizeof(struct darn_site)) {
        struct darn_image_site site;

        if (darn_image_site(&image->to->modules, image->path, section->sh_addr + at, &site))
            add_site(image->to, &site);
    }
}

/* Records of one place are next to each other then; one is enough. */
static void sort_sites(struct darn_section_elf *elf)
{
    size_t kept = 0;

    if (elf->site_count)
        qsort(elf->sites, elf->site_count, sizeof(*elf->sites), compare_sites);
    for (size_t i = 0; i < elf->site_count; i++) {
        if (!kept || elf->sites[i].key != elf->sites[kept - 1].key)
            elf->sites[kept++] = elf->sites[i];
    }
    elf->site_count = kept;
}

/* The text that a field at this address names by its distance. */
static const char *text_at(struct image *image, uint64_t field, int32_t distance)
{
    size_t left;
    const char *text =
        darn_image_at(&image->to->modules, image->path, field + (uint64_t)(int64_t)distance, &left);

    return text && memchr(text, '\0', left) ? text : NULL;
}

static bool read_point(const struct darn_section_elf *elf, const char *bytes,
                       struct darn_point *point)
{
    const struct darn_image_site *site;
    struct darn_section_point record;

    memcpy(&record, bytes, sizeof(record));
    site = darn_section_elf_site(elf, record.key);
    if (!site || record.role >= DARN_ROLES)
        return false;
    *point = (struct darn_point){
        .file = site->file,
        .function = site->function,
        .line = site->record.line,
        .column = site->record.column,
        .at = record.line ? record.line : site->record.line,
        .role = record.role,
        .kind = site->record.kind,
        .allow = record.role == DARN_ROLE_END ? record.allow & DARN_ALLOW_ALL : 0,
    };
    return true;
}

/* Whether there is one entry, which becomes the first of the points, and an end. */
static bool is_whole(struct darn_section *section)
{
    uint32_t entries = 0, ends = 0;

    for (uint32_t i = 0; i < section->count; i++) {
        struct darn_point point = section->points[i];

        ends += point.role == DARN_ROLE_END;
        if (point.role != DARN_ROLE_ENTRY)
            continue;
        entries++;
        section->points[i] = section->points[0];
        section->points[0] = point;
    }
    return entries == 1 && ends >= 1;
}

/* The record at the address, whose size was looked at. */
static void read_record(struct image *image, const char *bytes, uint64_t address,
                        struct darn_section *section)
{
    struct darn_section_elf *elf = image->to;
    struct darn_section_record record;
    const char *points = bytes + sizeof(record);

    memcpy(&record, bytes, sizeof(record));
    *section = (struct darn_section){
        .file = text_at(image, address + offsetof(struct darn_section_record, file), record.file),
        .function = text_at(image, address + offsetof(struct darn_section_record, function),
                            record.function),
        .variable = text_at(image, address + offsetof(struct darn_section_record, variable),
                            record.variable),
        .type = text_at(image, address + offsetof(struct darn_section_record, type), record.type),
        .kind = record.kind,
        .inside = record.inside,
    };
    if (!section->file || !section->function || !section->variable ||
        record.kind >= DARN_SECTION_KINDS) {
        elf->unknown++;
        return;
    }
    for (uint32_t i = 0; i < record.count; i++) {
        /* Code that the compiler has taken away again has no site: nobody comes there. */
        if (read_point(elf, points + i * sizeof(struct darn_section_point),
                       &section->points[section->count]))
            section->count++;
    }
    if (is_whole(section))
        darn_sections_add(&elf->sections, section);
    else
        elf->lost++;
}

static bool fits(const struct darn_section_record *record, uint64_t left)
{
    return record->version == DARN_SECTION_VERSION && record->count &&
           record->count <= DARN_SECTION_POINTS && record->size <= left &&
           record->size >= sizeof(*record) + record->count * sizeof(struct darn_section_point);
}

static void read_records(struct image *image, const GElf_Shdr *header)
{
    struct darn_section *section = darn_need_memory(malloc(sizeof(*section)));
    uint64_t at = 0;

    while (at + sizeof(struct darn_section_record) <= header->sh_size) {
        uint64_t address = header->sh_addr + at, rest = header->sh_size - at;
        struct darn_section_record record;
        size_t left;
        const char *bytes = darn_image_at(&image->to->modules, image->path, address, &left);

        if (!bytes || left < sizeof(record))
            break;
        memcpy(&record, bytes, sizeof(record));
        if (!record.size) {
            at += sizeof(uint64_t); /* what the linker puts between them */
            continue;
        }
        if (record.size < sizeof(record) || record.size > rest) {
            image->to->unknown++; /* where the next one begins is not known, either */
            break;
        }
        if (fits(&record, left < rest ? left : rest))
            read_record(image, bytes, address, section);
        else
            image->to->unknown++;
        at += record.size;
    }
    free(section);
}

/* Hands each part of the file with this name to `read`. */
static void each_part(struct image *image, const char *wanted,
                      void (*read)(struct image *, const GElf_Shdr *))
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(image->elf, &names))
        return;
    while ((section = elf_nextscn(image->elf, section))) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(image->elf, names, header.sh_name) : NULL;

        if (name && strcmp(name, wanted) == 0)
            read(image, &header);
    }
}

static bool open_image(struct image *image, struct darn_section_elf *elf, const char *path)
{
    Dwfl_Module *module = darn_module_open(&elf->modules, path);
    GElf_Addr bias;

    *image = (struct image){elf, path, module ? dwfl_module_getelf(module, &bias) : NULL};
    return image->elf != NULL;
}

/* Sites first: the sections of one file may name those of another only if that is read, too. 0 or
 * DARN_REFUSED. */
static int read_all(struct darn_section_elf *elf, struct darn_listener *listener,
                    const struct darn_words *paths)
{
    struct image image;

    for (size_t i = 0; i < paths->count; i++) {
        if (!open_image(&image, elf, paths->items[i]))
            return darn_tell_refusal(listener, "%s: cannot be read as an ELF file",
                                     paths->items[i]);
        each_part(&image, DARN_SITE_SECTION, read_sites);
    }
    sort_sites(elf);
    for (size_t i = 0; i < paths->count; i++) {
        if (open_image(&image, elf, paths->items[i]))
            each_part(&image, DARN_SECTIONS_SECTION, read_records);
    }
    elf->large = darn_sections_merge(&elf->sections);
    return 0;
}

int darn_section_elf_read(struct darn_section_elf *elf, struct darn_listener *listener,
                          const char *path, bool libs)
{
    int status, kind = darn_program_kind(path);
    struct darn_words paths = {0};

    *elf = (struct darn_section_elf){.site_count = 0};
    if (kind < 0)
        return darn_tell_refusal(listener, "%s: cannot be read: %s", path, strerror(-kind));
    if (kind == DARN_PROGRAM_SCRIPT || kind == DARN_PROGRAM_UNKNOWN)
        return darn_tell_refusal(listener, "%s is no program: an ELF file is needed", path);
    darn_words_add(&paths, path);
    if (libs)
        darn_section_needed(path, &paths);
    if (kind == DARN_PROGRAM_PLAIN && paths.count == 1) {
        darn_words_free(&paths);
        return darn_tell_refusal(listener,
                                 "%s was not compiled by darn; compile it with darn cc -g", path);
    }
    status = read_all(elf, listener, &paths);
    darn_words_free(&paths);
    return status;
}

void darn_section_elf_free(struct darn_section_elf *elf)
{
    darn_sections_free(&elf->sections);
    free(elf->sites);
    darn_modules_close(&elf->modules);
    *elf = (struct darn_section_elf){.site_count = 0};
}
