/* Repositories of sections: whatever the text, it is read to its end, and every fault has a place
 * in it. */
#include <stdint.h>
#include <stdlib.h>

#include "section/section.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static char page[256 * 1024];

static bool take(void *context, const struct darn_section *section)
{
    struct darn_json json;

    (void)context;
    if (!section->variable || !section->file || !section->function || !section->position ||
        (!section->first && section->count < 2))
        abort();
    darn_json_start(&json, page, sizeof(page));
    darn_repository_style(&json);
    darn_section_write(&json, section);
    if (json.text.cut)
        abort();
    return true;
}

static void take_error(void *context, const struct darn_repository_error *error)
{
    const size_t *length = context;

    if (!error->line || error->line > *length + 1 || !error->column || error->column > *length + 1)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct darn_section section;
    static char room[64 * 1024];
    struct darn_repository_reader reader = {take, take_error, true, &length, room, sizeof(room)};

    (void)darn_repository_read((const char *)bytes, length, &section, &reader);
    return 0;
}
