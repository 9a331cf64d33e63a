/*
 * The completion of bash: a table of the lines of all commands, and a function that walks along
 * what was typed by that table.
 */
#include <ctype.h>
#include <string.h>

#include "cli/page.h"

/* The part that knows no command. Bash splits what is typed at = and : as well, so it is put
 * together first; in the end, what bash counts as words before is taken off again. */
static const char walk[] =
    "# _darn_offer KINDS BEFORE BEGUN: words, files, directories and programs that begin with\n"
    "# BEGUN, with BEFORE in front of them.\n"
    "_darn_offer() {\n"
    "    local kind found IFS='|'\n"
    "\n"
    "    for kind in $1; do\n"
    "        case $kind in\n"
    "        @) continue ;;\n"
    "        @file) found=$(compgen -f -- \"$3\") ;;\n"
    "        @dir) found=$(compgen -d -- \"$3\") ;;\n"
    "        @program) found=$(compgen -c -- \"$3\"; compgen -f -- \"$3\") ;;\n"
    "        *) found=$(compgen -W \"$kind\" -- \"$3\") ;;\n"
    "        esac\n"
    "        [[ $found ]] || continue\n"
    "        [[ $kind != @* ]] || compopt -o filenames 2>/dev/null\n"
    "        while IFS= read -r found; do\n"
    "            COMPREPLY+=(\"$2$found\")\n"
    "        done <<<\"$found\"\n"
    "    done\n"
    "}\n"
    "\n"
    "# The row of an option, or nothing.\n"
    "_darn_row() {\n"
    "    local row\n"
    "\n"
    "    for row in $options; do\n"
    "        [[ ${row%%[=:]*} != \"$1\" ]] || echo \"$row\"\n"
    "    done\n"
    "}\n"
    "\n"
    "# The names of the options, with = where a value has to follow.\n"
    "_darn_names() {\n"
    "    local row\n"
    "\n"
    "    for row in $options; do\n"
    "        case $row in\n"
    "        --*=*) _darn_offer \"${row%%=*}=\" '' \"$1\" ;;\n"
    "        *) _darn_offer \"${row%%[=:]*}\" '' \"$1\" ;;\n"
    "        esac\n"
    "    done\n"
    "    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null\n"
    "}\n"
    "\n"
    "# Past the words before the one that is completed.\n"
    "_darn_walk() {\n"
    "    local word\n"
    "\n"
    "    for (( ; at < count - 1; at++)); do\n"
    "        word=${typed[at]}\n"
    "        if [[ $row ]]; then\n"
    "            row=\n"
    "        elif [[ ! $ended && $word == -- ]]; then\n"
    "            ended=1\n"
    "        elif [[ ! $ended && $word == -?* ]]; then\n"
    "            row=$(_darn_row \"$word\")\n"
    "            [[ $row == *=* ]] || row=\n"
    "        else\n"
    "            seen=$((seen + 1))\n"
    "            [[ $anywhere ]] || ended=1\n"
    "        fi\n"
    "    done\n"
    "}\n"
    "\n"
    "_darn_complete() {\n"
    "    local begun=${typed[count - 1]} row= ended= seen=0 operand=\n"
    "\n"
    "    _darn_walk\n"
    "    if [[ $row ]]; then\n"
    "        _darn_offer \"${row#*=}\" '' \"$begun\"\n"
    "    elif [[ ! $ended && $begun == -*=* ]]; then\n"
    "        row=$(_darn_row \"${begun%%=*}\")\n"
    "        [[ $row != *[=:]* ]] || _darn_offer \"${row#*[=:]}\" \"${begun%%=*}=\" "
    "\"${begun#*=}\"\n"
    "    elif [[ ! $ended && $begun == -* ]]; then\n"
    "        _darn_names \"$begun\"\n"
    "    else\n"
    "        for operand in ${parts:-$operands}; do\n"
    "            [[ $seen -gt 0 ]] || break\n"
    "            seen=$((seen - 1))\n"
    "        done\n"
    "        _darn_offer \"$operand\" '' \"$begun\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "_darn() {\n"
    "    local word= glue= command= at=0 count=0 i options= operands= anywhere= parts=\n"
    "    local -a typed\n"
    "\n"
    "    typed=()\n"
    "    COMPREPLY=()\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $count -gt 0 && ($word == [=:]* || ($glue && $word)) ]]; then\n"
    "            typed[count-1]=${typed[count-1]}$word\n"
    "        else\n"
    "            typed[count]=$word\n"
    "            count=$((count + 1))\n"
    "        fi\n"
    "        glue=\n"
    "        [[ $word != *[=:] ]] || glue=1\n"
    "    done\n"
    "    [[ ${COMP_WORDS[0]##*/} != darn-* ]] || command=${COMP_WORDS[0]##*/darn-}\n"
    "    command=${command#darn-}\n"
    "    _darn_table \"$command\" || return\n"
    "    while [[ $parts && $at -lt $((count - 1)) ]]; do\n"
    "        command=${command:+$command }${typed[at]}\n"
    "        at=$((at + 1))\n"
    "        _darn_table \"$command\" || return\n"
    "    done\n"
    "    _darn_complete\n"
    "    [[ $word != [=:] ]] || word=\n"
    "    word=${typed[count - 1]%\"$word\"}\n"
    "    for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do\n"
    "        COMPREPLY[i]=${COMPREPLY[i]#\"$word\"}\n"
    "    done\n"
    "}\n"
    "\n"
    "complete -F _darn darn darn-cc darn-c++\n";

/* What the page calls FILE is a file. Of other names in capitals nothing is known. */
static const char *kind_of(const char *word, size_t length)
{
    static const char *const kinds[][2] = {
        {"FILE", "@file"},   {"PATH", "@file"},       {"DIR", "@dir"},
        {"CMD", "@program"}, {"PROGRAM", "@program"},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strlen(kinds[i][0]) == length && strncmp(word, kinds[i][0], length) == 0)
            return kinds[i][1];
    return NULL;
}

static bool is_literal(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)word[i]) && !isdigit((unsigned char)word[i]) && word[i] != '-')
            return false;
    return length > 0;
}

