/* The writing half of a schedule file; docs/schedule-format.md has the form. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "schedule/schedule.h"
#include "schedule/schedule_text.h"

#define WIDTH     96 /* of a line of steps */
#define KEYS      5  /* in a line */
#define INPUTS    40 /* bytes in a line */
#define STEP_TEXT 96 /* the longest step: 8 marks, a name, a place, a number of times */

static void put_text(FILE *file, const char *name, const char *text)
{
    if (!text)
        return;
    fputs(name, file);
    if (*text)
        fputc(' ', file);
    darn_schedule_put_text(file, text);
    fputc('\n', file);
}

static void put_texts(FILE *file, const char *name, char *const *texts)
{
    for (; texts && *texts; texts++)
        put_text(file, name, *texts);
}

static void put_flags(FILE *file, uint32_t flags)
{
    if (!flags)
        return;
    fputs("flags", file);
    for (unsigned bit = 0; bit < DARN_SCHEDULE_RUN_FLAGS; bit++)
        if (flags & 1u << bit)
            fprintf(file, " %s", darn_schedule_run_flags[bit]);
    flags &= ~((1u << DARN_SCHEDULE_RUN_FLAGS) - 1);
    if (flags)
        fprintf(file, " 0x%" PRIx32, flags);
    fputc('\n', file);
}

static void put_head(const struct darn_schedule *schedule, FILE *file)
{
    fprintf(file, "darn schedule %d\n", DARN_SCHEDULE_VERSION);
    put_text(file, "program", schedule->program);
    put_text(file, "directory", schedule->directory);
    put_texts(file, "argument", schedule->arguments);
    put_texts(file, "environment", schedule->environment);
    put_text(file, "input", schedule->input);
    if (schedule->build)
        fprintf(file, "build %016" PRIx64 "\n", schedule->build);
    if (schedule->time)
        fprintf(file, "time %" PRIu64 "\n", schedule->time);
    if (schedule->max_steps)
        fprintf(file, "max-steps %" PRIu64 "\n", schedule->max_steps);
    if (schedule->fair_from)
        fprintf(file, "fair-from %" PRIu64 "\n", schedule->fair_from);
    put_flags(file, schedule->run_flags);
    put_text(file, "ending", schedule->ending);
    if (schedule->essential)
        fprintf(file, "essential %" PRIu64 "\ninstead %" PRIu64 "\n", schedule->essential,
                schedule->instead);
}

static void put_tables(const struct darn_schedule *schedule, FILE *file)
{
    for (size_t i = 0; i < schedule->armed_count; i++) {
        fprintf(file, "%s %016" PRIx64, i % KEYS ? "" : "armed", schedule->armed[i]);
        if (i % KEYS == KEYS - 1 || i + 1 == schedule->armed_count)
            fputc('\n', file);
    }
    for (size_t i = 0; i < schedule->input_length; i++) {
        fprintf(file, "%s%02x", i % INPUTS ? "" : "inputs ", schedule->inputs[i]);
        if (i % INPUTS == INPUTS - 1 || i + 1 == schedule->input_length)
            fputc('\n', file);
    }
    for (size_t i = 0; i < schedule->module_count; i++) {
        fprintf(file, "module %zu ", i);
        darn_schedule_put_text(file, schedule->modules[i]);
        fputc('\n', file);
    }
    for (size_t i = 0; i < schedule->aim_count; i++) {
        const struct darn_schedule_aim *aim = &schedule->aims[i];

        if (darn_schedule_aim_name(aim->kind) && aim->place.module < schedule->module_count)
            fprintf(file, "aim %s %" PRIu32 "+%" PRIx64 "\n", darn_schedule_aim_name(aim->kind),
                    aim->place.module, aim->place.offset);
    }
}

static bool is_same(const struct darn_schedule_step *a, const struct darn_schedule_step *b)
{
    return a->thread == b->thread && a->op == b->op && a->flags == b->flags &&
           a->place.module == b->place.module && a->place.offset == b->place.offset;
}

/* The step as a word; its length. 0 when it is none that could be written. */
static int format_step(const struct darn_schedule *schedule, const struct darn_schedule_step *step,
                       size_t times, char *text)
{
    const char *name = darn_step_op_name((enum darn_step_op)step->op);
    int used = 0;

    if (!name || !step->op || step->place.module > schedule->module_count)
        return 0;
    for (unsigned bit = 0; bit < 8; bit++)
        if (step->flags & 1u << bit)
            text[used++] = DARN_SCHEDULE_MARKS[bit];
    used += snprintf(text + used, STEP_TEXT - (size_t)used, "%s", name);
    if (step->place.module < schedule->module_count)
        used += snprintf(text + used, STEP_TEXT - (size_t)used, "@%" PRIu32 "+%" PRIx64,
                         step->place.module, step->place.offset);
    else if (step->place.offset)
        used += snprintf(text + used, STEP_TEXT - (size_t)used, "@0x%" PRIx64, step->place.offset);
    if (times > 1)
        used += snprintf(text + used, STEP_TEXT - (size_t)used, "*%zu", times);
    return used;
}

/* Steps of one thread are a line, folded where it gets long: what follows begins with a blank. */
static int put_steps(const struct darn_schedule *schedule, FILE *file)
{
    int column = 0;

    for (size_t i = 0, times; i < schedule->step_count; i += times) {
        const struct darn_schedule_step *step = &schedule->steps[i];
        bool changes = i == 0 || step->thread != step[-1].thread;
        char text[STEP_TEXT];
        int length;

        for (times = 1; i + times < schedule->step_count && is_same(step, step + times);)
            times++;
        length = format_step(schedule, step, times, text);
        if (!length)
            return -EINVAL;
        if (changes)
            column = fprintf(file, "%sT%" PRIu32, i ? "\n" : "", step->thread);
        else if (column + 1 + length > WIDTH)
            column = fprintf(file, "\n  ") - 1;
        column += fprintf(file, " %s", text);
    }
    if (schedule->step_count)
        fputc('\n', file);
    return 0;
}

int darn_schedule_write(const struct darn_schedule *schedule, FILE *file)
{
    int result;

    if (!schedule->program || !*schedule->program)
        return -EINVAL;
    errno = 0;
    put_head(schedule, file);
    put_tables(schedule, file);
    result = put_steps(schedule, file);
    if (result)
        return result;
    fputs("end\n", file);
    if (fflush(file) || ferror(file))
        return errno ? -errno : -EIO;
    return 0;
}
