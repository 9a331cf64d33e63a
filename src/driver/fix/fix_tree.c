/*
 * The copy of the source tree, and commands that are run in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
    if (fixing->options.build || !darn_fix_is_absolute(fixing))
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
    if (!fixing->enter && !fixing->options.build && darn_fix_is_absolute(fixing))
        return darn_tell_refusal(fixing->listener,
                                 "no mount namespace can be made here, and a build by %s would "
                                 "work on %s itself: --build says another one",
                                 fixing->build ? "CMake or ninja" : "absolute paths", fixing->tree);
    return 0;
}

/* ---- files ---- */

/* Where the copy of a file is. */
static bool find_copied(const struct darn_fixing *fixing, const char *path, char *to, size_t size)
{
    char *real = realpath(path, NULL);
    bool found =
        real && is_inside(real, fixing->tree) &&
        (size_t)snprintf(to, size, "%s%s", fixing->copy, real + strlen(fixing->tree)) < size;

    free(real);
    return found;
}

int darn_fix_take_away(const struct darn_fixing *fixing, const char *path)
{
    char copied[2 * PATH_MAX];

    if (!find_copied(fixing, path, copied, sizeof(copied)))
        return -ENOENT;
    return unlink(copied) && errno != ENOENT ? -errno : 0;
}

uint64_t darn_fix_written(const struct darn_fixing *fixing, const char *path)
{
    char copied[2 * PATH_MAX];
    struct stat about;

    if (!find_copied(fixing, path, copied, sizeof(copied)) || stat(copied, &about))
        return 0;
    return (uint64_t)about.st_mtim.tv_sec * 1000000000 + (uint64_t)about.st_mtim.tv_nsec;
}

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

static int write_all(const struct darn_patch *patch, const char *directory, bool undo)
{
    int result = 0;

    for (size_t i = 0; i < patch->count && !result; i++) {
        const struct darn_source *source = &patch->files[i];
        const char *text = undo ? source->original : source->text;
        char path[2 * PATH_MAX];

        snprintf(path, sizeof(path), "%s/%s", directory, source->name);
        result = write_text(path, text, strlen(text));
    }
    return result;
}

int darn_fix_write(const struct darn_fixing *fixing, const struct darn_patch *patch, bool undo)
{
    return write_all(patch, fixing->copy, undo);
}

/* Whether the files are as they were when the patch was made: somebody may have changed them. */
static bool is_original(const struct darn_fixing *fixing, const struct darn_patch *patch)
{
    bool same = true;

    for (size_t i = 0; i < patch->count && same; i++) {
        struct darn_source now;
        char path[2 * PATH_MAX];

        snprintf(path, sizeof(path), "%s/%s", fixing->tree, patch->files[i].name);
        same = darn_source_load(&now, path) && strcmp(now.original, patch->files[i].original) == 0;
        darn_source_free(&now);
    }
    return same;
}

int darn_fix_apply(const struct darn_fixing *fixing, const struct darn_patch *patch)
{
    return is_original(fixing, patch) ? write_all(patch, fixing->tree, false) : -ESTALE;
}
