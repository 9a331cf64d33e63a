/*
 * The completion of zsh: a function for each command, which hands its options to _arguments.
 */
#include <ctype.h>
#include <string.h>

#include "cli/page.h"

/* Inside '…' of a specification: brackets and colons would end a part of it. Of several lines the
 * first blank is enough. */
static void put_text(const char *text, size_t length, FILE *out)
{
    for (size_t i = 0; i < length; i++) {
        if (strchr("[]:\\", text[i]))
            fputc('\\', out);
        if (text[i] == '\'')
            fputs("'\\''", out);
        else
            fputc(text[i] == '\n' ? ' ' : text[i], out);
    }
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

static bool is_literal(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)text[i]) && !isdigit((unsigned char)text[i]) && text[i] != '-')
            return false;
    return length > 0;
}

/* "FILE|stderr" is a file, "auto|always|never" one of three words, "N" anything. */
static void put_action(const char *words, FILE *out)
{
    const char *separator = "(";

    for (const char *word = words; *word; word += strspn(word, "| ")) {
        size_t length = strcspn(word, "| ");

        if (is_word(word, length, "FILE") || is_word(word, length, "PATH")) {
            fputs("_files", out);
            return;
        }
        if (is_word(word, length, "DIR")) {
            fputs("_files -/", out);
            return;
        }
        word += length;
    }
    for (const char *word = words; *word; word += strspn(word, "| ")) {
        size_t length = strcspn(word, "| ");

        if (is_literal(word, length)) {
            fprintf(out, "%s%.*s", separator, (int)length, word);
            separator = " ";
        }
        word += length;
    }
    fputs(*separator == ' ' ? ")" : " ", out);
}

/* '--color=[colour in reports]:auto|always|never:(auto always never)' */
static void put_option(const struct darn_option *option, FILE *out)
{
    bool optional = option->type == DARN_OPTION_BOOL || option->type == DARN_OPTION_MAYBE;
    char name[64];
    struct darn_text text;

    darn_text_start(&text, name, sizeof(name));
    darn_option_spell(&text, option, DARN_STYLE_COMMAND);
    fprintf(out, " \\\n        '%s%s%s[", option->type == DARN_OPTION_NOISE ? "*" : "", name,
            !option->value         ? ""
            : optional             ? "=-"
            : option->name[1] == 0 ? "+"
                                   : "=");
    put_text(option->help, strlen(option->help), out);
    fputc(']', out);
    if (option->value) {
        fputs(optional ? "::" : ":", out);
        put_text(option->value, strlen(option->value), out);
        fputc(':', out);
        put_action(darn_option_words(option), out);
    }
    fputc('\'', out);
}

static bool has_option(const struct darn_command *command, const struct darn_option *option)
{
    struct darn_command_option each = darn_first_option(command);

    while (each.option && strcmp(each.option->name, option->name) != 0)
        darn_next_option(&each);
    return each.option;
}

/* Those of `command` that `before`, which has the same name, does not have; NULL: all. */
static void put_options(const struct darn_command *command, const struct darn_command *before,
                        FILE *out)
{
    struct darn_command_option each = darn_first_option(command);

    for (; each.option; darn_next_option(&each))
        if (each.option->help && !(before && has_option(before, each.option)))
            put_option(each.option, out);
}

/* The first may be a file, as that of `darn replay SCHEDULE PROGRAM`. */
static void put_operands(const struct darn_command *command, FILE *out)
{
    const char *operands = command->operands ? command->operands : "";
    const char *program = strstr(operands, "PROGRAM");

    if (strcmp(operands, "COMMAND") == 0) {
        fputs(" \\\n        '1:command:_darn_commands'", out);
        return;
    }
    if (program) {
        for (const char *at = operands; at < program; at += strcspn(at, " ") + 1)
            fputs(" \\\n        ':file:_files'", out);
        fputs(" \\\n        '*::program:_normal'", out);
        return;
    }
    fputs(strcmp(operands, "DIR") == 0 ? " \\\n        '*:directory:_files -/'"
                                       : " \\\n        '*:file:_files'",
          out);
}

/* "sections infer" is _darn_sections_infer. */
static void put_name(const char *name, FILE *out)
{
    fputs("_darn_", out);
    for (; *name; name++)
        fputc(*name == ' ' ? '_' : *name == '+' ? 'x' : *name, out);
}

static void put_names(const struct darn_command *const *list, FILE *out)
{
    for (size_t i = 0; list[i]; i++) {
        const char *blank = strchr(list[i]->name, ' ');

        if (i && strcmp(list[i]->name, list[i - 1]->name) == 0)
            continue;
        fputs("        '", out);
        put_text(blank ? blank + 1 : list[i]->name, strlen(blank ? blank + 1 : list[i]->name), out);
        fputc(':', out);
        put_text(list[i]->summary, strlen(list[i]->summary), out);
        fputs("'\n", out);
    }
}

/* Which of these commands the word before the cursor is part of. */
static void put_choice(const struct darn_command *const *list, const char *function, FILE *out)
{
    fprintf(out, "%s() {\n    local -a commands=(\n", function);
    put_names(list, out);
    fputs("    )\n    if ((CURRENT == 2)); then\n"
          "        _describe -t commands 'darn command' commands\n"
          "        return\n    fi\n"
          "    shift words\n    ((CURRENT--))\n    case $words[1] in\n",
          out);
    for (size_t i = 0; list[i]; i++) {
        const char *blank = strchr(list[i]->name, ' ');

        if (i && strcmp(list[i]->name, list[i - 1]->name) == 0)
            continue;
        fprintf(out, "    %s) ", blank ? blank + 1 : list[i]->name);
        put_name(list[i]->name, out);
        fputs(" ;;\n", out);
    }
    fputs("    esac\n}\n\n", out);
}

static void put_commands(const struct darn_command *const *list, FILE *out)
{
    for (size_t i = 0; list[i]; i++) {
        const struct darn_command *command = list[i];

        if (i && strcmp(list[i]->name, list[i - 1]->name) == 0)
            continue;
        if (command->parts) {
            char function[64];

            snprintf(function, sizeof(function), "_darn_%s", command->name);
            put_commands(command->parts, out);
            put_choice(command->parts, function, out);
            continue;
        }
        put_name(command->name, out);
        fprintf(out, "() {\n    _arguments%s", command->anywhere ? "" : " -A '-*'");
        put_options(command, NULL, out);
        if (list[i + 1] && strcmp(list[i + 1]->name, command->name) == 0)
            put_options(list[i + 1], command, out);
        put_operands(command, out);
        fputs("\n}\n\n", out);
    }
}

void darn_page_zsh(FILE *out)
{
    fputs("#compdef darn darn-cc darn-c++\n"
          "# Completion of darn for zsh; made by darn help --completion=zsh.\n\n"
          "_darn_commands() {\n    local -a commands=(\n",
          out);
    put_names(darn_commands, out);
    fputs("    )\n    _describe -t commands 'darn command' commands\n}\n\n", out);
    put_commands(darn_commands, out);
    put_choice(darn_commands, "_darn_choice", out);
    fputs("case $service in\n"
          "darn-cc) _darn_cc ;;\n"
          "darn-c++) _darn_cxx ;;\n"
          "*) _darn_choice ;;\n"
          "esac\n",
          out);
}
