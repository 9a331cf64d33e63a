#include "driver/section/section_other_keys.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json_file.h"
#include "section/scan.h"
#include "section/section.h"

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
static bool take_member(struct darn_scan *scan, struct darn_json *json)
{
    struct darn_scan_string key;
    size_t start;

    scan->room_used = 0;
    if (!darn_scan_string(scan, &key, "a key") || !darn_scan_take(scan, ':', "a colon"))
        return false;
    (void)darn_scan_peek(scan); /* passes over blanks */
    start = scan->at;
    if (!darn_scan_skip(scan))
        return false;
    if (!is_ours(key.text)) {
        char *value = darn_need_memory(strndup(scan->text + start, scan->at - start));

        darn_json_break(json, 1);
        darn_json_literal(json, key.text, value);
        free(value);
    }
    return true;
}

static void take_all(struct darn_scan *scan, struct darn_json *json)
{
    if (scan->size >= 3 && memcmp(scan->text, "\xef\xbb\xbf", 3) == 0)
        scan->at = 3;
    if (darn_scan_peek(scan) != '{' || !darn_scan_take(scan, '{', "a brace"))
        return;
    while (take_member(scan, json) && darn_scan_next(scan, '}', "a comma or a brace") > 0)
        ;
}

char *darn_section_other_keys(const char *text, size_t size)
{
    char *room = darn_need_memory(malloc(ROOM));
    struct darn_scan scan = {.text = text, .size = size, .room = room, .room_size = ROOM};
    struct darn_json json;

    darn_json_start_growing(&json);
    darn_repository_style(&json);
    json.comma = true; /* the object has begun elsewhere */
    take_all(&scan, &json);
    free(room);
    return json.text.to; /* NULL when nothing was written */
}
