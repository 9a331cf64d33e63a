/*
 * darn heal: runs a program so that thread bugs that are known do not happen.
 */
#include "driver/heal/heal_deadlock.h"
#include "driver/heal/healing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_file.h"
#include "cli/line.h"
#include "driver/explore/explore_keep.h"
#include "driver/process/output.h"
#include "report/text/color.h"

#define EXIT_FAILS 1 /* a schedule still fails */

/* The line: what is wanted of the driver, and what is done with the result. */
struct heal_line {
    struct darn_heal_options wanted;
    const char *write, *json; /* files that are written */
    const char *strip_path_prefix;
    uint32_t color;
};

#define AT(field) offsetof(struct heal_line, field)

static const struct darn_option options[] = {
    {.name = "sections",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.sections),
     .value = "FILE[,FILE]...",
     .help = "heal the sections and deadlocks of these repositories"},
    {.name = "from",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.from),
     .value = "DIR|FILE",
     .help = "heal what darn hunt has confirmed: DIR is its directory,\n"
             "or the one of a finding; FILE has findings that --json\n"
             "has written"},
    {.name = "with",
     .type = DARN_OPTION_WORD,
     .offset = AT(wanted.with),
     .value = "block|lock|yield|priority",
     .help = "how others are kept out of a section: block (the\n"
             "default): who would harm it waits; lock: everybody\n"
             "waits; yield, priority: nobody waits, harm becomes less\n"
             "likely"},
    {.name = "bound",
     .type = DARN_OPTION_NUMBER,
     .offset = AT(wanted.bound),
     .min = 1,
     .max = 60000,
     .value = "MS",
     .help = "the longest wait, in milliseconds (default: 100)"},
    {.name = "write",
     .type = DARN_OPTION_STRING,
     .offset = AT(write),
     .value = "FILE",
     .help = "write the repository that --from makes, and do not run\n"
             "the program"},
    {.name = "learn",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.learn),
     .value = "FILE",
     .help = "look for races as well; heal what is found from then\n"
             "on, and write it to FILE, a repository"},
    {.name = "json",
     .type = DARN_OPTION_STRING,
     .offset = AT(json),
     .value = "FILE",
     .help = "append the report to FILE as JSON Lines"},
    {.name = "verify",
     .type = DARN_OPTION_FLAG,
     .offset = AT(wanted.verify),
     .help = "run the healed program under many schedules, that of the\n"
             "bug first: none may fail"},
    {.name = "schedules",
     .type = DARN_OPTION_WIDE,
     .offset = AT(wanted.schedules),
     .initial = "10000",
     .min = 1,
     .max = DARN_MOST_STEPS,
     .value = "N",
     .needs = "verify",
     .help = "verify: try N schedules"},
    {.name = "seconds",
     .type = DARN_OPTION_SECONDS,
     .offset = AT(wanted.seconds_ms),
     .value = "S",
     .needs = "verify",
     .help = "verify: stop after S seconds"},
    DARN_ROW_JOBS_FOR("verify: ", "verify", AT(wanted.jobs)),
    DARN_ROW_SEED_FOR("verify: ", "verify", AT(wanted.seed), "schedules", UINT64_MAX, 0),
    DARN_ROW_TIMEOUT_FOR("verify: ", "verify", AT(wanted.timeout_ms), 0),
    DARN_ROW_MAX_STEPS_FOR("verify: ", "verify", AT(wanted.max_steps), AT(wanted.max_steps_given)),
    {.name = "oracle",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.oracle),
     .value = "CMD",
     .needs = "verify",
     .help = "verify: a shell command that says whether a run was\n"
             "right; see darn explore"},
    {.name = "reset",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.reset),
     .value = "CMD",
     .needs = "verify",
     .help = "verify: a shell command before each run"},
    {.name = "input",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.input),
     .value = "FILE",
     .needs = "verify",
     .help = "verify: the standard input of each run"},
    {.name = "o",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.directory),
     .value = "DIR",
     .needs = "verify",
     .help = "verify: keep what fails in DIR/1, ... for darn replay"},
    DARN_ROW_STRIP(AT(strip_path_prefix)),
    DARN_ROW_COLOR(AT(color)),
    DARN_ROW_HELP,
    {.name = NULL},
};

#undef AT

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

