#include "cli/page.h"

#include <ctype.h>
#include <string.h>

#include "base/options_print.h"
#include "cli/say.h"

static void print_usage(const struct darn_command *command, FILE *out)
{
    const char *before = "usage: ";

    for (const char *line = command->usage; *line; before = "       ") {
        size_t length = strcspn(line, "\n");

        fprintf(out, "%sdarn %.*s\n", before, (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* "Of the options of darn run: --noise, --seed." */
static void print_names(const struct darn_command *command, const struct darn_option_group *group,
                        FILE *out)
{
    struct darn_command_option each = darn_first_option(command);
    size_t width = (size_t)fprintf(out, "\n%s", group->heading) - 1;

    for (; each.option; darn_next_option(&each)) {
        struct darn_command_option next = each;
        char name[64];
        struct darn_text text;

        if (each.group != group)
            continue;
        darn_next_option(&next);
        darn_text_start(&text, name, sizeof(name));
        darn_option_spell(&text, each.option, DARN_STYLE_COMMAND);
        darn_text_char(&text, next.group == group ? ',' : '.');
        if (width + 1 + text.used > DARN_OPTIONS_WIDTH) {
            fputc('\n', out);
            width = (size_t)fprintf(out, "%s", name);
        } else {
            width += (size_t)fprintf(out, " %s", name);
        }
    }
    fputc('\n', out);
}

static void print_group(const struct darn_command *command, const struct darn_option_group *group,
                        FILE *out)
{
    if (group->only) {
        print_names(command, group, out);
        return;
    }
    if (group->heading)
        fprintf(out, "\n%s\n", group->heading);
    darn_options_help(group->options, group->environment ? DARN_STYLE_VARIABLE : DARN_STYLE_COMMAND,
                      darn_write_file, out);
}

void darn_page_help(const struct darn_command *command, FILE *out)
{
    const struct darn_option_group *group = command->groups;

    print_usage(command, out);
    fprintf(out, "\n%s", command->about);
    if (group && !group->heading)
        fputc('\n', out);
    for (; group && group->options; group++)
        print_group(command, group, out);
}

void darn_page_list(FILE *out)
{
    fprintf(out, "darn finds data races and deadlocks in C and C++ programs.\n"
                 "\n"
                 "usage: darn COMMAND ...\n"
                 "\n");
    for (size_t i = 0; darn_commands[i]; i++)
        fprintf(out, "  %-8s %s\n", darn_commands[i]->name, darn_commands[i]->summary);
    fprintf(out,
            "\n"
            "  darn cc -O1 -g bank.c -o bank -pthread\n"
            "  darn run -- ./bank\n"
            "\n"
            "darn-cc and darn-c++ are darn cc and darn c++ under names that build systems can\n"
            "use: make CC=darn-cc CXX=darn-c++.\n"
            "darn --version prints the version.\n");
}

/* Text as roff wants it: a dot at the beginning of a line would be a request, and a - a hyphen. */
static void put_roff(FILE *out, const char *text, size_t length)
{
    bool at_start = true;

    for (size_t i = 0; i < length; i++) {
        if (at_start && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", out);
        at_start = text[i] == '\n';
        switch (text[i]) {
        case '-':
            fputs("\\-", out);
            break;
        case '\\':
            fputs("\\e", out);
            break;
        default:
            fputc(text[i], out);
        }
    }
}

static void put_font(FILE *out, char font, const char *text, size_t length)
{
    fprintf(out, "\\f%c", font);
    put_roff(out, text, length);
    fputs("\\fR", out);
}

/* "darn-sections-infer" */
static void put_page_name(const struct darn_command *command, FILE *out)
{
    fputs("darn\\-", out);
    for (const char *at = command->name; *at; at++)
        put_roff(out, *at == ' ' ? "-" : at, 1);
}

static void put_synopsis(const char *usage, FILE *out)
{
    while (*usage) {
        size_t length = strcspn(usage, "\n"), word = strcspn(usage, " ");

        fputs("\\fBdarn ", out);
        put_roff(out, usage, word);
        fputs("\\fR", out);
        put_roff(out, usage + word, length - word);
        usage += length + (usage[length] == '\n');
        fputs(*usage ? "\n.br\n" : "\n", out);
    }
}

/* Paragraphs; lines with blanks before them are a table, which stays as it is. */
static void put_about(const char *about, FILE *out)
{
    bool table = false;

    while (*about) {
        size_t length = strcspn(about, "\n");

        if (table != (*about == ' ')) {
            table = !table;
            fputs(table ? ".nf\n" : ".fi\n", out);
        }
        if (length)
            put_roff(out, about, length);
        else
            fputs(".PP", out);
        fputc('\n', out);
        about += length + (about[length] == '\n');
    }
    fputs(table ? ".fi\n" : "", out);
}

static void put_option(const struct darn_option *option, enum darn_options_style style, FILE *out)
{
    const char *initial = option->type == DARN_OPTION_JOBS ? "one for each core" : option->initial;
    const char *value;
    char usage[128], name[64];
    struct darn_text text, spelled;

    darn_text_start(&text, usage, sizeof(usage));
    darn_option_usage(&text, option, style);
    darn_text_start(&spelled, name, sizeof(name));
    darn_option_spell(&spelled, option, style);
    value = option->value ? strstr(usage + spelled.used, option->value) : usage + text.used;
    fputs(".TP\n", out);
    put_font(out, 'B', usage, spelled.used);
    put_roff(out, usage + spelled.used, (size_t)(value - usage) - spelled.used);
    if (option->value) {
        put_font(out, 'I', value, strlen(option->value));
        put_roff(out, value + strlen(option->value), strlen(value) - strlen(option->value));
    }
    fputc('\n', out);
    put_roff(out, option->help, strlen(option->help));
    if (initial && *initial) {
        fputs(" (default: ", out);
        put_roff(out, initial, strlen(initial));
        fputc(')', out);
    }
    fputc('\n', out);
}

static void put_options(const struct darn_command *command, FILE *out)
{
    const struct darn_option_group *group = NULL;
    struct darn_command_option each = darn_first_option(command);

    for (; each.option; darn_next_option(&each)) {
        if (each.group != group && each.group->heading)
            fprintf(out, ".SS %.*s\n", (int)strcspn(each.group->heading, ":"), each.group->heading);
        group = each.group;
        if (each.option->help)
            put_option(each.option, DARN_STYLE_COMMAND, out);
    }
}

static void put_environment(const struct darn_command *command, FILE *out)
{
    for (const struct darn_option_group *group = command->groups; group && group->options;
         group++) {
        if (!group->environment)
            continue;
        fputs(".SH ENVIRONMENT\n", out);
        for (const struct darn_option *option = group->options; option->name; option++)
            put_option(option, DARN_STYLE_VARIABLE, out);
    }
}

static void put_exit(const char *line, size_t length, FILE *out)
{
    size_t status = strcspn(line, " ");

    fputs(".TP\n", out);
    put_font(out, 'B', line, status);
    fputc('\n', out);
    put_roff(out, line + status + 1, length - status - 1);
    fputc('\n', out);
}

/* Those of the command, and those that all have. */
static void put_exits(const char *exits, FILE *out)
{
    static const char lost[] = "1 something that was asked for is missing, such as output that "
                               "could not be written";
    static const char wrong[] = "2 wrong use, or a file or program that cannot be used: a line on "
                                "stderr says what is wrong";
    bool has_lost = false;

    fputs(".SH \"EXIT STATUS\"\n", out);
    while (exits && *exits) {
        size_t length = strcspn(exits, "\n");

        has_lost = has_lost || strncmp(exits, "1 ", 2) == 0;
        put_exit(exits, length, out);
        exits += length + (exits[length] == '\n');
    }
    if (!has_lost)
        put_exit(lost, strlen(lost), out);
    put_exit(wrong, strlen(wrong), out);
}

/* "darn-replay(1), darn-shrink(1)" */
static void put_see(const char *see, FILE *out)
{
    fputs(".SH \"SEE ALSO\"\n\\fBdarn\\fR(1)", out);
    while (see && *see) {
        size_t name = strcspn(see, "(");

        fputs(",\n", out);
        put_font(out, 'B', see, name);
        fputs("(1)", out);
        see += strcspn(see, ",");
        see += strspn(see, ", ");
    }
    fputc('\n', out);
}

static void put_title(const char *name, FILE *out)
{
    fputs(".TH ", out);
    for (; *name; name++)
        fputc(*name == ' ' ? '-' : toupper((unsigned char)*name), out);
    fputs(" 1 \"\" \"darn\" \"darn\"\n.SH NAME\n", out);
}

void darn_page_manual(const struct darn_command *command, const struct darn_command *also,
                      FILE *out)
{
    char title[64];

    snprintf(title, sizeof(title), "darn-%s", command->name);
    put_title(title, out);
    put_page_name(command, out);
    fputs(" \\- ", out);
    put_roff(out, command->summary, strlen(command->summary));
    fputs("\n.SH SYNOPSIS\n", out);
    put_synopsis(command->usage, out);
    fputs(".SH DESCRIPTION\n", out);
    put_about(command->about, out);
    if (command->groups)
        fputs(".SH OPTIONS\n", out);
    put_options(command, out);
    if (also) {
        fputs(".SH \"TO LEARN FROM RUNS\"\n", out);
        put_synopsis(also->usage, out);
        fputs(".PP\n", out);
        put_about(also->about, out);
        put_options(also, out);
    }
    put_exits(command->exits, out);
    put_environment(command, out);
    put_see(command->see, out);
}

void darn_page_manual_list(FILE *out)
{
    put_title("darn", out);
    fputs("darn \\- find data races and deadlocks in C and C++ programs\n"
          ".SH SYNOPSIS\n"
          "\\fBdarn\\fR \\fICOMMAND\\fR ...\n"
          ".br\n"
          "\\fBdarn \\-\\-version\\fR\n"
          ".SH COMMANDS\n"
          "Each has a page of its own.\n",
          out);
    for (size_t i = 0; darn_commands[i]; i++) {
        fputs(".TP\n\\fB", out);
        put_page_name(darn_commands[i], out);
        fputs("\\fR(1)\n", out);
        put_roff(out, darn_commands[i]->summary, strlen(darn_commands[i]->summary));
        fputc('\n', out);
    }
    fputs(".SH EXAMPLES\n"
          ".nf\n"
          "darn cc \\-O1 \\-g bank.c \\-o bank \\-pthread\n"
          "darn run \\-\\- ./bank\n"
          ".fi\n"
          ".PP\n"
          "darn\\-cc and darn\\-c++ are darn cc and darn c++ under names that build systems can\n"
          "use: make CC=darn\\-cc CXX=darn\\-c++.\n",
          out);
}
