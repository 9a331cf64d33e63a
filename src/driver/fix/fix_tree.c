/*
 * The copy of the source tree, and commands that are run in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/fix/fixing.h"
#include "driver/process/private.h"
#include "driver/process/sh.h"
#include "report/shell.h"

#define COPY_MS (10 * 60 * 1000)

static double milliseconds(const struct timeval *time)
{
    return (double)time->tv_sec * 1e3 + (double)time->tv_usec / 1e3;
}

/* Processor time of all children until now. */
static double spent_ms(void)
{
    struct rusage usage;

    getrusage(RUSAGE_CHILDREN, &usage);
    return milliseconds(&usage.ru_utime) + milliseconds(&usage.ru_stime);
}

/* Stdout and stderr go to the same file. */
static int run_line(char *const *line, const char *output, uint32_t timeout_ms)
{
    int fd = open(output ? output : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int outputs[2] = {fd, fd}, result;
    struct darn_sh sh = {
        .program = line, .outputs = outputs, .input = -1, .timeout_ms = timeout_ms};

    if (fd < 0)
        return -errno;
    result = darn_sh(&sh);
    close(fd);
    return result;
}

/* The shell has the copy, the tree, the directory and the command as $0 to $3. */
#define INSIDE  "mount --bind \"$0\" \"$1\" && cd \"$2\" && exec sh -c \"$3\""
#define OUTSIDE "cd \"$2\" && exec sh -c \"$3\""

static int run_with(struct darn_fixing *fixing, const char *enter, const struct darn_fix_run *run)
{
    const char *directory = enter ? run->directory : darn_fix_path(fixing, run->directory);
    const char *inside[] = {"unshare",    enter,        "--",      "sh",         "-c", INSIDE,
                            fixing->copy, fixing->tree, directory, run->command, NULL};
    const char *outside[] = {"sh",         "-c",      OUTSIDE,      fixing->copy,
                             fixing->tree, directory, run->command, NULL};

    return run_line((char *const *)(enter ? inside : outside), run->output, run->timeout_ms);
}

int darn_fix_run(struct darn_fixing *fixing, struct darn_fix_run *run)
{
    double before = spent_ms();
    int result = run_with(fixing, fixing->enter, run);

    run->cpu_ms = spent_ms() - before;
    return result;
}

const char *darn_fix_path(struct darn_fixing *fixing, const char *path)
{
    size_t length = strlen(fixing->tree);

    if (fixing->enter || strncmp(path, fixing->tree, length) != 0 ||
        (path[length] && path[length] != '/'))
        return path;
    return darn_pool_format(&fixing->pool, "%s%s", fixing->copy, path + length);
}

static bool is_inside(const char *path, const char *directory)
{
    size_t length = strlen(directory);

    return strncmp(path, directory, length) == 0 && (!path[length] || path[length] == '/');
}

static void find_entrance(struct darn_fixing *fixing)
{
    static const char *const ways[] = {"-m",
                                       "-rm"}; /* as root; as everybody, where that is allowed */
    struct darn_fix_run nothing = {
        .command = "true", .directory = fixing->tree, .timeout_ms = 10000};

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        if (run_with(fixing, ways[i], &nothing) == 0) {
            fixing->enter = ways[i];
            return;
        }
    darn_tell_warning(fixing->listener,
                      "no mount namespace can be made here: what is built by absolute paths is "
                      "built in %s itself",
                      fixing->tree);
}

int darn_fix_copy(struct darn_fixing *fixing)
{
    const char *private = darn_private_directory(fixing->listener);
    const char *line[] = {"cp", "-a", "--reflink=auto", "--", fixing->tree, fixing->copy, NULL};
    int result;

    if (!private)
        return DARN_REFUSED;
    if (is_inside(private, fixing->tree))
        return darn_tell_refusal(fixing->listener,
                                 "%s has the temporary files: name a directory of your sources "
                                 "alone with --tree=DIR, or set TMPDIR",
                                 fixing->tree);
    if ((size_t)snprintf(fixing->copy, sizeof(fixing->copy), "%s/tree", private) >=
        sizeof(fixing->copy))
        return darn_tell_refusal(fixing->listener, "%s: %s", private, strerror(ENAMETOOLONG));
    darn_tell_progress(fixing->listener, "copying %s", fixing->tree);
    result = run_line((char *const *)line, NULL, COPY_MS);
    if (result)
        return darn_tell_refusal(fixing->listener, "%s cannot be copied to %s%s%s", fixing->tree,
                                 private, result < 0 ? ": " : "",
                                 result < 0 ? strerror(-result) : "");
    find_entrance(fixing);
    return 0;
}

/* ---- files ---- */

static int write_text(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "we");
    int result = 0;

    if (!file)
        return -errno;
    if (fwrite(text, 1, length, file) != length)
        result = -EIO;
    if (fclose(file) && !result)
        result = -errno;
    return result;
}

/* As it becomes, or as it was. */
static int write_source(const struct darn_source *source, const char *path, bool undo)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    int result;

    if (!memory)
        return -ENOMEM;
    if (undo)
        for (unsigned i = 1; i <= source->count; i++)
            fprintf(memory, "%s\n", source->rows[i].text);
    else
        darn_source_write(source, memory);
    if (fclose(memory)) {
        free(text);
        return -ENOMEM;
    }
    result = write_text(path, text, length);
    free(text);
    return result;
}

/* The path of the file itself, or, with `copied`, that in the copy. 0 or a negative errno. */
static int path_of(const struct darn_fixing *fixing, const struct darn_source *source, bool copied,
                   char path[2 * PATH_MAX])
{
    char *real = darn_source_path(source);
    int result = real ? 0 : -errno;

    if (real && copied && !is_inside(real, fixing->tree))
        result = -EXDEV;
    if (real)
        snprintf(path, 2 * PATH_MAX, "%s%s", copied ? fixing->copy : "",
                 real + (copied ? strlen(fixing->tree) : 0));
    free(real);
    return result;
}

static int write_all(const struct darn_fixing *fixing, const struct darn_patch *patch, bool copied,
                     bool undo)
{
    char path[2 * PATH_MAX];
    int result = 0;

    for (size_t i = 0; i < patch->count && !result; i++) {
        result = path_of(fixing, &patch->files[i], copied, path);
        if (!result)
            result = write_source(&patch->files[i], path, undo);
    }
    return result;
}

int darn_fix_write(const struct darn_fixing *fixing, const struct darn_patch *patch, bool undo)
{
    return write_all(fixing, patch, true, undo);
}

int darn_fix_apply(const struct darn_fixing *fixing, const struct darn_patch *patch)
{
    return write_all(fixing, patch, false, false);
}