/* What does not go together. */
static int check_line(const struct heal_line *line)
{
    if (!line->wanted.sections && !line->wanted.from && !line->wanted.learn)
        return darn_refuse("heal", "what is to be healed? --sections=FILE names a repository, "
                                   "--from=DIR what darn hunt has found");
    if (line->write && line->wanted.verify)
        return darn_refuse("heal", "--write does not run the program, and --verify does");
    if (line->wanted.learn && (line->wanted.verify || line->write))
        return darn_refuse("heal", "--learn goes with an ordinary run: without %s",
                           line->wanted.verify ? "--verify" : "--write");
    if (!line->wanted.program)
        return darn_refuse("heal", "no program; usage: darn heal [options] -- PROGRAM [arguments]");
    return 0;
}

static int check_output(const char *option, const char *path)
{
    return path ? darn_refuse_output("heal", option, path, darn_output_check(path)) : 0;
}

static int check_outputs(const struct heal_line *line)
{
    int status = check_output("--json: ", line->json);

    if (!status)
        status = check_output("--learn: ", line->wanted.learn);
    if (!status && line->write && strcmp(line->write, "-") != 0)
        status = check_output("--write: ", line->write);
    if (!status && line->wanted.directory)
        status = darn_explore_keep_check(darn_speaker("heal"), line->wanted.directory);
    return status;
}

/* 0 or an exit status. */
static int write_repository(const struct darn_heal *heal, const char *path)
{
    size_t ordered = darn_heal_orders(heal), sections = darn_heal_sections(heal) - ordered;
    size_t orders = darn_heal_orders_count(&heal->signatures);
    size_t deadlocks = heal->signatures.count - orders;
    bool shown = strcmp(path, "-") == 0;
    int result = shown ? darn_heal_print(heal, stdout) : darn_heal_write(heal, path);

    if (result)
        return darn_refuse_output("heal", "--write: ", path, result);
    fprintf(stderr, "darn heal: %s: %zu section%s and %zu deadlock%s to be healed", path, sections,
            sections == 1 ? "" : "s", deadlocks, deadlocks == 1 ? "" : "s");
    orders += ordered;
    if (orders)
        fprintf(stderr, ", %zu order%s to be kept", orders, orders == 1 ? "" : "s");
    fputc('\n', stderr);
    return shown ? darn_finish_output() : 0;
}

static struct darn_style style_of(const struct heal_line *line)
{
    return (struct darn_style){line->strip_path_prefix,
                               darn_wants_color(line->color, STDERR_FILENO)};
}

/* ---- what a healed run leaves ---- */

static void print_fix(void *style, const struct darn_fix *fix)
{
    darn_fix_print(stderr, fix, style);
}

/* As one object in a line. */
static void print_json_fix(void *out, const struct darn_fix *fix)
{
    static const struct darn_style plain;
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    struct darn_json json;

    if (!to)
        return;
    darn_fix_print(to, fix, &plain);
    fclose(to);
    darn_json_start_growing(&json);
    darn_json_open(&json, NULL, '{');
    darn_json_open(&json, "fix", '{');
    darn_json_string(&json, "variable", fix->variable);
    if (fix->finding && fix->finding->id)
        darn_json_string(&json, "finding", fix->finding->id);
    else
        darn_json_literal(&json, "finding", "null");
    darn_json_string(&json, "text", text);
    darn_json_close(&json, '}');
    darn_json_close(&json, '}');
    darn_json_end_line(&json);
    darn_json_finish(&json, out);
    free(text);
}

static int write_json(const struct darn_heal *heal, const struct darn_healed *healed,
                      const char *file)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    int status;

    darn_healed_print_json(out, healed);
    darn_heal_each_fix(heal, healed, print_json_fix, out);
    fclose(out);
    status = darn_append_json("heal", file, text, length);
    free(text);
    return status;
}

/* Whether it is there. */
static bool say_learned(const struct darn_heal *heal)
{
    struct darn_sections learned = {0};
    uint32_t errors = 0;

    if (access(heal->options.learn, F_OK)) {
        darn_warn("heal", "%s was not written", heal->options.learn);
        return false;
    }
    if (darn_section_file_load(heal->listener, heal->options.learn, &learned, &errors) == 0)
        fprintf(stderr, "darn heal: %s: %zu section%s to be healed from the beginning next time\n",
                heal->options.learn, learned.count, learned.count == 1 ? "" : "s");
    darn_sections_free(&learned);
    return true;
}

/* The file that the runtime has read is the user's own. */
static bool is_given(const struct darn_heal *heal)
{
    return heal->options.sections && !heal->is_made;
}

