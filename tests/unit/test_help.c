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
#include "cli/analyze.h"
#include "cli/cc_options.h"
#include "cli/command.h"
#include "driver/explore/explore_options.h"
#include "driver/heal/healing.h"
#include "driver/hunt/hunt_options.h"
#include "driver/analysis/recording.h"
#include "cli/replay.h"
#include "cli/run_options.h"
#include "cli/sections.h"
#include "driver/section/sections_learn.h"
#include "driver/section/sections_refine.h"
#include "cli/shrink.h"
#include "cli/trace_line.h"

static char page[64 * 1024];

/* What a function prints on stdout goes to `page`. */
static void capture(void (*print)(void))
{
    FILE *file = tmpfile();
    int saved = dup(STDOUT_FILENO);
    size_t length;

    assert_non_null(file);
    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    print();
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(file);
    length = fread(page, 1, sizeof(page) - 1, file);
    page[length] = '\0';
    fclose(file);
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

static void spell(char *to, const char *name)
{
    sprintf(to, "--%s", name);
    for (char *c = to + 2; *c; c++)
        if (*c == '_')
            *c = '-';
}

/* "--name" of every option of the table, followed by what must follow it. */
static void expect_every_run_option(const char *before)
{
    char spelled[128], text[192];

    for (size_t i = 0; i < darn_option_count(); i++) {
        const struct darn_option *option = darn_option_at(i);

        spell(spelled, option->name);
        snprintf(text, sizeof(text), "%s%s%s=", before, spelled,
                 option->type == DARN_OPTION_BOOL ? "[" : "");
        expect(text);
    }
}

static void expect_own(const char *before, const struct darn_cli_option *table)
{
    for (; table->name; table++) {
        const char *between = table->name[0] == '-' && table->name[1] != '-' ? " " : "=";
        char text[192];

        snprintf(text, sizeof(text), "%s%s%s%s", before, table->name, table->value ? between : "",
                 table->value ? table->value : "");
        expect(text);
    }
}

/* How often a line, or a cell of a table, begins with an option. */
static size_t count(const char *before)
{
    size_t found = 0;

    for (const char *at = page; (at = strstr(at, before)); at++)
        found++;
    return found;
}

static size_t length_of(const struct darn_cli_option *table)
{
    size_t length = 0;

    while (table[length].name)
        length++;
    return length;
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

static void help_of_run_has_every_option_and_no_other(void **state)
{
    (void)state;
    capture(darn_help_run);
    expect_every_run_option("\n  ");
    expect_own("\n  ", darn_run_options);
    assert_int_equal(count("\n  --"), darn_option_count() + length_of(darn_run_options));
    expect_narrow();
}

static void help_of_cc_has_every_option_and_no_other(void **state)
{
    (void)state;
    capture(darn_help_cc);
    expect_own("\n  ", darn_cc_options);
    expect_own("\n  ", darn_cc_environment);
    assert_int_equal(count("\n  --"), length_of(darn_cc_options));
    assert_int_equal(count("\n  DARN"), length_of(darn_cc_environment));
    expect_narrow();
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
    darn_options_help(DARN_STYLE_VARIABLE, to_page, NULL);
    for (size_t i = 0; i < darn_option_count(); i++) {
        const struct darn_option *option = darn_option_at(i);
        char text[192];

        snprintf(text, sizeof(text), "\n  %s=%s", option->name, option->value);
        expect(text);
        if (option->initial[0]) {
            snprintf(text, sizeof(text), "(default: %s)", option->initial);
            expect(text);
        }
    }
    expect_narrow();
}

static void document_of_run_has_every_option_and_no_other(void **state)
{
    (void)state;
    read_document("cmd-run.md");
    expect_every_run_option("\n| `");
    expect_own("\n| `", darn_run_options);
    assert_int_equal(count("\n| `--"), darn_option_count() + length_of(darn_run_options));
}

/* "| `--seed=N` | 0 |" */
static void document_of_run_has_the_defaults(void **state)
{
    (void)state;
    read_document("cmd-run.md");
    for (size_t i = 0; i < darn_option_count(); i++) {
        const struct darn_option *option = darn_option_at(i);
        char spelled[128], text[192];
        const char *row, *cell;

        if (strcmp(option->name, "help") == 0)
            continue;
        spell(spelled, option->name);
        snprintf(text, sizeof(text), "\n| `%s%s=", spelled,
                 option->type == DARN_OPTION_BOOL ? "[" : "");
        row = strstr(page, text);
        assert_non_null(row);
        cell = strstr(row, "` | ");
        assert_non_null(cell);
        snprintf(text, sizeof(text), "` | %s | ", option->initial[0] ? option->initial : "none");
        if (strncmp(cell, text, strlen(text)) != 0)
            fail_msg("the default of %s is not '%s'", option->name, text);
    }
}

static void document_of_cc_has_every_option_and_no_other(void **state)
{
    (void)state;
    read_document("cmd-cc.md");
    expect_own("\n| `", darn_cc_options);
    expect_own("\n| `", darn_cc_environment);
    assert_int_equal(count("\n| `--"), length_of(darn_cc_options));
}

static void help_of_analyze_has_every_option_and_no_other(void **state)
{
    (void)state;
    capture(darn_help_analyze);
    expect_own("\n  ", darn_analyze_options);
    assert_int_equal(count("\n  --"), length_of(darn_analyze_options));
    expect_narrow();
}

/* "`--color=auto\|always`": in a table of Markdown a bar has a backslash. */
static void document_of_analyze_has_every_option_and_no_other(void **state)
{
    (void)state;
    read_document("cmd-analyze.md");
    for (const struct darn_cli_option *option = darn_analyze_options; option->name; option++) {
        char text[192];

        snprintf(text, sizeof(text), "\n| `%s%s", option->name, option->value ? "=" : "`");
        expect(text);
    }
    assert_int_equal(count("\n| `--"), length_of(darn_analyze_options));
}

static void help_of_trace_has_every_option_and_no_other(void **state)
{
    (void)state;
    capture(darn_help_trace);
    expect_own("\n  ", darn_trace_options);
    assert_int_equal(count("\n  --"), length_of(darn_trace_options));
    expect_narrow();
}

static void document_of_trace_has_every_option_and_no_other(void **state)
{
    (void)state;
    read_document("cmd-trace.md");
    expect_own("\n| `", darn_trace_options);
    assert_int_equal(count("\n| `--"), length_of(darn_trace_options));
}

static void help_of_record_has_every_option_and_no_other(void **state)
{
    (void)state;
    capture(darn_help_record);
    expect_own("\n  ", darn_recording_options);
    expect("\n  -o FILE");
    assert_int_equal(count("\n  --"), length_of(darn_recording_options));
    expect_narrow();
}

static void help_of_predict_has_the_options_of_recording_and_analyzing(void **state)
{
    (void)state;
    capture(darn_help_predict);
    expect_own("\n  ", darn_recording_options);
    expect_own("\n  ", darn_analyze_options);
    expect("\n  -o FILE");
    expect("\n  --atomicity");
    assert_int_equal(count("\n  --"),
                     1 + length_of(darn_recording_options) + length_of(darn_analyze_options));
    expect_narrow();
}

static void expect_help_and_document(void (*help)(void), const struct darn_cli_option *options,
                                     const char *document)
{
    capture(help);
    expect_own("\n  ", options);
    assert_int_equal(count("\n  --") + count("\n  -o"), length_of(options));
    expect_narrow();
    read_document(document);
    for (const struct darn_cli_option *option = options; option->name; option++) {
        char text[192];

        snprintf(text, sizeof(text), "\n| `%s%s", option->name,
                 !option->value           ? "`"
                 : option->name[1] == '-' ? "="
                                          : " ");
        expect(text);
    }
    assert_int_equal(count("\n| `-"), length_of(options));
}

static void help_and_document_of_explore_have_every_option_and_no_other(void **state)
{
    (void)state;
    expect_help_and_document(darn_help_explore, darn_explore_options, "cmd-explore.md");
}

static void help_and_document_of_hunt_have_every_option_and_no_other(void **state)
{
    (void)state;
    expect_help_and_document(darn_help_hunt, darn_hunt_options, "cmd-hunt.md");
}

static void help_and_document_of_replay_have_every_option_and_no_other(void **state)
{
    (void)state;
    expect_help_and_document(darn_help_replay, darn_replay_options, "cmd-replay.md");
}

static void help_and_document_of_sections_have_every_option(void **state)
{
    static const struct {
        void (*help)(void);
        const struct darn_cli_option *options;
    } parts[] = {
        {darn_help_sections_infer, darn_sections_infer_options},
        {darn_help_sections_show, darn_sections_show_options},
        {darn_help_sections_check, darn_sections_check_options},
        {darn_help_sections_learn, darn_sections_learn_options},
        {darn_help_sections_refine, darn_sections_refine_options},
        {darn_help_sections_shared, darn_sections_shared_options},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        capture(parts[i].help);
        expect_own("\n  ", parts[i].options);
        assert_int_equal(count("\n  -"), length_of(parts[i].options));
        expect_narrow();
        read_document("cmd-sections.md");
        for (const struct darn_cli_option *option = parts[i].options; option->name; option++) {
            char text[192];

            /* A bar has a backslash in a table. */
            snprintf(text, sizeof(text), "`%.*s", (int)strcspn(option->name, "|"), option->name);
            expect(text);
        }
    }
    capture(darn_help_sections);
    expect_narrow();
}

static void help_and_document_of_shrink_have_every_option_and_no_other(void **state)
{
    (void)state;
    expect_help_and_document(darn_help_shrink, darn_shrink_options, "cmd-shrink.md");
}

static void help_and_document_of_heal_have_every_option_and_no_other(void **state)
{
    (void)state;
    expect_help_and_document(darn_help_heal, darn_heal_options, "cmd-heal.md");
}

/* Those of the options of a run that a recording takes are named. */
static void expect_taken_run_options(void)
{
    char spelled[128];

    for (size_t i = 0; i < darn_option_count(); i++) {
        if (!darn_recording_takes(darn_option_at(i)->name))
            continue;
        spell(spelled, darn_option_at(i)->name);
        expect(spelled);
    }
}

static void documents_of_record_and_predict_have_every_option(void **state)
{
    (void)state;
    read_document("cmd-record.md");
    expect_own("\n| `", darn_recording_options);
    expect("\n| `-o FILE`");
    expect_taken_run_options();
    read_document("cmd-predict.md");
    expect_own("\n| `", darn_recording_options);
    expect("\n| `-o FILE`");
    expect_taken_run_options();
    for (const struct darn_cli_option *option = darn_analyze_options; option->name; option++) {
        char text[192];

        snprintf(text, sizeof(text), "\n| `%s%s", option->name, option->value ? "=" : "`");
        expect(text);
    }
    expect("\n| `--atomicity`");
    assert_int_equal(count("\n| `--"),
                     1 + length_of(darn_recording_options) + length_of(darn_analyze_options));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_of_run_has_every_option_and_no_other),
        cmocka_unit_test(help_of_cc_has_every_option_and_no_other),
        cmocka_unit_test(help_of_the_variable_names_options_as_it_does),
        cmocka_unit_test(document_of_run_has_every_option_and_no_other),
        cmocka_unit_test(document_of_run_has_the_defaults),
        cmocka_unit_test(document_of_cc_has_every_option_and_no_other),
        cmocka_unit_test(help_of_analyze_has_every_option_and_no_other),
        cmocka_unit_test(document_of_analyze_has_every_option_and_no_other),
        cmocka_unit_test(help_of_trace_has_every_option_and_no_other),
        cmocka_unit_test(document_of_trace_has_every_option_and_no_other),
        cmocka_unit_test(help_of_record_has_every_option_and_no_other),
        cmocka_unit_test(help_of_predict_has_the_options_of_recording_and_analyzing),
        cmocka_unit_test(documents_of_record_and_predict_have_every_option),
        cmocka_unit_test(help_and_document_of_explore_have_every_option_and_no_other),
        cmocka_unit_test(help_and_document_of_hunt_have_every_option_and_no_other),
        cmocka_unit_test(help_and_document_of_replay_have_every_option_and_no_other),
        cmocka_unit_test(help_and_document_of_sections_have_every_option),
        cmocka_unit_test(help_and_document_of_shrink_have_every_option_and_no_other),
        cmocka_unit_test(help_and_document_of_heal_have_every_option_and_no_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
