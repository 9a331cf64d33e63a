/*
 * How a program was built, if nobody says it. It has the commands (recorded.h): one that has
 * compiled and linked it is enough. Of more files a tool knows best how they are made, which stands
 * in a directory above the program. Where there is none, or it makes another program (make was
 * called with CC=darn-cc, and nobody knows that), the commands of all objects are run again.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/fix/fixing.h"
#include "report/shell.h"

/* ---- tools ---- */

static const struct {
    const char *file, *command;
} tools[] = {
    {"CMakeCache.txt", "cmake --build ."},
    {"build.ninja", "ninja"},
    {"GNUmakefile", "make"},
    {"makefile", "make"},
    {"Makefile", "make"},
};

/* What somebody else has put there is not run unasked: the directory may be /tmp. */
static const char *tool_in(const char *directory)
{
    char path[2 * PATH_MAX];
    struct stat about;

    for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", directory, tools[i].file);
        if (stat(path, &about) == 0 && about.st_uid == geteuid())
            return tools[i].command;
    }
    return NULL;
}

/* Makefiles of directories further in know nothing of the others; one around a build by CMake or
 * ninja may do anything. */
static bool find_tool(struct darn_fixing *fixing, const char *from)
{
    size_t root = strlen(fixing->tree);
    char *directory = darn_pool_text(&fixing->pool, from);

    while (strlen(directory) >= root && strncmp(directory, fixing->tree, root) == 0) {
        const char *command = tool_in(directory);
        char *slash = strrchr(directory, '/');

        if (command && (!fixing->build || strcmp(fixing->build, "make") == 0)) {
            fixing->build = command;
            fixing->build_in = darn_pool_text(&fixing->pool, directory);
        }
        if (!slash || slash == directory)
            break;
        *slash = '\0';
    }
    return fixing->build != NULL;
}

/* ---- the commands ---- */

/* `more` goes before the user's own words. */
static const char *say_command(struct darn_text_pool *pool, const struct darn_recorded *recorded,
                               const char *more)
{
    const char *line = recorded->words[0];
    bool is_ours = true;

    for (size_t i = 1; recorded->words[i]; i++) {
        const char *word = recorded->words[i];
        bool is_last = is_ours && (strcmp(word, "cc") == 0 || strcmp(word, "c++") == 0);

        line = darn_pool_format(pool, "%s %s%s", line, darn_shell_word(pool, word),
                                is_last ? more : "");
        is_ours &= !is_last;
    }
    return line;
}

/* The real path of a file, which need not be there; NULL: its directory is not, or not in the
 * tree. */