/* 0, or 1 when a file that was asked for could not be written. */
static int report(const struct darn_heal *heal, const struct heal_line *line)
{
    struct darn_healed healed = {.with = NULL};
    bool lost = false;
    struct darn_style style = style_of(line);

    darn_heal_account(heal, &healed);
    if (!healed.with) {
        darn_lost("heal", "%s has left no account of what was healed", heal->options.program[0]);
    } else {
        darn_healed_print(stderr, &healed, is_given(heal) ? heal->options.sections : NULL,
                          heal->options.program[0], &style);
        darn_heal_each_fix(heal, &healed, print_fix, &style);
        if (heal->findings.directories.count)
            fprintf(stderr, "darn fix %s looks for a patch, and proves it\n",
                    heal->findings.directories.items[0]);
        lost = line->json && write_json(heal, &healed, line->json);
    }
    if (heal->options.learn && !say_learned(heal))
        lost = true;
    darn_healed_free(&healed);
    return lost;
}

/* ---- --verify ---- */

/* What the verification says nothing about: a person may take it for more than it is. */
static void say_unproved(const struct darn_heal_verified *verified)
{
    static const char start[] = "  not proved: ";
    uint64_t unknown =
        verified->findings > verified->known ? verified->findings - verified->known : 0;

    if (!verified->exhausted)
        fprintf(stderr, "%sthat no other schedule fails: not all were tried\n", start);
    if (unknown)
        fprintf(stderr,
                "%sthat %" PRIu64 " of %" PRIu64 " finding%s would have led to a failure here: no "
                "schedule is known in which %s\n",
                start, unknown, verified->findings, verified->findings == 1 ? "" : "s",
                unknown == 1 ? "it does" : "they do");
    if (verified->races)
        fprintf(stderr,
                "%sthat %" PRIu64 " race%s need%s no section: in these runs an access keeps others "
                "out until its thread's next step, where the program runs only until it is made\n",
                start, verified->races, verified->races == 1 ? "" : "s",
                verified->races == 1 ? "s" : "");
    if (verified->missing)
        fprintf(stderr, "%sanything about %" PRIu64 " section%s that the program does not have\n",
                start, verified->missing, verified->missing == 1 ? "" : "s");
    if (verified->cut)
        fprintf(stderr, "%show %" PRIu64 " run%s that took too long would have ended\n", start,
                verified->cut, verified->cut == 1 ? "" : "s");
    fprintf(stderr,
            "%sother inputs, other orders of memory than that of a single processor, and what "
            "happens when a wait reaches its bound\n",
            start);
}

static void say_verified(const struct darn_heal_verified *verified, const char *directory)
{
    uint64_t failures = verified->failures + verified->replays_failed;
    uint64_t runs = verified->schedules + verified->replays, others = runs - verified->known;

    if (failures)
        fprintf(stderr, "darn heal: not verified: %" PRIu64 " of %" PRIu64 " schedules fail%s%s\n",
                failures, runs, directory ? "; kept in " : "",
                directory ? directory : "; -o DIR keeps them for darn replay");
    else if (verified->known)
        fprintf(stderr,
                "darn heal: verified: %" PRIu64
                " schedule%s that failed end%s well now; of %" PRIu64
                " other%s none fails and none deadlocks (%.1f s)\n",
                verified->known, verified->known == 1 ? "" : "s", verified->known == 1 ? "s" : "",
                others, others == 1 ? "" : "s", verified->seconds);
    else
        fprintf(
            stderr,
            "darn heal: nothing failed, but no schedule is known that fails unhealed: of %" PRIu64
            " schedule%s none fails and none deadlocks (%.1f s)\n",
            others, others == 1 ? "" : "s", verified->seconds);
    if (!failures && verified->schedules)
        fprintf(stderr,
                "  tried: %" PRIu64 " different order%s, by switching threads at %" PRIu64
                " access%s in the source and at calls\n",
                verified->orders, verified->orders == 1 ? "" : "s", verified->points,
                verified->points == 1 ? "" : "es");
    if (!failures && verified->exhausted)
        fprintf(stderr, "darn heal: nothing is left to try\n");
    if (!failures)
        say_unproved(verified);
}

