#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "driver/fix/fixing.h"
#include "driver/process/private.h"

#define BUILD_MS (30 * 60 * 1000)

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Shortens the path of a directory until the other path is below it. */
static void share(char *directory, const char *path)
{
    size_t length;

    while ((length = strlen(directory)) > 1 &&
           (strncmp(directory, path, length) != 0 || path[length] != '/')) {
        char *slash = strrchr(directory, '/');

        slash[slash == directory] = '\0';
    }
}

/* A header of the compiler or of a library belongs to no tree of the user's. */
static bool is_of_system(const char *path)
{
    return strncmp(path, "/usr/", strlen("/usr/")) == 0;
}

/* What the program and the sources of a stack have in common. Frames of libraries have no source
 * here. */
static void look_at_stack(const struct darn_finding_stack *stack, char *common)
{
    for (size_t i = 0; i < stack->count; i++) {
        const struct darn_frame *frame = &stack->frames[i];
        static const struct darn_patch_place anywhere = {.root = NULL};
        const char *name;
        char *path;

        if (!frame->file || (frame->file[0] != '/' && (!frame->dir || frame->dir[0] != '/')))
            continue;
        path = darn_patch_find(&anywhere, frame->dir, frame->file, &name);
        if (path && !is_of_system(path))
            share(common, path);
        free(path);
    }
}

static void look_at(const struct darn_finding *finding, char *common)
{
    for (size_t i = 0; i < finding->access_count; i++)
        look_at_stack(&finding->accesses[i].stack, common);
    for (size_t i = 0; i < finding->thread_count; i++)
        look_at_stack(&finding->threads[i].stack, common);
}

/* The tree, the directory of the build, and its command. 0 or DARN_REFUSED. */
static int find_build(struct darn_fixing *fixing)
{
    const struct darn_fix_options *options = &fixing->options;
    const char *program = fixing->kept.schedule->program;
    char common[PATH_MAX];

    snprintf(common, sizeof(common), "%.*s", (int)(strrchr(program, '/') - program), program);
    look_at(fixing->findings.list[0], common);
    if (!realpath(options->tree ? options->tree : common, fixing->tree))
        return darn_tell_refusal(fixing->listener, "%s: %s", options->tree ? options->tree : common,
                                 strerror(errno));
    if (strcmp(fixing->tree, "/") == 0)
        return darn_tell_refusal(fixing->listener, "/ is not copied: name the tree of the sources "
                                                   "with --tree=DIR");
    fixing->patches.place.root = fixing->tree;
    if (!darn_fix_find_build(fixing))
        return darn_tell_refusal(fixing->listener,
                                 "how is %s built? --build='make' says the command, which is run "
                                 "in a copy of %s",
                                 program, fixing->tree);
    return 0;
}

/* 0, or what wait() says of a build that has failed, or a negative errno. */
static int build(struct darn_fixing *fixing)
{
    char log[PATH_MAX];
    struct darn_fix_run run = {.command = darn_fix_build_command(fixing),
                               .directory = fixing->build_in,
                               .timeout_ms = BUILD_MS};

    if (darn_private_file(fixing->listener, "build.log", log, sizeof(log)) == 0)
        run.output = log;
    return darn_fix_run(fixing, &run);
}

/* What is built must be the program that is hunted: it is taken away first, and the files that a
 * candidate changes are written anew. 0, or as build(). */
static int build_anew(struct darn_fixing *fixing)
{
    darn_fix_take_away(fixing, fixing->kept.schedule->program);
    for (size_t i = 0; i < fixing->patches.count; i++)
        darn_fix_write(fixing, fixing->patches.list[i], true);
    darn_fix_forget_objects(fixing, NULL);
    return build(fixing);
}

static bool is_built(struct darn_fixing *fixing)
{
    return darn_fix_written(fixing, fixing->kept.schedule->program) &&
           darn_fix_is_built_alike(fixing);
}

