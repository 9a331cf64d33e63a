#include "cli/line.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/spelling.h"
#include "cli/page.h"
#include "driver/play/free_runs.h"

const int darn_stop_signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGKILL};

#define MOST_SECONDS 4000000.0 /* milliseconds in 32 bits */

static void *struct_of(const struct darn_command_line *line,
                       const struct darn_command_option *found)
{
    return (char *)line->to + found->group->base;
}

/* Prints "darn COMMAND: --name<what>", or "darn COMMAND: --name=value<what>" if there is a value.
 */
static int refuse(const struct darn_command_line *line, const struct darn_option *option,
                  const char *value, const char *what)
{
    char spelled[128];
    struct darn_text text;

    darn_text_start(&text, spelled, sizeof(spelled));
    darn_option_spell(&text, option, DARN_STYLE_COMMAND);
    return darn_refuse(line->command->name, "%s%s%s%s", spelled, value ? "=" : "",
                       value ? value : "", what);
}

static int refuse_without_value(const struct darn_command_line *line,
                                const struct darn_option *option)
{
    char what[256];
    struct darn_text text;

    darn_text_start(&text, what, sizeof(what));
    darn_text_add(&text, " needs a value: ");
    darn_option_usage(&text, option, DARN_STYLE_COMMAND);
    return refuse(line, option, NULL, what);
}

static int set_seconds(const struct darn_command_line *line, const struct darn_option *option,
                       const char *value, uint32_t *ms)
{
    char *end;
    double seconds = strtod(value, &end);

    if (!isdigit((unsigned char)*value) || *end || !(seconds >= 0.001 && seconds <= MOST_SECONDS))
        return refuse(line, option, value, ": a number of seconds is needed, such as 60 or 0.5");
    *ms = (uint32_t)(seconds * 1000);
    return 0;
}

static int set_string(const struct darn_command_line *line, const struct darn_option *option,
                      const char *value, const char **to)
{
    if (value && !*value)
        return refuse_without_value(line, option);
    *to = value;
    return 0;
}

/* By the base, which knows the types that a run has, or by the command itself. */
static int set_by_row(const struct darn_command_line *line, const struct darn_option *option,
                      const char *value, char *to)
{
    char error[1024];
    int result = option->type == DARN_OPTION_OWN
                     ? option->set(to + option->offset, value, error, sizeof(error))
                     : darn_option_set(to, option, DARN_STYLE_COMMAND, value, error, sizeof(error));

    return result ? darn_refuse(line->command->name, "%s", error) : 0;
}

/* In DARN_OPTIONS `help` is the program's; on the line it is ours. */
static bool asks_for_help(const struct darn_option *option)
{
    return option->type == DARN_OPTION_HELP ||
           (option->type == DARN_OPTION_BOOL && strcmp(option->name, "help") == 0);
}

static int set_help(struct darn_command_line *line, const struct darn_option *option,
                    const char *value)
{
    struct darn_option own = {.name = option->name, .type = DARN_OPTION_BOOL};

    line->help = true;
    return value ? set_by_row(line, &own, value, (char *)&line->help) : 0;
}

static int set_word(const struct darn_command_line *line, const struct darn_option *option,
                    const char *value, const char **to)
{
    struct darn_option choice = *option;
    uint32_t index;
    int status;

    choice.type = DARN_OPTION_CHOICE;
    choice.offset = 0;
    status = set_by_row(line, &choice, value, (char *)&index);
    if (!status)
        *to = value;
    return status;
}

static int set(struct darn_command_line *line, const struct darn_command_option *found,
               const char *value)
{
    const struct darn_option *option = found->option;
    char *to = struct_of(line, found);
    void *field = to + option->offset;

    if (asks_for_help(option))
        return set_help(line, option, value);
    switch (option->type) {
    case DARN_OPTION_FLAG:
        *(bool *)field = true;
        return 0;
    case DARN_OPTION_SECONDS:
        return set_seconds(line, option, value, field);
    case DARN_OPTION_STRING:
    case DARN_OPTION_MAYBE:
        return set_string(line, option, value, field);
    case DARN_OPTION_WORD:
        return set_word(line, option, value, field);
    default:
        return set_by_row(line, option, value, to);
    }
}

void darn_line_default(struct darn_command_line *line)
{
    struct darn_command_option each;

    for (each = darn_first_option(line->command); each.option; darn_next_option(&each)) {
        if (each.option->type == DARN_OPTION_JOBS)
            *(uint64_t *)((char *)struct_of(line, &each) + each.option->offset) =
                darn_free_runs_cores();
        else if (each.option->initial)
            (void)set(line, &each, each.option->initial);
    }
}

/* That it was given. */
static void note(struct darn_command_line *line, const struct darn_command_option *found)
{
    char *to = struct_of(line, found);

    if (found->option->given)
        *(bool *)(to + found->option->given) = true;
    line->given |= UINT64_C(1) << found->number;
}

