#include "cli/cc/cc_wishes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ignorelist.h"
#include "base/words.h"
#include "cli/say.h"
#include "driver/analysis/profile_check.h"
#include "driver/process/installation.h"
#include "driver/section/section_file.h"
#include "site/wishes.h"

/* Hands the list, if there is one, to the plugin. 0 or an exit status. */
static int pass_ignorelist(const char *command, const char *path)
{
    char absolute[PATH_MAX], error[DARN_OPTIONS_ERROR];
    int result;

    if (!path)
        path = getenv(DARN_IGNORELIST_VARIABLE);
    if (!path || !*path)
        return 0;
    if (darn_ignorelist_check(path, error, sizeof(error)))
        return darn_refuse(command, "%s", error);
    result = darn_absolute_path(path, absolute, sizeof(absolute));
    if (result)
        return darn_refuse(command, "%s: %s", path, strerror(-result));
    setenv(DARN_IGNORELIST_VARIABLE, absolute, 1);
    return 0;
}

/* Hands the profile, if there is one, to the plugin. 0 or an exit status. */
static int pass_profile(const char *command, const char *path)
{
    const char *only = getenv(DARN_ONLY_VARIABLE);
    char absolute[PATH_MAX];
    int result;

    if (!path)
        path = getenv(DARN_PROFILE_VARIABLE);
    if (!path || !*path)
        return 0;
    if (only && *only)
        return darn_refuse(command,
                           "--profile=%s: with --only it is the repository that says what is "
                           "instrumented; give one of the two",
                           path);
    result = darn_absolute_path(path, absolute, sizeof(absolute));
    if (!result)
        result = darn_profile_bad_line(absolute);
    if (result < 0)
        return darn_refuse(command, "%s: %s", path, strerror(-result));
    if (result > 0)
        return darn_refuse(command, "%s:%d: this is no line of a profile", path, result);
    setenv(DARN_PROFILE_VARIABLE, absolute, 1);
    return 0;
}

/* What is wrong in the repository is said, and the rest is used. 0 or an exit status. */
static int check_repository(const char *command, const char *path)
{
    struct darn_sections sections = {0};
    uint32_t errors = 0;
    int status = darn_section_file_load(darn_speaker(command), path, &sections, &errors);

    if (!status && errors && !sections.count)
        status = darn_refuse(command, "%s: nothing of it can be used", path);
    darn_sections_free(&sections);
    return status;
}

/* Appends its absolute path to the list. 0 or an exit status. */
static int take_repository(const char *command, const char *path, char **list)
{
    char absolute[PATH_MAX], *longer;
    int result = darn_absolute_path(path, absolute, sizeof(absolute));

    if (!result && asprintf(&longer, "%s%s%s", *list ? *list : "", *list ? "," : "", absolute) < 0)
        result = -ENOMEM;
    if (result)
        return darn_refuse(command, "%s: %s", path, strerror(-result));
    free(*list);
    *list = longer;
    /* A file that is called "-" is not the standard input: the plugin could not read that. */
    return check_repository(command, strcmp(path, "-") == 0 ? absolute : path);
}

/* Hands the repositories, if there are any, to the plugin. 0 or an exit status. */
static int pass_repository(const char *command, const char *path)
{
    struct darn_words files = {0};
    char *list = NULL;
    int status = 0;

    if (!path)
        path = getenv(DARN_ONLY_VARIABLE);
    if (!path || !*path)
        return 0;
    darn_section_files(path, &files);
    for (size_t i = 0; i < files.count && !status; i++)
        status = take_repository(command, files.items[i], &list);
    if (!status)
        setenv(DARN_ONLY_VARIABLE, list, 1);
    darn_words_free(&files);
    free(list);
    return status;
}

/* Where the program will find the repository: not here, so nobody looks. 0 or an exit status. */
static int pass_place(const char *command, const char *path)
{
    const char *only = getenv(DARN_ONLY_VARIABLE);

    if (!path)
        path = getenv(DARN_HEAL_VARIABLE);
    if (!path || !*path)
        return 0;
    if (!only || !*only)
        return darn_refuse(command,
                           "--darn-heal=%s: give --only=FILE as well; other programs are healed "
                           "by 'darn heal'",
                           path);
    if (path[0] != '/')
        return darn_refuse(command,
                           "--darn-heal=%s: an absolute path is needed, for the program may be "
                           "started anywhere",
                           path);
    setenv(DARN_HEAL_VARIABLE, path, 1);
    return 0;
}

int darn_cc_pass_wishes(const char *command, bool no_warnings, const struct darn_cc_wishes *own)
{
    int status;

    if (own->functions)
        setenv(DARN_FUNCTIONS_VARIABLE, "1", 1);
    if (own->no_sections)
        setenv(DARN_SECTIONS_VARIABLE, "0", 1);
    if (own->no_warnings || no_warnings)
        setenv(DARN_WARNINGS_VARIABLE, "0", 1);
    if (own->stats)
        setenv(DARN_STATS_VARIABLE, "1", 1);
    status = pass_repository(command, own->only);
    if (!status)
        status = pass_place(command, own->heal);
    if (!status)
        status = pass_profile(command, own->profile);
    return status ? status : pass_ignorelist(command, own->ignorelist);
}
