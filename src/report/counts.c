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

/* What a line says of a race that was predicted in a run, and when it was observed since. */
static const struct {
    const char *predicted, *blanks, *observed;
} words[] = {
    {"\"certainty\":\"predicted\"", "", "\"certainty\":\"observed\" "},
    {"\"engine\":\"hb\"", "      ", "\"engine\":\"atomrace\""},
};

/* Prints what comes before the end of the text that was found in it, and blanks. Returns the rest.
 */
static const char *print_room(FILE *out, const char *json, const char *end, size_t blanks)
{
    fprintf(out, "%.*s%*s", (int)(end - json), json, (int)blanks, "");
    return end;
}

void darn_counts_print(FILE *out, const char *json)
{
    const char *number = number_in(json), *engine = strstr(json, words[1].predicted);
    size_t digits = number ? strspn(number, "0123456789") : 0;

    if (number)
        json = print_room(out, json, number + digits, digits < WIDTH ? WIDTH - digits : 0);
    if (engine > json)
        json = print_room(out, json, engine + strlen(words[1].predicted), strlen(words[1].blanks));
    fputs(json, out);
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

/* What was predicted is observed: there is room for the words. */
static int set_observed(int fd, off_t start, const char *line)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const char *at = strstr(line, words[i].predicted);
        size_t length = strlen(words[i].observed);

        if (!at || strncmp(at + strlen(words[i].predicted), words[i].blanks,
                           strlen(words[i].blanks)) != 0)
            return 0;
        if (pwrite(fd, words[i].observed, length, start + (at - line)) != (ssize_t)length)
            return errno ? -errno : -EIO;
    }
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
        if (item && !result && (!item->certainty || strcmp(item->certainty, "observed") == 0))
            result = set_observed(fileno(file), start, line);
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
