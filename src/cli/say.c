#include "cli/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

/* One write: lines of programs that run side by side do not mix. */
static void say(const char *command, const char *kind, const char *format, va_list arguments)
{
    char message[2048];

    vsnprintf(message, sizeof(message), format, arguments);
    for (char *c = message; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    fprintf(stderr, "darn%s%s: %s%s\n", *command ? " " : "", command, kind, message);
}

int darn_refuse(const char *command, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(command, "", format, arguments);
    va_end(arguments);
    return DARN_EXIT_USAGE;
}

void darn_warn(const char *command, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(command, "warning: ", format, arguments);
    va_end(arguments);
}

void darn_print_options(const struct darn_cli_option *table)
{
    for (; table->name; table++) {
        const char *line = table->help;
        bool is_letter = table->name[0] == '-' && table->name[1] != '-';
        const char *between = is_letter ? " " : "="; /* -o FILE, but --json=FILE */
        int width = printf("  %s%s%s", table->name, table->value ? between : "",
                           table->value ? table->value : "");

        if (width + 1 >= DARN_OPTIONS_COLUMN) {
            printf("\n");
            width = 0;
        }
        while (*line) {
            size_t length = strcspn(line, "\n");

            printf("%*s%.*s\n", DARN_OPTIONS_COLUMN - width, "", (int)length, line);
            line += length + (line[length] == '\n');
            width = 0;
        }
    }
}

void darn_write_file(void *file, const char *text, size_t length)
{
    fwrite(text, 1, length, file);
}

int darn_finish_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    fprintf(stderr, "darn: the output could not be written\n");
    return 1;
}
