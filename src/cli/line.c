#include "cli/line.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SECONDS 4000000.0 /* milliseconds in 32 bits */

/* The name in the table without [=WHAT]. */
static size_t name_length(const struct darn_cli_option *option)
{
    return strcspn(option->name, "[");
}

static int find(const struct darn_cli_option *table, const char *word, size_t length)
{
    for (int i = 0; table[i].name; i++)
        if (name_length(&table[i]) == length && strncmp(table[i].name, word, length) == 0)
            return i;
    return -1;
}

/* The value that the option has in the line; *at moves when it is a word of its own. 0 or an exit
 * status. */
static int find_value(const char *command, const struct darn_cli_option *option, int *at, int argc,
                      char **argv, const char **value)
{
    const char *equals = strchr(argv[*at], '=');
    bool may = option->value || option->name[name_length(option)];

    *value = equals ? equals + 1 : NULL;
    if (*value && !may)
        return darn_refuse(command, "%s takes no value", option->name);
    if (*value || !option->value)
        return 0;
    if (*at + 1 >= argc)
        return darn_refuse(command, "%s needs a value", argv[*at]);
    *value = argv[++*at];
    return 0;
}

int darn_line_read(const char *command, const struct darn_cli_option *table, int argc, char **argv,
                   darn_line_set *set, void *to, int *rest)
{
    const char *value;
    int at = 1, option, status = 0;

    for (; at < argc && argv[at][0] == '-' && argv[at][1] && !status; at++) {
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        option = find(table, argv[at], strcspn(argv[at], "="));
        if (option < 0)
            return darn_refuse(command, "there is no option %s; 'darn %s --help' lists them",
                               argv[at], command);
        status = find_value(command, &table[option], &at, argc, argv, &value);
        if (!status)
            status = set(to, option, value);
    }
    *rest = at;
    return status;
}

int darn_line_number(const char *command, const char *name, const char *value, uint64_t min,
                     uint64_t max, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(value, &end, 10);
    if (!isdigit((unsigned char)*value) || *end || errno || *number < min || *number > max)
        return darn_refuse(command, "%s=%s: a number from %" PRIu64 " to %" PRIu64 " is needed",
                           name, value, min, max);
    return 0;
}

int darn_line_seconds(const char *command, const char *name, const char *value, uint32_t *ms)
{
    char *end;
    double seconds = strtod(value, &end);

    if (!isdigit((unsigned char)*value) || *end || !(seconds >= 0.001 && seconds <= MOST_SECONDS))
        return darn_refuse(command, "%s=%s: a number of seconds is needed, such as 60 or 0.5", name,
                           value);
    *ms = (uint32_t)(seconds * 1000);
    return 0;
}