static void append_verified(const struct darn_heal_options *wanted,
                            const struct darn_heal_verified *verified, const char *file)
{
    uint64_t failures = verified->failures + verified->replays_failed;
    struct darn_json json;

    darn_json_start_growing(&json);
    darn_json_open(&json, NULL, '{');
    darn_json_open(&json, "verify", '{');
    darn_json_bool(&json, "verified", !failures && verified->known);
    darn_json_number(&json, "schedules", (int64_t)verified->schedules);
    darn_json_number(&json, "failures", (int64_t)verified->failures);
    darn_json_number(&json, "replays", (int64_t)verified->replays);
    darn_json_number(&json, "replays_failed", (int64_t)verified->replays_failed);
    darn_json_number(&json, "known", (int64_t)verified->known);
    darn_json_number(&json, "findings", (int64_t)verified->findings);
    darn_json_number(&json, "missing", (int64_t)verified->missing);
    darn_json_number(&json, "cut_off", (int64_t)verified->cut);
    darn_json_number(&json, "orders", (int64_t)verified->orders);
    darn_json_number(&json, "points", (int64_t)verified->points);
    darn_json_string(&json, "with", wanted->with ? wanted->with : "block");
    darn_json_number(&json, "seed", (int64_t)wanted->seed);
    darn_json_bool(&json, "exhausted", verified->exhausted);
    darn_json_close(&json, '}');
    darn_json_close(&json, '}');
    darn_json_end_line(&json);
    darn_append_json("heal", file, json.text.to, json.text.used);
    darn_json_release(&json);
}

/* An exit status. */
static int verify(struct darn_heal *heal, const struct heal_line *line)
{
    struct darn_heal_verified verified = {0};
    struct darn_style style = style_of(line);
    int status;

    darn_speaker_style(&style);
    status = darn_heal_verify(heal, &verified);
    if (verified.schedules || verified.replays) {
        say_verified(&verified, line->wanted.directory);
        if (line->json)
            append_verified(&line->wanted, &verified, line->json);
    }
    if (verified.failures + verified.replays_failed)
        return EXIT_FAILS;
    return status ? status : verified.signal ? 128 + verified.signal : 0;
}

/* An exit status: that of the program, if it is not 0. */
static int run(struct darn_heal *heal, const struct heal_line *line)
{
    int status = 0, lost, result = darn_heal_run(heal, &status);

    if (result)
        return result;
    lost = report(heal, line);
    return status ? status : lost;
}

static int heal_it(struct darn_heal *heal, const struct heal_line *line)
{
    int status = darn_heal_find_program(heal);

    if (!status)
        status = check_outputs(line);
    if (!status)
        status = darn_heal_make_repository(heal);
    if (status)
        return status;
    if (line->write)
        return write_repository(heal, line->write);
    status = darn_heal_call_repository(heal);
    if (status)
        return status;
    return line->wanted.verify ? verify(heal, line) : run(heal, line);
}

static int cmd_heal(int argc, char **argv)
{
    static struct darn_heal heal;
    static struct heal_line wanted;
    struct darn_command_line line = {.command = &darn_command_heal, .to = &wanted};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    wanted.wanted.program = line.count ? line.words : NULL;
    status = check_line(&wanted);
    if (status)
        return status;
    heal.options = wanted.wanted;
    heal.listener = darn_speaker("heal");
    status = heal_it(&heal, &wanted);
    darn_heal_free(&heal);
    return status;
}

const struct darn_command darn_command_heal = {
    .name = "heal",
    .summary = "run a program and keep known thread bugs from happening",
    .usage = "heal [options] --sections=FILE -- PROGRAM [arguments]\n"
             "heal [options] --from=DIR -- PROGRAM [arguments]\n"
             "heal --from=DIR --write=FILE -- PROGRAM\n"
             "heal --verify [options] --from=DIR -- PROGRAM [arguments]",
    .about = "Runs a program so that thread bugs that are known do not happen: sections stay\n"
             "atomic, deadlocks are avoided. At the end it says what was healed, how long\n"
             "threads waited for that, and how to mend it for good. The exit status is the\n"
             "program's own; with --verify 0, or 1 when a schedule still fails. Sections are\n"
             "healed in programs that darn cc has compiled, deadlocks in all. In the field\n"
             "DARN_OPTIONS=heal=FILE does the same, without darn.\n"
             "\n"
             "--name=value may also be written as two words: --name value.\n",
    .groups = groups,
    .operands = "PROGRAM",
    .guarded = true,
    .exits = "N the program's own status; 128 + N when signal N has ended it\n"
             "66 --learn: races were reported, and the program itself succeeded\n"
             "0 --verify: no schedule fails\n"
             "1 --verify: a schedule still fails",
    .see = "darn-hunt(1), darn-sections(1), darn-cc(1), darn-replay(1)",
    .run = cmd_heal,
};
