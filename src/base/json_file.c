#include "base/json_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define FIRST 4096 /* room of a text that has just begun */

static void grow(struct darn_text *text, size_t need)
{
    size_t size = text->size ? text->size : FIRST;

    while (size < need)
        size *= 2;
    text->to = darn_need_memory(realloc(text->to, size));
    text->size = size;
}

void darn_json_start_growing(struct darn_json *json)
{
    darn_json_start(json, NULL, 0);
    json->bytes = DARN_JSON_MARK;
    json->text.grow = grow;
}

void darn_json_release(struct darn_json *json)
{
    free(json->text.to);
    darn_json_start_growing(json);
}

void darn_json_flush(struct darn_json *json, FILE *to)
{
    if (json->text.used)
        fwrite(json->text.to, 1, json->text.used, to);
    json->text.used = 0;
}

void darn_json_finish(struct darn_json *json, FILE *to)
{
    darn_json_flush(json, to);
    darn_json_release(json);
}

void darn_json_real(struct darn_json *json, const char *key, double value, int digits)
{
    char text[64];

    snprintf(text, sizeof(text), "%.*g", digits, value);
    if (!text[strcspn(text, ".en")]) /* a real number stays one */
        strcat(text, ".0");
    darn_json_literal(json, key, text);
}
