#include "driver/campaign/campaign_transfer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/process/installation.h"

static bool lies_in(const char *path, const char *directory)
{
    size_t length = strlen(directory);

    return strncmp(path, directory, length) == 0 && (!path[length] || path[length] == '/');
}

/* `path` is relative to `directory`, or absolute. */
static void add(struct darn_words *paths, const char *directory, const char *path)
{
    char *joined = NULL, absolute[PATH_MAX];

    if (asprintf(&joined, "%s%s%s", *path == '/' ? "" : directory, *path == '/' ? "" : "/", path) <
        0)
        abort();
    /* GNU parallel takes what follows a /./ as relative. A test that runs in / wants no copy of it. */
    if (realpath(joined, absolute) && strcmp(absolute, "/") != 0)
        darn_words_add(paths, absolute);
    free(joined);
}

static int add_darn(struct darn_words *paths)
{
    struct darn_installation installation;
    char own[PATH_MAX], *slash;
    int result = darn_own_path(own, sizeof(own));

    if (!result)
        result = darn_installation_find(&installation);
    if (result)
        return result;
    slash = strrchr(installation.runtime, '/');
    *slash = '\0';
    add(paths, "", own);
    add(paths, "", installation.runtime);
    return 0;
}

static void add_named(struct darn_words *paths, const char *more)
{
    char here[PATH_MAX], *names = strdup(more), *rest = names, *name;

    if (!names || !getcwd(here, sizeof(here)))
        abort();
    while ((name = strsep(&rest, ",")))
        if (*name)
            add(paths, here, name);
    free(names);
}

/* Drops what comes with another one. */
static void drop_inner(struct darn_words *paths)
{
    size_t kept = 0;

    for (size_t i = 0; i < paths->count; i++) {
        bool inner = false;

        for (size_t j = 0; j < paths->count && !inner; j++)
            inner = paths->items[j] && j != i && lies_in(paths->items[i], paths->items[j]);
        if (inner) {
            free(paths->items[i]);
            paths->items[i] = NULL;
        }
    }
    for (size_t i = 0; i < paths->count; i++)
        if (paths->items[i])
            paths->items[kept++] = paths->items[i];
    paths->items[paths->count = kept] = NULL;
}

int darn_campaign_transfer(const struct darn_campaign *campaign, const char *more,
                           struct darn_words *paths)
{
    int result = add_darn(paths);

    if (result)
        return result;
    add(paths, "", campaign->path);
    for (unsigned i = 0; i < campaign->count; i++) {
        const struct darn_campaign_test *test = &campaign->tests[i];

        add(paths, "", test->directory);
        if (strchr(test->command.items[0], '/'))
            add(paths, test->directory, test->command.items[0]);
    }
    if (more)
        add_named(paths, more);
    drop_inner(paths);
    return 0;
}
