/*
 * darn fix: a patch for what darn hunt has confirmed, built and proved.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_file.h"
#include "cli/line.h"
#include "cli/say.h"
#include "driver/fix/fixing.h"
#include "report/advice.h"

#define EXIT_NONE 1 /* no candidate is a fix */

struct fix_line {
    struct darn_fix_options wanted;
    const char *json;
};

#define AT(field) offsetof(struct fix_line, field)

static const struct darn_option options[] = {
    {.name = "build",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.build),
     .value = "CMD",
     .help = "the shell command that builds the program, in the tree\n"
             "(default: what one darn cc has done)"},
    {.name = "tree",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.tree),
     .value = "DIR",
     .help = "the directory with all that the build needs (default:\n"
             "what the program and the sources have in common)"},
    {.name = "test",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.test),
     .value = "CMD",
     .help = "a shell command, run in the tree, that fails when the\n"
             "program is not right"},
    {.name = "seconds",
     .type = DARN_OPTION_SECONDS,
     .offset = AT(wanted.seconds_ms),
     .initial = "10",
     .value = "S",
     .help = "hunt for S seconds in the program with each candidate"},
    {.name = "limit",
     .type = DARN_OPTION_SECONDS,
     .offset = AT(wanted.limit_ms),
     .initial = "300",
     .value = "S",
     .help = "begin with no candidate after S seconds; 0: try all"},
    {.name = "fixes",
     .type = DARN_OPTION_WIDE,
     .offset = AT(wanted.fixes),
     .initial = "1",
     .min = 1,
     .max = 1000,
     .value = "N",
     .help = "stop when N fixes are found"},
    DARN_ROW_SEED(AT(wanted.seed)),
    DARN_ROW_JOBS(AT(wanted.jobs)),
    {.name = "apply",
     .type = DARN_OPTION_FLAG,
     .offset = AT(wanted.apply),
     .help = "write the first fix into the sources"},
    {.name = "json",
     .type = DARN_OPTION_STRING,
     .offset = AT(json),
     .value = "FILE",
     .help = "append the fixes to FILE as JSON Lines"},
    DARN_ROW_HELP,
    {.name = NULL},
};

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

static void say_cost(const struct darn_fix_proof *proof)
{
    if (proof->before_ms > 0 && proof->after_ms > 0)
        printf("; processor time of a run: %.2fx (%.1f ms without it)",
               proof->after_ms / proof->before_ms, proof->before_ms);
}

static void write_json(const char *file, const struct darn_fixing *fixing,
                       const struct darn_patch *patch, const struct darn_fix_proof *proof)
{
    struct darn_json json;

    darn_json_start_growing(&json);
    darn_json_open(&json, NULL, '{');
    darn_json_open(&json, "fix", '{');
    darn_json_string(&json, "finding", fixing->findings.list[0]->id);
    darn_json_string(&json, "what", patch->what);
    darn_json_string(&json, "patch", patch->diff);
    darn_json_number(&json, "schedules", (int64_t)proof->schedules);
    darn_json_real(&json, "before_ms", proof->before_ms, 3);
    darn_json_real(&json, "after_ms", proof->after_ms, 3);
    darn_json_bool(&json, "followed", proof->followed);
    darn_json_bool(&json, "output_compared", proof->compared);
    darn_json_bool(&json, "tested", proof->tested);
    darn_json_close(&json, '}');
    darn_json_close(&json, '}');
    darn_json_end_line(&json);
    darn_append_json("fix", file, json.text.to, json.text.used);
    darn_json_release(&json);
}

