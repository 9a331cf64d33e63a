#include "driver/section/section_other_keys.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "section/scan.h"

#define ROOM (64 * 1024) /* for one key */

/* Those that are read and written by section_file.c. */
static bool is_ours(const char *key)
{
    static const char *const ours[] = {"darn-sections", "refinement", "sections", "dropped"};

    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        if (strcmp(key, ours[i]) == 0)
            return true;
    }
    return false;
}

/* One key and its value. False at a fault. */
static bool take_member(struct darn_scan *scan, FILE *out)
{
    struct darn_scan_string key;
    size_t start, end, value;

    scan->room_used = 0;
    if (!darn_scan_string(scan, &key, "a key"))
        return false;
    start = key.at;
    end = scan->at;
    if (!darn_scan_take(scan, ':', "a colon"))
        return false;
    (void)darn_scan_peek(scan); /* passes over blanks */
    value = scan->at;
    if (!darn_scan_skip(scan))
        return false;
    if (!is_ours(key.text))
        fprintf(out, ",\n %.*s: %.*s", (int)(end - start), scan->text + start,
                (int)(scan->at - value), scan->text + value);
    return true;
}

static void take_all(struct darn_scan *scan, FILE *out)
{
    if (scan->size >= 3 && memcmp(scan->text, "\xef\xbb\xbf", 3) == 0)
        scan->at = 3;
    if (darn_scan_peek(scan) != '{' || !darn_scan_take(scan, '{', "a brace"))
        return;
    while (take_member(scan, out) && darn_scan_next(scan, '}', "a comma or a brace") > 0)
        ;
}

char *darn_section_other_keys(const char *text, size_t size)
{
    char *rest = NULL, *room = malloc(ROOM);
    struct darn_scan scan = {.text = text, .size = size, .room = room, .room_size = ROOM};
    size_t length = 0;
    FILE *out = room ? open_memstream(&rest, &length) : NULL;

    if (out) {
        take_all(&scan, out);
        fclose(out);
    }
    free(room);
    if (!length) {
        free(rest);
        return NULL;
    }
    return rest;
}
