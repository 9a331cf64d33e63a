#include "report/counts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 10 /* digits and blanks */
#define KEY   "\"count\":"

/* Where the number of the count stands. Before it are only texts, and in a JSON text the quotes of
 * the key would be escaped. NULL when there is none. */
static const char *number_in(const char *json)
{
    const char *key = strstr(json, KEY);

    return key ? key + strlen(KEY) : NULL;
}

void darn_counts_print(FILE *out, const char *json)
{
    const char *number = number_in(json);
    size_t digits = number ? strspn(number, "0123456789") : 0;

    if (!number) {
        fputs(json, out);
        return;
    }
    fwrite(json, 1, (size_t)(number - json) + digits, out);
    for (size_t i = digits; i < WIDTH; i++)
        fputc(' ', out);
    fputs(number + digits, out);
}

/* Which finding of this process the line is; NULL if it is none. */
static const struct darn_summary_item *item_of(const char *line, const struct darn_summary *summary)
{
    const struct darn_summary_item *found = NULL;
    json_t *object = json_loads(line, 0, NULL);
    const char *run_id = json_string_value(json_object_get(object, "run_id"));
    const char *id = run_id ? run_id : json_string_value(json_object_get(object, "id"));

    if (id && json_integer_value(json_object_get(object, "pid")) == summary->pid)
        for (size_t i = 0; !found && i < summary->item_count; i++)
            if (strcmp(summary->items[i].id, id) == 0)
                found = &summary->items[i];
    json_decref(object);
    return found;
}

static int overwrite(int fd, off_t start, const char *line, uint64_t count)
{
    const char *number = number_in(line);
    size_t room = number ? strspn(number, "0123456789 ") : 0;
    char digits[32];
    int length = snprintf(digits, sizeof(digits), "%-*" PRIu64, (int)room, count);

    if ((size_t)length != room || (size_t)length >= sizeof(digits))
        return 0;
    if (pwrite(fd, digits, room, start + (number - line)) != (ssize_t)room)
        return errno ? -errno : -EIO;
    return 0;
}

static int update_lines(FILE *file, const struct darn_summary *summary)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    off_t start = 0;
    int result = 0;

    while (!result && (length = getline(&line, &room, file)) >= 0) {
        const struct darn_summary_item *item = item_of(line, summary);

        if (item && item->count)
            result = overwrite(fileno(file), start, line, item->count);
        start += length;
    }
    free(line);
    return result;
}

int darn_counts_update(const char *path, const struct darn_summary *summary)
{
    FILE *file = fopen(path, "r+e");
    int result;

    if (!file)
        return -errno;
    result = update_lines(file, summary);
    fclose(file);
    return result;
}
