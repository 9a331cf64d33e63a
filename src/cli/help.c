/*
 * darn help: explains the commands; and writes what an installation has of the same.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/line.h"
#include "cli/page.h"

struct help {
    const char *manual;     /* a directory; or NULL */
    const char *completion; /* of which shell; or NULL */
};

static const struct darn_option options[] = {
    {.name = "manual",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct help, manual),
     .value = "DIR",
     .help = "write the manual pages to DIR, one for each command"},
    {.name = "completion",
     .type = DARN_OPTION_WORD,
     .offset = offsetof(struct help, completion),
     .value = "bash|zsh",
     .help = "print what the shell reads to complete the command lines"},
    DARN_ROW_HELP,
    {.name = NULL},
};

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

/* DIR/darn-sections-infer.1, or DIR/darn.1 without a command. Says it when it cannot be written,
 * and returns NULL. */
static FILE *open_page(const char *dir, const struct darn_command *command, char *path, size_t size)
{
    size_t begin = strlen(dir);
    FILE *file;

    snprintf(path, size, "%s/darn%s%s.1", dir, command ? "-" : "", command ? command->name : "");
    for (char *at = path + (begin < size ? begin : size - 1); *at; at++)
        if (*at == ' ')
            *at = '-';
    file = fopen(path, "w");
    if (!file)
        darn_lost("help", "%s: %s", path, strerror(errno));
    return file;
}

static void close_page(FILE *file, const char *path)
{
    bool failed = ferror(file);

    if (fclose(file) || failed)
        darn_lost("help", "%s: %s", path, strerror(errno));
}

/* A command whose name comes twice has one page. */
static void write_pages(const char *dir, const struct darn_command *const *list)
{
    for (size_t i = 0; list[i]; i++) {
        const struct darn_command *command = list[i], *also = NULL;
        char path[4096];
        FILE *file = open_page(dir, command, path, sizeof(path));

        if (list[i + 1] && strcmp(list[i + 1]->name, command->name) == 0)
            also = list[++i];
        if (!file)
            return;
        darn_page_manual(command, also, file);
        close_page(file, path);
        if (command->parts)
            write_pages(dir, command->parts);
    }
}

static int write_manual(const char *dir)
{
    char path[4096];
    FILE *file;

    if (mkdir(dir, 0777) && errno != EEXIST)
        return darn_refuse("help", "%s: %s", dir, strerror(errno));
    file = open_page(dir, NULL, path, sizeof(path));
    if (!file)
        return 0;
    darn_page_manual_list(file);
    close_page(file, path);
    write_pages(dir, darn_commands);
    return 0;
}

/* "sections infer" of `darn help sections infer`; NULL when there is none. */
static const struct darn_command *find_part(const struct darn_command *command, const char *word)
{
    size_t length = strlen(command->name);

    for (size_t i = 0; command->parts && command->parts[i]; i++)
        if (command->parts[i]->name[length] == ' ' &&
            strcmp(command->parts[i]->name + length + 1, word) == 0)
            return command->parts[i];
    return NULL;
}

static int help(int argc, char **argv)
{
    struct help wanted = {0};
    struct darn_command_line line = {.command = &darn_command_help, .to = &wanted};
    const struct darn_command *command = NULL;
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (wanted.manual)
        return write_manual(wanted.manual);
    if (line.count && !darn_command_find(line.words[0]) && darn_command_near(line.words[0]))
        return darn_refuse("help", "there is no command '%s'; did you mean '%s'?", line.words[0],
                           darn_command_near(line.words[0]));
    if (line.count && !(command = darn_command_find(line.words[0])))
        return darn_refuse("help", "there is no command '%s'; 'darn help' lists them",
                           line.words[0]);
    if (line.count > 1 && !(command = find_part(command, line.words[1])))
        return darn_refuse("help", "there is no command '%s %s'; 'darn help %s' lists them",
                           line.words[0], line.words[1], line.words[0]);
    if (wanted.completion && strcmp(wanted.completion, "zsh") == 0)
        darn_page_zsh(stdout);
    else if (wanted.completion)
        darn_page_bash(stdout);
    else if (command)
        darn_page_help(command, stdout);
    else
        darn_page_list(stdout);
    return darn_finish_output();
}

const struct darn_command darn_command_help = {
    .name = "help",
    .summary = "explain a command: darn help COMMAND",
    .usage = "help [COMMAND [WORD]]\n"
             "help --manual=DIR\n"
             "help --completion=bash|zsh",
    .about = "Lists the commands, or explains one; or writes the manual pages and the\n"
             "completion of the shell, which an installed darn has already.\n",
    .groups = groups,
    .operands = "COMMAND",
    .anywhere = true,
    .exits = "0 it was printed, or written",
    .run = help,
};
