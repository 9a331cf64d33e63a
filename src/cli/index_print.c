/*
 * The index of a hunt, for people; and darn report DIRECTORY.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "driver/analysis/analysis.h"
#include "cli/color.h"
#include "driver/play/index.h"
#include "cli/line.h"
#include "report/report_format.h"
#include "report/report_kinds.h"
#include "report/unread.h"

#define STORY_LINES 60 /* of a story in the report */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text && *text ? text : NULL;
}

static json_int_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* The lines of a file, up to `most`; whether that was all. */
static bool print_file(const char *path, unsigned most, FILE *out)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    bool all = true;

    if (!file) {
        int error = errno;

        fprintf(out, "%s: %s\n", path, strerror(error));
        darn_unread(path, error);
        return true;
    }
    while (getline(&line, &room, file) >= 0 && (all = most-- > 0))
        fputs(line, out);
    free(line);
    fclose(file);
    return all;
}

/* What was written when the finding was proved, and the schedule's story. */
static void print_report(const struct darn_index *index, const json_t *entry, const char *name,
                         FILE *out)
{
    const char *directory = text_of(entry, "directory");
    char path[PATH_MAX + 64];

    snprintf(path, sizeof(path), "%s/%s/report.txt", index->directory, directory);
    print_file(path, UINT_MAX, out);
    fputc('\n', out);
    snprintf(path, sizeof(path), "%s/%s/story.txt", index->directory, directory);
    if (!print_file(path, STORY_LINES, out))
        fprintf(out, "... the rest is in %s/%s/story.txt\n", name, directory);
    fputc('\n', out);
}

static void print_place(const json_t *access, FILE *out, const struct darn_style *style)
{
    const char *file = text_of(access, "file");

    if (!file) {
        fputs(text_of(access, "function") ? text_of(access, "function") : "an unknown place", out);
        return;
    }
    fputs(darn_style_path(style, file), out);
    if (number_of(access, "line"))
        fprintf(out, ":%" JSON_INTEGER_FORMAT, number_of(access, "line"));
}

/* So many that were not confirmed are shown; of a large program there may be hundreds. */
#define PREDICTIONS 20

/* "bank.c:29: possible data race on 'balance' with bank.c:31: predicted, not confirmed in 20
 * trials" */
static void print_prediction(const json_t *entry, FILE *out, const struct darn_style *style)
{
    const json_t *accesses = json_object_get(entry, "accesses");
    json_int_t trials = number_of(entry, "trials");

    print_place(json_array_get(accesses, 0), out, style);
    fprintf(out, ": possible %s", darn_kind_words(text_of(entry, "kind"), 1));
    if (text_of(entry, "variable"))
        fprintf(out, " on '%s'", text_of(entry, "variable"));
    for (size_t i = 1; i < json_array_size(accesses); i++) {
        fputs(i == 1 ? " with " : ", ", out);
        print_place(json_array_get(accesses, i), out, style);
    }
    if (number_of(entry, "hits"))
        fprintf(out,
                ": predicted, but what happened in %" JSON_INTEGER_FORMAT
                " of %" JSON_INTEGER_FORMAT " trials does not replay\n",
                number_of(entry, "hits"), trials);
    else if (trials)
        fprintf(out, ": predicted, not confirmed in %" JSON_INTEGER_FORMAT " trial%s\n", trials,
                trials == 1 ? "" : "s");
    else
        fputs(": predicted, not tried\n", out);
}

static void fill_item(struct darn_summary_item *item, const json_t *entry)
{
    const json_t *first = json_array_get(json_object_get(entry, "accesses"), 0);

    *item = (struct darn_summary_item){
        .id = text_of(entry, "id"),
        .kind = text_of(entry, "kind"),
        .certainty = text_of(entry, "certainty"),
        .file = text_of(first, "file"),
        .function = text_of(first, "function"),
        .variable = text_of(entry, "variable"),
        .line = (unsigned)number_of(first, "line"),
        .count = (uint64_t)number_of(entry, "count"),
    };
}