static struct darn_command_option find(const struct darn_command_line *line, const char *word)
{
    size_t dashes = word[1] == '-' ? 2 : 1, length = strcspn(word, "=") - dashes;
    struct darn_command_option each;

    for (each = darn_first_option(line->command); each.option; darn_next_option(&each))
        if ((darn_option_is(each.option, word + dashes, length) &&
             (dashes == 1) == (length == 1)) ||
            (asks_for_help(each.option) && strcmp(word, "-h") == 0))
            break;
    return each;
}

/* An option that may have been meant, as it is spelled; false: none is near. */
static bool find_near(const struct darn_command_line *line, const char *word, char *to, size_t size)
{
    struct darn_command_option each = darn_first_option(line->command);
    size_t least = SIZE_MAX;
    char name[64], spelled[64];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    for (; each.option; darn_next_option(&each)) {
        struct darn_text text;
        size_t distance;

        darn_text_start(&text, spelled, sizeof(spelled));
        darn_option_spell(&text, each.option, DARN_STYLE_COMMAND);
        distance = each.option->help ? darn_spelling_distance(name, spelled) : SIZE_MAX;
        if (distance < least) {
            least = distance;
            snprintf(to, size, "%s", spelled);
        }
    }
    return least != SIZE_MAX && strlen(name) > 3 && darn_spelling_is_near(name + 2, to + 2, least);
}

/* `darn cc --help` is clang's. */
static int refuse_unknown(const struct darn_command_line *line, const char *word)
{
    struct darn_command_option each = darn_first_option(line->command);
    char spelled[128], near[64];
    struct darn_text text;

    if (find_near(line, word, near, sizeof(near)))
        return darn_refuse(line->command->name, "there is no option %s; did you mean %s?", word,
                           near);
    while (!asks_for_help(each.option))
        darn_next_option(&each);
    darn_text_start(&text, spelled, sizeof(spelled));
    darn_option_spell(&text, each.option, DARN_STYLE_COMMAND);
    return darn_refuse(line->command->name, "there is no option %s; 'darn %s %s' lists them", word,
                       line->command->name, spelled);
}

int darn_line_option(struct darn_command_line *line, int *at, int argc, char **argv)
{
    struct darn_command_option found = find(line, argv[*at]);
    const struct darn_option *option = found.option;
    const char *value = strchr(argv[*at], '=');

    if (!option)
        return refuse_unknown(line, argv[*at]);
    if (value)
        value++;
    if (value && !option->value)
        return refuse(line, option, NULL, " takes no value");
    if (!value && option->type == DARN_OPTION_BOOL)
        value = "1";
    if (!value && option->value && option->type != DARN_OPTION_MAYBE) {
        if (*at + 1 >= argc)
            return refuse_without_value(line, option);
        value = argv[++*at];
    }
    note(line, &found);
    return set(line, &found, value);
}

/* An option that was given without the one that it belongs to. 0 or an exit status. */
static int check_needs(const struct darn_command_line *line)
{
    struct darn_command_option each;

    for (each = darn_first_option(line->command); each.option; darn_next_option(&each)) {
        struct darn_command_option other = darn_first_option(line->command);
        const char *needs = each.option->needs;

        if (!needs || !(line->given >> each.number & 1))
            continue;
        while (strcmp(other.option->name, needs) != 0)
            darn_next_option(&other);
        if (!(line->given >> other.number & 1))
            return darn_refuse(line->command->name, "--%s is for --%s, which is not given",
                               each.option->name, needs);
    }
    return 0;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1];
}

/* 0 or an exit status. */
static int read_words(struct darn_command_line *line, int argc, char **argv)
{
    int at = 1, status = 0;

    line->words = argv + 1;
    for (; at < argc && !status; at++) {
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        if (is_option(argv[at]))
            status = darn_line_option(line, &at, argc, argv);
        else if (line->command->anywhere)
            line->words[line->count++] = argv[at];
        else
            break;
    }
    while (at < argc)
        line->words[line->count++] = argv[at++];
    line->words[line->count] = NULL;
    return status;
}

bool darn_line_take(struct darn_command_line *line, int argc, char **argv, int *status)
{
    int most = line->command->most;

    *status = read_words(line, argc, argv);
    if (*status)
        return false;
    if (line->help) {
        darn_page_help(line->command, stdout);
        *status = darn_finish_output();
        return false;
    }
    *status = check_needs(line);
    if (!*status && most && line->count > most)
        *status = darn_refuse(line->command->name,
                              "'%s' is too much; 'darn %s --help' says what is wanted",
                              line->words[most], line->command->name);
    return !*status;
}

bool darn_line_read(struct darn_command_line *line, int argc, char **argv, int *status)
{
    darn_line_default(line);
    return darn_line_take(line, argc, argv, status);
}