static void print_fix(void *context, const struct darn_fixing *fixing,
                      const struct darn_patch *patch, const struct darn_fix_proof *proof)
{
    const struct fix_line *line = context;

    darn_clear_progress();
    printf("fix: %s\n%s", patch->what, patch->diff);
    printf(
        "proof: it builds; the hunt that finds the bug without it finds neither the bug nor a new "
        "one, and no schedule fails in %" PRIu64 " runs (%.1f s)",
        proof->schedules, proof->seconds);
    if (proof->followed)
        printf("; the schedule of the finding ends well (%" PRIu64 " of %" PRIu64
               " switches are still made)",
               proof->made, proof->switches);
    else
        printf("; the schedule of the finding could not be followed");
    if (proof->ran)
        printf(proof->compared ? "; free runs print what they printed" : "; free runs end well");
    printf(proof->tested ? "; the tests pass" : "");
    say_cost(proof);
    printf("\n");
    if (proof->others)
        printf("not fixed: %" PRIu64 " other bug%s that the hunt knew of before\n", proof->others,
               proof->others == 1 ? "" : "s");
    if (line->wanted.apply && fixing->results[DARN_FIX_PROVED] == 1)
        printf("applied: the sources in %s were changed\n", fixing->tree);
    if (line->json)
        write_json(line->json, fixing, patch, proof);
}

/* In words: no candidate is a fix. */
static void say_needed(const struct darn_fixing *fixing)
{
    static const struct darn_style plain;
    struct darn_ink ink = {stderr, false};

    fprintf(stderr, "darn fix: what would be needed: ");
    darn_advice(&ink, fixing->findings.list[0], &plain);
    fprintf(stderr, "\n");
}

/* What the candidates have come to. An exit status. */
static int conclude(const struct darn_fixing *fixing)
{
    static const char *const words[DARN_FIX_RESULTS] = {
        "proved",           "not built",        "broke the program", "left the bug in",
        "left another one", "made another bug", "failed the tests"};
    uint64_t tried = 0;

    for (int i = 0; i < DARN_FIX_RESULTS; i++)
        tried += fixing->results[i];
    if (!fixing->candidates) {
        fprintf(stderr, "darn fix: no candidate can be made from the source\n");
        say_needed(fixing);
        return EXIT_NONE;
    }
    fprintf(stderr, "darn fix: %" PRIu64 " of %zu candidates tried:", tried, fixing->candidates);
    for (int i = 0; i < DARN_FIX_RESULTS; i++)
        if (fixing->results[i])
            fprintf(stderr, " %" PRIu64 " %s%s", fixing->results[i], words[i],
                    (tried -= fixing->results[i]) ? "," : "");
    fprintf(stderr, "\n");
    if (fixing->results[DARN_FIX_PROVED])
        return 0;
    say_needed(fixing);
    return EXIT_NONE;
}

static int cmd_fix(int argc, char **argv)
{
    static struct darn_fixing fixing;
    static struct fix_line wanted;
    struct darn_command_line line = {.command = &darn_command_fix, .to = &wanted};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (line.count != 1)
        return darn_refuse("fix", "one directory is needed; usage: darn fix [options] DIRECTORY");
    wanted.wanted.finding = line.words[0];
    fixing.options = wanted.wanted;
    fixing.listener = darn_speaker("fix");
    fixing.proved = print_fix;
    fixing.context = &wanted;
    status = darn_fix(&fixing);
    if (!status)
        status = conclude(&fixing);
    darn_fixing_free(&fixing);
    return status ? status : darn_finish_output();
}

const struct darn_command darn_command_fix = {
    .name = "fix",
    .summary = "find a patch for a confirmed bug, and prove it",
    .usage = "fix [options] DIRECTORY",
    .about = "Makes candidates for a fix of the finding that darn hunt has left in DIRECTORY,\n"
             "from the text of the sources, and tries each in a copy of them, the smallest\n"
             "first. It is shown only when it has passed everything: it builds; the hunt that\n"
             "finds the bug without it finds neither the bug nor a new one; the program ends\n"
             "as before and, where that never varies, prints what it printed; the tests pass.\n"
             "The sources are not changed without --apply.\n",
    .groups = groups,
    .operands = "DIR",
    .most = 1,
    .guarded = true,
    .exits = "0 a fix was proved\n"
             "1 no candidate is a fix",
    .see = "darn-hunt(1), darn-heal(1)",
    .run = cmd_fix,
};
