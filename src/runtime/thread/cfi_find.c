#include "runtime/thread/cfi_find.h"

#include <string.h>

#include "runtime/order/outside.h"
#include "runtime/os/os.h"

/* .eh_frame_hdr (LSB Core, 10.6.2) as all linkers write it: a table of pairs, sorted by the first,
 * both relative to the beginning of the section. */
struct header {
    uint8_t version, frames_encoding, count_encoding, table_encoding;
    int32_t frames;
    uint32_t count;
};

struct pair {
    int32_t function, fde;
};

#define VERSION        1
#define FROM_PC_32     0x1b
#define UNSIGNED_32    0x03
#define FROM_HEADER_32 0x3b

struct search {
    struct darn_outside_module module;
    bool is_copied;
};

static bool get(const struct search *search, void *to, uintptr_t from, size_t size)
{
    if (from < search->module.start || from > search->module.end ||
        search->module.end - from < size)
        return false;
    if (search->is_copied)
        return darn_os_copy(to, (const void *)from, size) == (long)size;
    memcpy(to, (const void *)from, size);
    return true;
}

/* The entry of the last function that begins at `pc` or before; 0: there is none. */
static uintptr_t find_fde(const struct search *search, uintptr_t pc)
{
    uintptr_t start = search->module.functions, table = start + sizeof(struct header);
    struct header header;
    struct pair pair;
    uint32_t low = 0, high;

    if (!start || !get(search, &header, start, sizeof(header)) || header.version != VERSION ||
        header.frames_encoding != FROM_PC_32 || header.count_encoding != UNSIGNED_32 ||
        header.table_encoding != FROM_HEADER_32)
        return 0;
    for (high = header.count; low < high;) { /* those below `low` begin before, those from `high` on
                                                behind */
        uint32_t middle = low + (high - low) / 2;

        if (!get(search, &pair, table + middle * sizeof(pair), sizeof(pair)))
            return 0;
        if (start + (uintptr_t)(intptr_t)pair.function <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || !get(search, &pair, table + (low - 1) * sizeof(pair), sizeof(pair)))
        return 0;
    return start + (uintptr_t)(intptr_t)pair.fde;
}

/* `room` has so many bytes, or is NULL. */
static bool get_entry(const struct search *search, struct darn_cfi_entry *entry, uintptr_t at,
                      uint8_t *room, size_t room_size)
{
    uint32_t length;

    if (!get(search, &length, at, sizeof(length)))
        return false;
    entry->address = at;
    entry->size = darn_cfi_size(length);
    entry->bytes = room ? room : (const uint8_t *)at;
    if (!entry->size)
        return false;
    if (room)
        return entry->size <= room_size && get(search, room, at, entry->size);
    return at + entry->size <= search->module.end;
}

enum darn_cfi_found darn_cfi_find(uintptr_t pc, struct darn_cfi_row *row,
                                  struct darn_cfi_room *room)
{
    struct search search = {.is_copied = room};
    struct darn_cfi_entry cie, fde;
    uint32_t back;
    uintptr_t at;

    if (!darn_outside_module(pc, &search.module))
        return DARN_CFI_NO_MODULE;
    at = find_fde(&search, pc);
    if (!at || !get_entry(&search, &fde, at, room ? room->fde : NULL, sizeof(room->fde)) ||
        fde.size < 8)
        return DARN_CFI_NOT_THERE;
    memcpy(&back, fde.bytes + 4, sizeof(back)); /* how far its CIE is from this word */
    if (!get_entry(&search, &cie, at + 4 - back, room ? room->cie : NULL, sizeof(room->cie)) ||
        !darn_cfi_row(row, &cie, &fde, pc))
        return DARN_CFI_NOT_THERE;
    return DARN_CFI_FOUND;
}
