#include "cli/say.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "report/unread.h"

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

static atomic_bool lost;

void darn_lost(const char *command, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(command, "warning: ", format, arguments);
    va_end(arguments);
    atomic_store(&lost, true);
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

static bool is_output_lost(void)
{
    static bool told;

    if (fflush(stdout) == 0 && !ferror(stdout))
        return false;
    if (!told)
        fprintf(stderr, "darn: the output could not be written\n");
    told = true;
    return true;
}

int darn_finish_output(void)
{
    return is_output_lost() || darn_is_unread();
}

static bool is_open;

/* A report in many small pieces is one write for each line: it does not mix with what the program
 * under test prints, and costs less. */
void darn_begin_errors(void)
{
    static char buffer[BUFSIZ];

    is_open = fcntl(STDERR_FILENO, F_GETFD) >= 0;
    setvbuf(stderr, buffer, _IOLBF, sizeof(buffer));
}

int darn_end_errors(int status)
{
    bool output = is_output_lost(), errors = fflush(stderr) || ferror(stderr);

    if (status)
        return status;
    return output || (errors && is_open) || darn_is_unread() || atomic_load(&lost);
}