/* Why the build has failed: the first line of its log that says `error`, or the first one. */
static int refuse_build(struct darn_fixing *fixing, const char *command)
{
    char log[PATH_MAX], line[512] = "";
    FILE *file;

    if (darn_private_file(fixing->listener, "build.log", log, sizeof(log)))
        return DARN_REFUSED;
    file = fopen(log, "re");
    for (char text[512]; file && fgets(text, sizeof(text), file);)
        if (!*line || strstr(text, "error"))
            snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
    if (file)
        fclose(file);
    return darn_tell_refusal(fixing->listener, "the program cannot be built as it is, by: %s%s%s",
                             command, *line ? ": " : "", line);
}

static int build_first(struct darn_fixing *fixing)
{
    const char *program = fixing->kept.schedule->program;
    int status;

    darn_tell_progress(fixing->listener, "building the program as it is");
    if (darn_fix_take_away(fixing, program))
        return darn_tell_refusal(fixing->listener,
                                 "%s is not in %s: --tree=DIR names all that the "
                                 "build needs",
                                 program, fixing->tree);
    status = build_anew(fixing);
    if ((status || !is_built(fixing)) && darn_fix_turn_to_records(fixing))
        status = build_anew(fixing);
    if (status)
        return refuse_build(fixing, fixing->build ? fixing->build : "its own commands");
    return is_built(fixing)
               ? 0
               : darn_tell_refusal(fixing->listener,
                                   "%s is not built by: %s; --build='make' says the command, "
                                   "which is run in a copy of %s",
                                   program, fixing->build ? fixing->build : "its own commands",
                                   fixing->tree);
}

/* For what the directories of findings have. */
static void make_candidates(struct darn_fixing *fixing, struct darn_patches *patches,
                            const char *directory)
{
    struct darn_heal_findings findings = {.count = 0};
    char path[PATH_MAX + 16];
    json_error_t error;
    json_t *story;

    snprintf(path, sizeof(path), "%s/story.json", directory);
    story = json_load_file(path, 0, &error);
    if (darn_heal_findings_read(fixing->listener, &findings, directory) == 0)
        for (size_t i = 0; i < findings.count; i++)
            darn_patches_make(patches, findings.list[i], story);
    json_decref(story);
    darn_heal_findings_free(&findings);
}

#define MOST_PARTS  3  /* patches in one, */
#define MOST_JOINED 64 /* and candidates that were joined */

/* The copy has the patch, and the bug is gone, but others make the program fail still: what may
 * mend them is joined with the patch. */
static void join_candidates(struct darn_fixing *fixing, const struct darn_patch *patch)
{
    struct darn_patches seconds = {.place = {fixing->tree, fixing->copy}};

    for (size_t i = 0; i < fixing->left.count && patch->parts < MOST_PARTS; i++)
        make_candidates(fixing, &seconds, fixing->left.items[i]);
    if (fixing->joined.count < MOST_JOINED)
        darn_patches_join(&fixing->joined, patch, &seconds);
    darn_patches_free(&seconds);
}

static enum darn_fix_result try_one(struct darn_fixing *fixing, const struct darn_patch *patch,
                                    struct darn_fix_proof *proof)
{
    enum darn_fix_result result = DARN_FIX_NO_BUILD;
    const char *program = fixing->kept.schedule->program;
    uint64_t before = darn_fix_written(fixing, program);
    int written = darn_fix_write(fixing, patch, false);

    darn_fix_forget_objects(fixing, patch);
    snprintf(fixing->why, sizeof(fixing->why),
             "it does not compile, or the build leaves the program as it was");
    darn_words_free(&fixing->left);
    if (written)
        snprintf(fixing->why, sizeof(fixing->why), "it cannot be written: %s", strerror(-written));
    else if (build(fixing) == 0 && darn_fix_written(fixing, program) != before)
        result = darn_fix_prove(fixing, proof);
    if (result == DARN_FIX_PART)
        join_candidates(fixing, patch);
    darn_fix_write(fixing, patch, true);
    darn_fix_forget_objects(fixing, patch);
    fixing->results[result]++;
    return result;
}