/* "FILE|stderr" becomes "@file|stderr", "P%|max" becomes "max". */
static void print_kinds(const char *words, size_t length, FILE *out)
{
    const char *separator = "";

    for (size_t at = 0; at < length;) {
        size_t word = strcspn(words + at, "| ");
        const char *kind = kind_of(words + at, word);

        if (kind || is_literal(words + at, word)) {
            fprintf(out, "%s%.*s", separator, kind ? (int)strlen(kind) : (int)word,
                    kind ? kind : words + at);
            separator = "|";
        }
        at += word + 1;
    }
}

static void print_row(const struct darn_option *option, FILE *out)
{
    bool optional = option->type == DARN_OPTION_BOOL || option->type == DARN_OPTION_MAYBE;
    const char *words = option->value ? darn_option_words(option) : "";
    char name[64];
    struct darn_text text;

    darn_text_start(&text, name, sizeof(name));
    darn_option_spell(&text, option, DARN_STYLE_COMMAND);
    fprintf(out, " %s%s", name, !option->value ? "" : optional ? ":" : "=");
    print_kinds(words, strlen(words), out);
}

static void print_names(const struct darn_command *const *list, char separator, FILE *out)
{
    for (size_t i = 0; list[i]; i++) {
        const char *blank = strchr(list[i]->name, ' ');

        if (i && strcmp(list[i]->name, list[i - 1]->name) == 0)
            continue;
        if (i)
            fputc(separator, out);
        fputs(blank ? blank + 1 : list[i]->name, out);
    }
}

/* The last may be repeated: that of PROGRAM are its arguments, and after as many as there may be
 * comes nothing. */
static void print_operands(const struct darn_command *command, FILE *out)
{
    const char *operands = command->operands;
    size_t length = 0;

    for (; operands && *operands; operands += length + (operands[length] == ' ')) {
        length = strcspn(operands, " ");
        if (strcmp(operands, "COMMAND") == 0)
            print_names(darn_commands, '|', out);
        print_kinds(operands, length, out);
        fputc(' ', out);
    }
    if (command->most)
        fputc('@', out);
    else if (command->operands && strstr(command->operands, "PROGRAM"))
        fputs("@file", out);
}

static bool has_row(const struct darn_command *command, const struct darn_option *option)
{
    struct darn_command_option each = darn_first_option(command);

    while (each.option && strcmp(each.option->name, option->name) != 0)
        darn_next_option(&each);
    return each.option != NULL;
}

/* Those of `command` that `before`, which has the same name, does not have; NULL: all. */
static void print_rows(const struct darn_command *command, const struct darn_command *before,
                       FILE *out)
{
    struct darn_command_option each = darn_first_option(command);

    for (; each.option; darn_next_option(&each))
        if (each.option->help && !(before && has_row(before, each.option)))
            print_row(each.option, out);
}

static void print_commands(const struct darn_command *const *list, FILE *out)
{
    for (size_t i = 0; list[i]; i++) {
        const struct darn_command *command = list[i], *last = command;

        fprintf(out, "    '%s')\n        options='", command->name);
        print_rows(command, NULL, out);
        fputs(command->groups ? "" : " --help", out);
        if (list[i + 1] && strcmp(list[i + 1]->name, command->name) == 0) {
            last = list[++i];
            print_rows(last, command, out);
        }
        fputs("'\n        operands='", out);
        print_operands(last, out);
        fprintf(out, "'\n        anywhere=%s parts='", command->anywhere ? "1" : "");
        if (command->parts)
            print_names(command->parts, '|', out);
        fputs("'\n        ;;\n", out);
        if (command->parts)
            print_commands(command->parts, out);
    }
}

void darn_page_bash(FILE *out)
{
    fputs(
        "# Completion of darn for bash; made by darn help --completion=bash.\n"
        "\n"
        "# What the line of a command has: options, with = before a value, or : if it may be left\n"
        "# out; then what comes after them.\n"
        "_darn_table() {\n"
        "    case $1 in\n"
        "    '')\n"
        "        options='--help --version' operands= anywhere= parts='",
        out);
    print_names(darn_commands, '|', out);
    fputs("'\n        ;;\n", out);
    print_commands(darn_commands, out);
    fputs("    *)\n        return 1\n        ;;\n    esac\n}\n\n", out);
    fputs(walk, out);
}
