/* Help, documents and tables say the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/options_print.h"
#include "cli/page.h"
#include "search/search.h"

static char page[64 * 1024];

static void read_help(const struct darn_command *command)
{
    FILE *out = fmemopen(page, sizeof(page), "w");

    assert_non_null(out);
    darn_page_help(command, out);
    fclose(out);
}

static void read_document(const char *name)
{
    char path[4096];
    FILE *file;
    size_t length;

    snprintf(path, sizeof(path), DARN_SOURCE_DIR "/docs/%s", name);
    file = fopen(path, "r");
    if (!file)
        fail_msg("%s is missing", path);
    length = fread(page, 1, sizeof(page) - 1, file);
    page[length] = '\0';
    fclose(file);
}

static void expect(const char *text)
{
    if (!strstr(page, text))
        fail_msg("'%s' is missing in:\n%s", text, page);
}

/* "--color=", "--json[=", "-o ", "--help`": how a row of a document goes on. */
static void write_start(char *to, size_t size, const struct darn_option *option,
                        enum darn_options_style style)
{
    struct darn_text text;
    char *bar;

    darn_text_start(&text, to, size);
    darn_option_usage(&text, option, style);
    darn_text_add(&text, "`");
    bar = strchr(to, '|'); /* in a table of Markdown it has a backslash */
    if (bar)
        *bar = '\0';
}

static void expect_row(const struct darn_option *option, enum darn_options_style style)
{
    char start[128], row[192];

    write_start(start, sizeof(start), option, style);
    snprintf(row, sizeof(row), "\n| `%s", start);
    expect(row);
}

/* How often a line, or a cell of a table, begins with an option. */
static size_t count(const char *before)
{
    size_t found = 0;

    for (const char *at = page; (at = strstr(at, before)); at++)
        found++;
    return found;
}

