/*
 * A refinement: runs a program again and again, with noise inside its sections, and takes out of
 * the repository what correct runs violate, and what no run comes to.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/section/sections_refine.h"

/* However many fail, there is an end: this many times what is wanted. */
#define MOST_RUNS 20

size_t darn_refine_left(const struct darn_refine *refine)
{
    size_t left = 0;

    for (size_t i = 0; i < refine->sections.count; i++)
        left += !refine->sections.list[i]->why;
    return left;
}

bool darn_refine_is_quiet(const struct darn_refine *refine)
{
    return refine->sections.refinement.quiet >= refine->options->runs;
}

/* Another file for the runs to come; those under way may still be reading the last one. 0 or a
 * negative errno. */
static int write_file(struct darn_refine *refine)
{
    FILE *to;
    int result;

    darn_free_runs_file(&refine->runs, "sections", refine->generation++, refine->file,
                        sizeof(refine->file));
    to = fopen(refine->file, "wxe");
    if (!to)
        return -errno;
    result = darn_refinement_write(&refine->refinement, to);
    if (fclose(to) && !result)
        result = -errno;
    refine->changed = false;
    return result;
}

/* The same delay on the whole, in few long pieces or in many short ones: a long one lets a slow
 * access of another thread come in between, a short one many fast ones. */
static struct darn_noise noise_of(const struct darn_refine *refine, uint64_t number)
{
    static const struct {
        uint32_t often, rarely;
    } ways[] = {{1, 1}, {4, 1}, {1, 4}};
    const size_t way = number % (sizeof(ways) / sizeof(ways[0]));
    struct darn_noise noise = refine->options->noise;
    uint32_t often = ways[way].often, rarely = ways[way].rarely;

    noise.frequency = noise.frequency * often / rarely;
    noise.strength = (uint32_t)((uint64_t)noise.strength * rarely / often);
    /* What was asked for stays possible in all of them. */
    if (!noise.frequency && refine->options->noise.frequency)
        noise.frequency = 1;
    if (noise.frequency > 1000)
        noise.frequency = 1000;
    if (noise.strength > 10000000)
        noise.strength = 10000000;
    return noise;
}

static void set_options(const struct darn_refine *refine, struct darn_free_run *run)
{
    struct darn_options *options = &run->options;

    darn_options_default(options);
    options->seed = refine->sections.refinement.seed + run->number;
    options->budget = DARN_BUDGET_MAX;
    options->exitcode = 0; /* what darn finds besides does not make a run fail */
    options->noise[options->noise_count++] = noise_of(refine, run->number);
    snprintf(options->sections, sizeof(options->sections), "%s", refine->file);
    darn_free_runs_file(&refine->runs, "counts", run->job, options->sections_out,
                        sizeof(options->sections_out));
    snprintf(options->log_path, sizeof(options->log_path), "%s/log", refine->runs.directory);
    unlink(options->sections_out);
}

static bool next(void *context, struct darn_free_run *run)
{
    struct darn_refine *refine = context;
    int result;

    if (darn_refine_is_quiet(refine) || refine->made >= MOST_RUNS * refine->options->runs ||
        !darn_refine_left(refine))
        return false;
    result = refine->changed ? write_file(refine) : 0;
    if (result) {
        refine->runs.status = darn_tell_refusal(refine->listener, "%s cannot be written: %s",
                                                refine->file, strerror(-result));
        return false;
    }
    run->number = ++refine->begun;
    set_options(refine, run);
    return true;
}

/* What the runtime has left; nothing when it did not come to its end. */
static void read_counts(struct darn_refine *refine, const char *path)
{
    FILE *file = fopen(path, "r"), *to;
    char *text = NULL, piece[16384];
    size_t size = 0, got;

    to = open_memstream(&text, &size);
    while (file && to && (got = fread(piece, 1, sizeof(piece), file)) > 0)
        fwrite(piece, 1, got, to);
    if (to)
        fclose(to);
    if (file)
        fclose(file);
    darn_refinement_counts_read(&refine->counts, text ? text : "");
    free(text);
}

static void done(void *context, const struct darn_free_run *run)
{
    struct darn_refine *refine = context;
    bool correct = run->verdict == DARN_VERDICT_OK;
    uint64_t *quiet = &refine->sections.refinement.quiet;

    read_counts(refine, run->options.sections_out);
    refine->made++;
    refine->sections.refinement.runs++;
    if (run->verdict == DARN_VERDICT_NONE) {
        refine->unclear++;
        return;
    }
    refine->failed += !correct;
    refine->number = run->number;
    refine->failure = correct ? NULL : run->text;
    if (correct && !refine->counts.done) {
        if (refine->counted) { /* it went another way for once */
            refine->unclear++;
            return;
        }
        refine->runs.status = darn_tell_refusal(
            refine->listener,
            "%s says nothing about its sections: it, or what it starts, must have been "
            "compiled by darn, and end by itself",
            refine->options->runs_as.program[0]);
        atomic_store(&refine->runs.stop, true);
        return;
    }
    refine->counted += refine->counts.done;
    if (darn_refinement_apply(&refine->refinement, &refine->counts, correct, run->number,
                              refine->tell, refine)) {
        refine->changed = true;
        *quiet = 0;
    } else if (correct) {
        ++*quiet;
    }
}

/* Where an earlier refinement of the file has come to. */
static void go_on(struct darn_refine *refine)
{
    if (refine->options->seed_given || !refine->sections.refinement.runs)
        refine->sections.refinement.seed = refine->options->seed;
    refine->begun = refine->sections.refinement.runs;
    if (darn_refine_is_quiet(refine)) /* it was at its end: once more, then */
        refine->sections.refinement.quiet = 0;
    refine->changed = true;
}

static void tell_progress(void *context)
{
    const struct darn_refine *refine = context;

    darn_tell_progress(refine->listener,
                       "%" PRIu64 " runs, %" PRIu64 " failed; %" PRIu64 " of %" PRIu64
                       " without a change; %zu of %zu sections left",
                       refine->made, refine->failed, refine->sections.refinement.quiet,
                       refine->options->runs, darn_refine_left(refine), refine->sections.count);
}

int darn_refine(struct darn_refine *refine)
{
    int status;

    go_on(refine);
    refine->runs = (struct darn_free_runs){
        .listener = refine->listener,
        .options = &refine->options->runs_as,
        .next = next,
        .done = done,
        .progress = tell_progress,
        .context = refine,
    };
    status = darn_free_runs_open(&refine->runs);
    darn_refinement_open(&refine->refinement, &refine->sections);
    if (!status)
        status = darn_free_runs_make(&refine->runs);
    darn_free_runs_close(&refine->runs);
    darn_tell_progress(refine->listener, "%s", "");
    if (!status && darn_refine_is_quiet(refine))
        darn_refinement_finish(&refine->refinement, refine->sections.refinement.runs);
    return status;
}

void darn_refine_free(struct darn_refine *refine)
{
    darn_refinement_close(&refine->refinement);
    darn_refinement_counts_free(&refine->counts);
    darn_sections_free(&refine->sections);
}