static const char *find_in_tree(struct darn_fixing *fixing, const char *path)
{
    char directory[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = strlen(fixing->tree);

    if (!slash)
        return NULL;
    snprintf(directory, sizeof(directory), "%.*s", (int)(slash - path) + 1, path);
    if (!realpath(directory, real) || strncmp(real, fixing->tree, length) != 0 ||
        (real[length] && real[length] != '/'))
        return NULL;
    return darn_pool_format(&fixing->pool, "%s%s", real, slash);
}

/* All that is written lies in the tree, and so in the copy. */
static bool are_complete(struct darn_fixing *fixing)
{
    const struct darn_records *records = &fixing->records;

    if (!records->link || !records->count || !find_in_tree(fixing, fixing->kept.schedule->program))
        return false;
    for (size_t i = 0; i < records->count; i++)
        if (!*records->compiled[i].object || !find_in_tree(fixing, records->compiled[i].object))
            return false;
    return true;
}

/* Whether the linker gets the object by its name. */
static bool is_linked(struct darn_fixing *fixing, const char *object)
{
    const struct darn_recorded *link = fixing->records.link;

    for (size_t i = 0; link->words[i]; i++) {
        const char *word = link->words[i], *path;

        if (*word == '-' || !(path = strrchr(object, '/')) || !strstr(word, path + 1))
            continue;
        path = find_in_tree(
            fixing,
            *word == '/' ? word : darn_pool_format(&fixing->pool, "%s/%s", link->directory, word));
        if (path && strcmp(path, object) == 0)
            return true;
    }
    return false;
}

/* An object that the linker got in an archive is handed to it directly, and first: it is one of the
 * program's, and that in the archive is not taken then. */
static const char *say_all(struct darn_fixing *fixing)
{
    const struct darn_records *records = &fixing->records;
    struct darn_text_pool *pool = &fixing->pool;
    const char *all = "", *more = "";

    for (size_t i = 0; i < records->count; i++) {
        const struct darn_recorded *one = &records->compiled[i];
        const char *object = find_in_tree(fixing, one->object);
        const char *word = darn_shell_word(pool, darn_fix_path(fixing, object));

        all = darn_pool_format(pool, "%s{ [ -e %s ] || (cd %s && %s); } && ", all, word,
                               darn_shell_word(pool, darn_fix_path(fixing, one->directory)),
                               say_command(pool, one, ""));
        if (!is_linked(fixing, object))
            more = darn_pool_format(pool, "%s %s", more, word);
    }
    return darn_pool_format(pool, "%scd %s && %s", all,
                            darn_shell_word(pool, darn_fix_path(fixing, records->link->directory)),
                            say_command(pool, records->link, more));
}

const char *darn_fix_build_command(struct darn_fixing *fixing)
{
    return fixing->build ? fixing->build : say_all(fixing);
}

static bool is_of(const struct darn_fixing *fixing, const char *source,
                  const struct darn_source *file)
{
    char *real = realpath(source, NULL);
    size_t length = strlen(fixing->tree);
    bool same = real && strncmp(real, fixing->tree, length) == 0 && real[length] == '/' &&
                strcmp(real + length + 1, file->name) == 0;

    free(real);
    return same;
}

/* Those of the file, or of all files. Whether there were any. */
static bool forget(struct darn_fixing *fixing, const struct darn_source *file)
{
    const struct darn_records *records = &fixing->records;
    bool known = false;

    for (size_t i = 0; i < records->count; i++) {
        const struct darn_recorded *one = &records->compiled[i];
        const char *object = find_in_tree(fixing, one->object);

        if (!object || (file && !is_of(fixing, one->source, file)))
            continue;
        known = true;
        unlink(
            darn_pool_format(&fixing->pool, "%s%s", fixing->copy, object + strlen(fixing->tree)));
    }
    return known;
}

void darn_fix_forget_objects(struct darn_fixing *fixing, const struct darn_patch *patch)
{
    if (fixing->build)
        return;
    if (!patch)
        forget(fixing, NULL);
    for (size_t i = 0; patch && i < patch->count; i++)
        if (!forget(fixing, &patch->files[i]))
            forget(fixing, NULL);
}

bool darn_fix_turn_to_records(struct darn_fixing *fixing)
{
    const char *tool = fixing->build;

    if (fixing->options.build || !tool || !are_complete(fixing))
        return false;
    fixing->build = NULL;
    if (!fixing->enter && darn_fix_is_absolute(fixing))
        fixing->build = tool;
    else
        fixing->build_in = fixing->tree;
    return !fixing->build;
}

bool darn_fix_is_built_alike(struct darn_fixing *fixing)
{
    const char *path = find_in_tree(fixing, fixing->kept.schedule->program);
    struct darn_records now;

    if (!path || !fixing->records.link)
        return true;
    darn_records_read(
        &now, &fixing->pool,
        darn_pool_format(&fixing->pool, "%s%s", fixing->copy, path + strlen(fixing->tree)));
    return now.link != NULL;
}

/* ---- all ---- */

bool darn_fix_find_build(struct darn_fixing *fixing)
{
    const char *program = fixing->kept.schedule->program;

    fixing->build = fixing->options.build;
    fixing->build_in = fixing->tree;
    if (fixing->build)
        return true;
    darn_records_read(&fixing->records, &fixing->pool, program);
    if (fixing->records.link && !fixing->records.count) {
        fixing->build = say_command(&fixing->pool, fixing->records.link, "");
        fixing->build_in = fixing->records.link->directory;
        return true;
    }
    return find_tool(fixing, darn_pool_part(&fixing->pool, program,
                                            (size_t)(strrchr(program, '/') - program))) ||
           are_complete(fixing);
}

static bool has_tree(const struct darn_fixing *fixing, const struct darn_recorded *recorded)
{
    for (size_t i = 0; recorded->words[i]; i++)
        if (strstr(recorded->words[i], fixing->tree))
            return true;
    return false;
}

bool darn_fix_is_absolute(const struct darn_fixing *fixing)
{
    bool found = false;

    if (fixing->build)
        return strcmp(fixing->build, tools[0].command) == 0 ||
               strcmp(fixing->build, tools[1].command) == 0;
    for (size_t i = 0; i < fixing->records.count && !found; i++)
        found = has_tree(fixing, &fixing->records.compiled[i]);
    return found || has_tree(fixing, fixing->records.link);
}