static void expect_narrow(void)
{
    for (const char *line = page; *line;) {
        size_t length = strcspn(line, "\n");

        if (length > DARN_OPTIONS_WIDTH)
            fail_msg("too wide: %.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* "  --name=VALUE" at the beginning of a line. */
static void expect_line(const struct darn_option *option, enum darn_options_style style)
{
    char line[192];
    struct darn_text text;

    darn_text_start(&text, line, sizeof(line));
    darn_text_add(&text, "\n  ");
    darn_option_usage(&text, option, style);
    expect(line);
}

static void expect_variables(const struct darn_command *command,
                             void (*expect_one)(const struct darn_option *option,
                                                enum darn_options_style style))
{
    for (const struct darn_option_group *group = command->groups; group && group->options; group++)
        for (const struct darn_option *option = group->options; group->environment && option->name;
             option++)
            expect_one(option, DARN_STYLE_VARIABLE);
}

/* Of another command's options the names are enough. */
static void expect_name(const struct darn_option *option)
{
    char name[64];
    struct darn_text text;

    darn_text_start(&text, name, sizeof(name));
    darn_option_spell(&text, option, DARN_STYLE_COMMAND);
    expect(name);
}

static void check_help(const struct darn_command *command)
{
    struct darn_command_option each;
    size_t listed = 0;

    read_help(command);
    for (each = darn_first_option(command); each.option; darn_next_option(&each)) {
        if (each.group->only) {
            expect_name(each.option);
        } else if (each.option->help) {
            expect_line(each.option, DARN_STYLE_COMMAND);
            listed++;
        }
    }
    expect_variables(command, expect_line);
    if (count("\n  -") != listed)
        fail_msg("darn %s: %zu options are listed instead of %zu", command->name, count("\n  -"),
                 listed);
    expect_narrow();
}

static bool has_row(const struct darn_option *option)
{
    char row[192];
    struct darn_text text;

    darn_text_start(&text, row, sizeof(row));
    darn_text_add(&text, "\n| `");
    darn_option_spell(&text, option, DARN_STYLE_COMMAND);
    darn_text_add(&text, option->value ? "=" : "`");
    return strstr(page, row) != NULL;
}

/* That of cc also has rows for options of clang, which are short. */
static void check_document(const struct darn_command *command, const char *name)
{
    struct darn_command_option each;
    size_t listed = 0;

    read_document(name);
    for (each = darn_first_option(command); each.option; darn_next_option(&each)) {
        if (each.group->only) {
            expect_name(each.option);
            listed += has_row(each.option);
        } else if (each.option->help) {
            expect_row(each.option, DARN_STYLE_COMMAND);
            listed += each.option->name[1] != '\0';
        } else {
            listed += has_row(each.option);
        }
    }
    expect_variables(command, expect_row);
    if (count("\n| `--") != listed)
        fail_msg("docs/%s: %zu options are listed instead of %zu", name, count("\n| `--"), listed);
}

static void help_has_every_option_and_no_other(void **state)
{
    (void)state;
    for (size_t i = 0; darn_commands[i]; i++) {
        check_help(darn_commands[i]);
        for (size_t j = 0; darn_commands[i]->parts && darn_commands[i]->parts[j]; j++)
            check_help(darn_commands[i]->parts[j]);
    }
}

static void documents_have_every_option_and_no_other(void **state)
{
    (void)state;
    for (size_t i = 0; darn_commands[i]; i++) {
        const struct darn_command *command = darn_commands[i];
        char name[64];

        if (command == &darn_command_cxx || command == &darn_command_help || command->parts)
            continue; /* the page of cc, README.md, and the test below */
        snprintf(name, sizeof(name), "cmd-%s.md", command->name);
        check_document(command, name);
    }
}

static void document_of_sections_has_every_option(void **state)
{
    const struct darn_command *const *part = darn_command_sections.parts;
    struct darn_command_option each;

    (void)state;
    read_document("cmd-sections.md");
    for (; *part; part++) {
        for (each = darn_first_option(*part); each.option; darn_next_option(&each)) {
            char start[128], text[192];

            write_start(start, sizeof(start), each.option, DARN_STYLE_COMMAND);
            snprintf(text, sizeof(text), "`%s", start);
            expect(text);
        }
    }
}

/* What a page of roff says, without fonts. */
static void strip_roff(void)
{
    char *to = page;

    for (const char *at = page; *at; at++) {
        if (*at != '\\')
            *to++ = *at;
        else if (at[1] == 'f')
            at += 2;
        else if (at[1] == '-')
            *to++ = *++at;
    }
    *to = '\0';
}

static void expect_entry(const struct darn_option *option, enum darn_options_style style)
{
    char line[192];
    struct darn_text text;

    darn_text_start(&text, line, sizeof(line));
    darn_text_add(&text, ".TP\n");
    darn_option_usage(&text, option, style);
    darn_text_add(&text, "\n");
    expect(line);
}

static void check_manual(const struct darn_command *command, const struct darn_command *also)
{
    struct darn_command_option each;
    FILE *out = fmemopen(page, sizeof(page), "w");

    assert_non_null(out);
    darn_page_manual(command, also, out);
    fclose(out);
    strip_roff();
    for (each = darn_first_option(command); each.option; darn_next_option(&each))
        if (each.option->help)
            expect_entry(each.option, DARN_STYLE_COMMAND);
    for (each = darn_first_option(also ? also : command); each.option; darn_next_option(&each))
        if (each.option->help)
            expect_entry(each.option, DARN_STYLE_COMMAND);
    expect_variables(command, expect_entry);
    assert_non_null(command->exits);
}

static void check_manuals(const struct darn_command *const *list)
{
    for (size_t i = 0; list[i]; i++) {
        bool twice = list[i + 1] && strcmp(list[i]->name, list[i + 1]->name) == 0;

        check_manual(list[i], twice ? list[i + 1] : NULL);
        if (list[i]->parts)
            check_manuals(list[i]->parts);
        i += twice;
    }
}

static void manual_pages_have_every_option(void **state)
{
    (void)state;
    check_manuals(darn_commands);
}

/* "| `--seed=N` | 0 |" */
static void document_of_run_has_the_defaults(void **state)
{
    (void)state;
    read_document("cmd-run.md");
    for (const struct darn_option *option = darn_run_options; option->name; option++) {
        char start[128], text[192];
        const char *row, *cell;

        if (strcmp(option->name, "help") == 0)
            continue;
        write_start(start, sizeof(start), option, DARN_STYLE_COMMAND);
        snprintf(text, sizeof(text), "\n| `%s", start);
        row = strstr(page, text);
        assert_non_null(row);
        cell = strstr(row, "` | ");
        assert_non_null(cell);
        snprintf(text, sizeof(text), "` | %s | ", option->initial[0] ? option->initial : "none");
        if (strncmp(cell, text, strlen(text)) != 0)
            fail_msg("the default of %s is not '%s'", option->name, text);
    }
}

static size_t used;

static void to_page(void *to, const char *text, size_t length)
{
    (void)to;
    assert_true(used + length < sizeof(page));
    memcpy(page + used, text, length);
    used += length;
    page[used] = '\0';
}

/* help=1 */
static void help_of_the_variable_names_options_as_it_does(void **state)
{
    (void)state;
    page[0] = '\n';
    used = 1;
    darn_options_help(darn_run_options, DARN_STYLE_VARIABLE, to_page, NULL);
    for (const struct darn_option *option = darn_run_options; option->name; option++) {
        char text[192];

        expect_line(option, DARN_STYLE_VARIABLE);
        if (option->initial[0]) {
            snprintf(text, sizeof(text), "(default: %s)", option->initial);
            expect(text);
        }
    }
    expect_narrow();
}

/* The table of explore has them as text, for help and completion. */
static void strategies_are_those_of_the_search(void **state)
{
    struct darn_command_option each = darn_first_option(&darn_command_explore);
    char words[256] = "";

    (void)state;
    for (int kind = 0; kind < DARN_SEARCHES; kind++) {
        strcat(words, kind ? "|" : "");
        strcat(words, darn_search_name((enum darn_search_kind)kind));
    }
    while (strcmp(each.option->name, "strategy") != 0)
        darn_next_option(&each);
    assert_string_equal(each.option->words, words);
}

/* What a line has given is a bit of a word. */
static void no_command_has_more_options_than_a_line_can_note(void **state)
{
    (void)state;
    for (size_t i = 0; darn_commands[i]; i++) {
        struct darn_command_option each = darn_first_option(darn_commands[i]);

        while (each.option)
            darn_next_option(&each);
        assert_true(each.number <= 64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_has_every_option_and_no_other),
        cmocka_unit_test(help_of_the_variable_names_options_as_it_does),
        cmocka_unit_test(documents_have_every_option_and_no_other),
        cmocka_unit_test(manual_pages_have_every_option),
        cmocka_unit_test(document_of_sections_has_every_option),
        cmocka_unit_test(document_of_run_has_the_defaults),
        cmocka_unit_test(strategies_are_those_of_the_search),
        cmocka_unit_test(no_command_has_more_options_than_a_line_can_note),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