static void print_summary(const struct darn_index *index, FILE *out, const struct darn_style *style)
{
    struct darn_summary summary = {0};
    json_int_t runs = number_of(index->state, "runs");
    size_t i;
    json_t *entry;

    summary.items =
        darn_pool_get(&summary.pool, json_array_size(index->entries) + 1, sizeof(*summary.items));
    summary.scope = darn_pool_format(&summary.pool, "%" JSON_INTEGER_FORMAT " controlled run%s",
                                     runs, runs == 1 ? "" : "s");
    json_array_foreach(index->entries, i, entry)
    {
        if (darn_index_is_proof(entry))
            fill_item(&summary.items[summary.item_count++], entry);
    }
    darn_format_find("text")->summary(out, &summary, style);
    darn_pool_release(&summary.pool);
}

void darn_index_print(const struct darn_index *index, const char *name, FILE *out,
                      const struct darn_style *style)
{
    size_t i, predicted = 0;
    bool kept = false; /* the disk may have been full */
    json_t *entry;

    json_array_foreach(index->entries, i, entry)
    {
        if (darn_index_is_proof(entry)) {
            print_report(index, entry, name, out);
            kept |= json_object_get(entry, "schedule") != NULL;
            continue;
        }
        if (predicted++ < PREDICTIONS)
            print_prediction(entry, out, style);
    }
    if (predicted > PREDICTIONS)
        fprintf(out, "and %zu more that were predicted, but not confirmed: see %s/index.jsonl\n",
                predicted - PREDICTIONS, name);
    if (predicted)
        fputc('\n', out);
    print_summary(index, out, style);
    if (kept)
        fprintf(out, "darn: schedules, stories and logs are in %s\n", name);
}

enum { JSON, STRIP, COLOR, HELP };

static const struct darn_cli_option options_table[] = {
    [JSON] = {"--json", NULL, "print JSON Lines: one object for each finding"},
    [STRIP] = {"--strip-path-prefix", "PREFIX", "leave PREFIX out of the file names"},
    [COLOR] = {"--color", "auto|always|never", "colour; auto: on a terminal"},
    [HELP] = {"--help", NULL, "print this list"},
    {NULL, NULL, NULL},
};

struct report_line {
    bool json, help;
    struct darn_style style;
    uint32_t color;
};

static int set(void *to, int option, const char *value)
{
    struct report_line *line = to;

    if (option == STRIP)
        line->style.strip_path_prefix = value;
    line->json |= option == JSON;
    line->help |= option == HELP;
    if (option != COLOR)
        return 0;
    line->color = strcmp(value, "always") == 0  ? DARN_COLOR_ALWAYS
                  : strcmp(value, "never") == 0 ? DARN_COLOR_NEVER
                                                : DARN_COLOR_AUTO;
    if (line->color == DARN_COLOR_AUTO && strcmp(value, "auto") != 0)
        return darn_refuse("report", "--color is auto, always or never, not '%s'", value);
    return 0;
}

static bool is_hunt(const char *directory)
{
    char path[PATH_MAX + 16];

    snprintf(path, sizeof(path), "%s/state.json", directory);
    return access(path, F_OK) == 0;
}

static int print_index(const struct report_line *line, const char *directory)
{
    struct darn_index index;
    int status = darn_index_open(&index, "report", directory);
    size_t proofs;

    if (status)
        return status;
    proofs = darn_index_proofs(&index);
    if (line->json)
        darn_index_print_json(&index, stdout);
    else
        darn_index_print(&index, directory, stdout, &line->style);
    darn_index_close(&index);
    status = darn_finish_output();
    return status ? status : proofs ? DARN_EXIT_FINDINGS : 0;
}

int darn_index_command(int argc, char **argv)
{
    struct report_line line = {.color = DARN_COLOR_AUTO};
    int at, status = darn_line_read("report", options_table, argc, argv, set, &line, &at);

    if (status)
        return status;
    if (line.help) {
        printf("usage: darn report [options] DIRECTORY\n"
               "\n"
               "Prints what a hunt has found, from the directory that it left. The exit status\n"
               "is 66 when something was confirmed.\n"
               "\n");
        darn_print_options(options_table);
        return darn_finish_output();
    }
    if (at + 1 != argc)
        return darn_refuse("report",
                           "one directory is needed; usage: darn report [options] DIRECTORY");
    if (!is_hunt(argv[at]))
        return darn_refuse("report", "%s is not the directory of a hunt", argv[at]);
    line.style.color = darn_wants_color(line.color, STDOUT_FILENO);
    return print_index(&line, argv[at]);
}