/* 0 or DARN_REFUSED. */
static int tell_fix(struct darn_fixing *fixing, const struct darn_patch *patch,
                    const struct darn_fix_proof *proof)
{
    if (fixing->options.apply && fixing->results[DARN_FIX_PROVED] == 1) {
        int result = darn_fix_apply(fixing, patch);

        if (result)
            return darn_tell_refusal(fixing->listener, "the sources cannot be written: %s",
                                     result == -ESTALE ? "they have changed meanwhile"
                                                       : strerror(-result));
    }
    fixing->proved(fixing->context, fixing, patch, proof);
    return 0;
}

/* Those of the list. More are joined meanwhile: those come behind. */
static int try_list(struct darn_fixing *fixing, const struct darn_patches *patches, double until)
{
    int status = 0;

    for (size_t i = 0; i < patches->count && !status; i++) {
        const struct darn_patch *patch = patches->list[i];
        struct darn_fix_proof proof;

        if (fixing->results[DARN_FIX_PROVED] == fixing->options.fixes)
            break;
        if (patches != &fixing->patches && darn_patches_have(&fixing->patches, patch))
            continue;
        if (fixing->options.limit_ms && now_s() > until) {
            darn_tell_note(fixing->listener,
                           "the time is over: %zu of %zu candidates were not tried; --limit gives "
                           "it more",
                           patches->count - i, patches->count);
            break;
        }
        darn_tell_progress(fixing->listener, "candidate %zu of %zu: %s", i + 1, patches->count,
                           patch->what);
        if (try_one(fixing, patch, &proof) == DARN_FIX_PROVED)
            status = tell_fix(fixing, patch, &proof);
        else
            darn_tell_note(fixing->listener, "no fix: %s (%u lines): %s", patch->what, patch->lines,
                           fixing->why);
    }
    return status;
}

static int try_all(struct darn_fixing *fixing)
{
    double until = now_s() + fixing->options.limit_ms / 1000.0;
    int status = try_list(fixing, &fixing->patches, until);

    if (!status) {
        darn_patches_sort(&fixing->joined);
        status = try_list(fixing, &fixing->joined, until);
        fixing->candidates = fixing->patches.count + fixing->joined.count;
    }
    return status;
}

/* 0 or DARN_REFUSED. */
static int read_finding(struct darn_fixing *fixing)
{
    const char *name = fixing->options.finding;
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/schedule", name);
    if (access(path, R_OK))
        return darn_tell_refusal(fixing->listener,
                                 "%s is not the directory of a finding that darn hunt has "
                                 "confirmed, as out/1",
                                 name);
    return darn_heal_findings_read(fixing->listener, &fixing->findings, name);
}

/* What mends another failure of the same hunt may mend this one as well: it is tried when none of
 * its own candidates does. */
static int find_candidates(struct darn_fixing *fixing)
{
    int status = darn_fix_read(fixing);

    make_candidates(fixing, &fixing->patches, fixing->kept.directory);
    fixing->joined.place = fixing->patches.place;
    for (size_t i = 0; i < fixing->left.count && !status; i++)
        make_candidates(fixing, &fixing->joined, fixing->left.items[i]);
    fixing->candidates = fixing->patches.count + fixing->joined.count;
    return status;
}

int darn_fix(struct darn_fixing *fixing)
{
    int status = read_finding(fixing);

    if (!status)
        status =
            darn_kept_open(&fixing->kept, fixing->listener, fixing->findings.directories.items[0]);
    if (!status)
        status = find_build(fixing);
    if (!status)
        status = find_candidates(fixing);
    if (status || !fixing->candidates)
        return status;
    status = darn_fix_copy(fixing);
    if (!status)
        status = build_first(fixing);
    if (!status)
        status = darn_fix_measure(fixing);
    return status ? status : try_all(fixing);
}

void darn_fixing_free(struct darn_fixing *fixing)
{
    darn_kept_close(&fixing->kept);
    darn_heal_findings_free(&fixing->findings);
    darn_patches_free(&fixing->patches);
    darn_patches_free(&fixing->joined);
    darn_words_free(&fixing->left);
    darn_words_free(&fixing->known);
    darn_words_free(&fixing->outcomes);
    darn_words_free(&fixing->statuses);
    darn_words_free(&fixing->outputs);
    darn_pool_release(&fixing->pool);
}
