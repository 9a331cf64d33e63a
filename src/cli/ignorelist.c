#include "cli/ignorelist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"

#define MAX_LINE 4000 /* the plugin's buffer holds this much */

/* What is wrong with one line, or NULL. */
static const char *fault_of(const char *line)
{
    size_t prefix;

    line += strspn(line, " \t\r");
    if (!*line || *line == '#')
        return NULL;
    if (strlen(line) > MAX_LINE)
        return "the line is too long";
    if (*line == '[') {
        const char *end = strchr(line, ']');

        return end && end > line + 1 ? NULL : "the section's name is not closed by ]";
    }
    prefix = strspn(line, LETTERS);
    if (!prefix || line[prefix] != ':')
        return "expected fun:PATTERN or src:PATTERN";
    if (!line[prefix + 1 + strspn(line + prefix + 1, " \t\r")])
        return "the pattern is missing";
    return NULL;
}

static int check_lines(const char *path, FILE *file, char *error, size_t error_size)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    const char *fault = NULL;
    ssize_t length;

    while (!fault && (length = getline(&line, &room, file)) > 0) {
        number++;
        if (line[length - 1] == '\n')
            line[length - 1] = '\0';
        fault = fault_of(line);
    }
    free(line);
    if (fault)
        snprintf(error, error_size, "%s:%zu: %s", path, number, fault);
    else if (ferror(file))
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
    else
        return 0;
    return -EINVAL;
}

int darn_ignorelist_check(const char *path, char *error, size_t error_size)
{
    FILE *file = fopen(path, "r");
    int result;

    if (!file) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return -EINVAL;
    }
    result = check_lines(path, file, error, error_size);
    fclose(file);
    return result;
}
