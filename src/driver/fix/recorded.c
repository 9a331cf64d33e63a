#include "driver/fix/recorded.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const Elf_Data *find_section(Elf *elf, const char *wanted)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (!elf || elf_getshdrstrndx(elf, &names))
        return NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

        if (name && strcmp(name, wanted) == 0)
            return elf_getdata(section, NULL);
    }
    return NULL;
}

/* Of objects that darn cc has not compiled, gcc or clang may have left a line as well. */
static bool read_text(struct darn_recorded *recorded, struct darn_text_pool *pool, const char *text)
{
    size_t count = 1, i = 0;
    char *rest, **fields;

    for (const char *at = text; (at = strchr(at, DARN_RECORD_SEPARATOR)); at++)
        count++;
    if (count <= DARN_RECORD_WORDS)
        return false;
    rest = darn_pool_text(pool, text);
    fields = darn_pool_get(pool, count + 1, sizeof(*fields));
    while (rest) {
        fields[i++] = rest;
        rest = strchr(rest, DARN_RECORD_SEPARATOR);
        if (rest)
            *rest++ = '\0';
    }
    *recorded =
        (struct darn_recorded){text, fields[DARN_RECORD_DIRECTORY], fields[DARN_RECORD_OBJECT],
                               fields[DARN_RECORD_SOURCE], fields + DARN_RECORD_WORDS};
    return strcmp(fields[0], DARN_RECORD_MARK) == 0 && recorded->directory[0] == '/';
}

/* The next text of a section, in the pool; NULL: there is none. */
static const char *next_text(struct darn_text_pool *pool, const Elf_Data *data, size_t *at)
{
    const char *text = data && *at < data->d_size ? (const char *)data->d_buf + *at : NULL;
    size_t length = text ? strnlen(text, data->d_size - *at) : 0;

    *at += length + 1;
    return text ? darn_pool_part(pool, text, length) : NULL;
}

static void read_link(struct darn_records *records, struct darn_text_pool *pool, Elf *elf)
{
    size_t at = 0;
    const char *text = next_text(pool, find_section(elf, DARN_RECORD_LINKED), &at);
    struct darn_recorded *link = darn_pool_get(pool, 1, sizeof(*link));

    if (text && read_text(link, pool, text))
        records->link = link;
}

static void read_compiled(struct darn_records *records, struct darn_text_pool *pool, Elf *elf)
{
    const Elf_Data *data = find_section(elf, DARN_RECORD_COMPILED);
    size_t most = 0, at = 0;
    const char *text;

    for (size_t i = 0; data && i < data->d_size; i++)
        most += !((const char *)data->d_buf)[i];
    records->compiled = darn_pool_get(pool, most + 1, sizeof(*records->compiled));
    while ((text = next_text(pool, data, &at))) {
        struct darn_recorded *recorded = &records->compiled[records->count];

        if (records->count < most && *text && read_text(recorded, pool, text) &&
            (!records->link || strcmp(text, records->link->text) != 0))
            records->count++;
    }
}

void darn_records_read(struct darn_records *records, struct darn_text_pool *pool,
                       const char *program)
{
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    Elf *elf =
        fd >= 0 && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;

    *records = (struct darn_records){NULL, NULL, 0};
    read_link(records, pool, elf);
    read_compiled(records, pool, elf);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
}
