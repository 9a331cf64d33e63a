#include "driver/hunt/hunt_directory.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "driver/process/claim.h"
#include "driver/play/kept.h"

#define DEFAULT "darn-out"

static int refuse_directory(const struct darn_hunt *hunt, const char *name, int error)
{
    return darn_tell_refusal(hunt->listener, "-o: %s: %s", name, strerror(error));
}

/* darn-out, or the first of darn-out-2, … that is not there. 0 or DARN_REFUSED. */
static int make_new(struct darn_hunt *hunt)
{
    static char name[32];

    for (unsigned number = 1;; number++) {
        if (number == 1)
            snprintf(name, sizeof(name), DEFAULT);
        else
            snprintf(name, sizeof(name), DEFAULT "-%u", number);
        if (mkdir(name, 0700) == 0)
            break;
        if (errno != EEXIST)
            return refuse_directory(hunt, name, errno);
    }
    hunt->name = name;
    return darn_claim_directory(hunt->listener, name);
}

static bool is_empty(const char *path)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;
    bool empty = true;

    while (directory && (entry = readdir(directory)))
        empty &= entry->d_name[0] == '.'; /* a draft that was left does not count, either */
    if (directory)
        closedir(directory);
    return empty;
}

static bool has_state(const char *path)
{
    char state[PATH_MAX + 16];

    snprintf(state, sizeof(state), "%s/state.json", path);
    return access(state, F_OK) == 0;
}

/* 0 or DARN_REFUSED. */
static int take_given(struct darn_hunt *hunt)
{
    const char *name = hunt->options.directory;
    size_t length = strlen(name);
    struct stat about;
    int status;

    hunt->name = name;
    if (length > 1 && name[length - 1] == '/') /* as shells complete it */
        hunt->name = strndup(name, length - 1);
    if (mkdir(name, 0700) && errno != EEXIST)
        return refuse_directory(hunt, name, errno);
    if (stat(name, &about) || !S_ISDIR(about.st_mode))
        return refuse_directory(hunt, name, ENOTDIR);
    if (access(name, W_OK | X_OK))
        return refuse_directory(hunt, name, errno);
    status = darn_claim_directory(hunt->listener, hunt->name);
    if (status)
        return status;
    hunt->resumed = has_state(name);
    if (!hunt->resumed && !is_empty(name))
        return darn_tell_refusal(hunt->listener,
                                 "-o: %s has other files in it; name a new directory, or one of a "
                                 "hunt",
                                 name);
    return 0;
}

/* The program of the earlier hunt. 0 or DARN_REFUSED. */
static int take_program(struct darn_hunt *hunt)
{
    json_t *words = json_object_get(hunt->index.state, "program"), *word;
    char **program = darn_need_zeroed(json_array_size(words) + 1, sizeof(*program));
    size_t i;

    json_array_foreach(words, i, word)
    {
        program[i] = json_is_string(word) ? strdup(json_string_value(word)) : NULL;
        if (!program[i])
            return darn_tell_refusal(hunt->listener, "%s/state.json does not name a program",
                                     hunt->name);
    }
    if (!i)
        return darn_tell_refusal(hunt->listener, "%s/state.json does not name a program",
                                 hunt->name);
    hunt->options.program = program;
    return 0;
}

static bool is_same_program(const struct darn_hunt *hunt)
{
    json_t *words = json_object_get(hunt->index.state, "program"), *word;
    char **program = hunt->options.program;
    size_t i;

    json_array_foreach(words, i, word)
    {
        if (!program[i] || !json_is_string(word) ||
            strcmp(program[i], json_string_value(word)) != 0)
            return false;
    }
    return !program[i];
}

static void take_text(struct darn_hunt *hunt, const char *key, const char **text)
{
    const char *known = json_string_value(json_object_get(hunt->index.state, key));

    if (known && !*text)
        *text = strdup(known); /* the state is written anew */
}

/* 0 or DARN_REFUSED. */
static int resume(struct darn_hunt *hunt)
{
    static char input[PATH_MAX + 16];

    if (!hunt->options.program) {
        int status = take_program(hunt);

        if (status)
            return status;
    } else if (!is_same_program(hunt)) {
        return darn_tell_refusal(hunt->listener,
                                 "%s is of another program, or of other arguments; name another "
                                 "directory",
                                 hunt->name);
    }
    take_text(hunt, "oracle", &hunt->options.oracle);
    take_text(hunt, "reset", &hunt->options.reset);
    snprintf(input, sizeof(input), "%s/input", hunt->directory);
    if (!hunt->options.input && access(input, R_OK) == 0)
        hunt->options.input = input;
    hunt->explored = (uint64_t)json_integer_value(json_object_get(hunt->index.state, "explored"));
    hunt->recorded = (uint64_t)json_integer_value(json_object_get(hunt->index.state, "learned"));
    hunt->runs = (uint64_t)json_integer_value(json_object_get(hunt->index.state, "runs"));
    return 0;
}

int darn_hunt_settle_down(struct darn_hunt *hunt)
{
    int status;

    if (!hunt->options.directory && !hunt->options.program)
        return darn_tell_refusal(hunt->listener,
                                 "no program; usage: darn hunt [options] -- PROGRAM [arguments]");
    status = hunt->options.directory ? take_given(hunt) : make_new(hunt);
    if (!status && !realpath(hunt->name, hunt->directory))
        status = refuse_directory(hunt, hunt->name, errno);
    if (!status)
        status = darn_index_open(&hunt->index, hunt->listener, hunt->directory);
    if (!status && hunt->resumed)
        status = resume(hunt);
    if (!status && !hunt->options.program)
        status = darn_tell_refusal(hunt->listener,
                                   "no program; usage: darn hunt [options] -- PROGRAM [arguments]");
    return status;
}

static void note_text(struct darn_hunt *hunt, const char *key, const char *text)
{
    if (text)
        json_object_set_new(hunt->index.state, key, json_string(text));
}

int darn_hunt_begin(struct darn_hunt *hunt, const char *path)
{
    static char input[PATH_MAX + 16];
    json_t *state = hunt->index.state, *program = json_array();
    const char *known = json_string_value(json_object_get(state, "build"));
    char build[32];
    int result;

    snprintf(build, sizeof(build), "%016" PRIx64, darn_player_build(path));
    if (known && strcmp(known, build) != 0) {
        json_decref(program);
        return darn_tell_refusal(hunt->listener,
                                 "%s is of another build of %s; name another directory", hunt->name,
                                 hunt->options.program[0]);
    }
    for (char **word = hunt->options.program; *word; word++)
        json_array_append_new(program, json_string(*word));
    json_object_set_new(state, "version", json_integer(1));
    json_object_set_new(state, "program", program);
    note_text(hunt, "build", build);
    note_text(hunt, "oracle", hunt->options.oracle);
    note_text(hunt, "reset", hunt->options.reset);
    snprintf(input, sizeof(input), "%s/input", hunt->directory);
    result = darn_index_write(&hunt->index); /* first: from now on it is the directory of a hunt */
    if (!result && hunt->exploration.input && strcmp(hunt->exploration.input, input) != 0)
        result = darn_kept_copy_input(hunt->directory, hunt->exploration.input);
    if (!result && hunt->exploration.input)
        hunt->exploration.input = input;
    return result ? refuse_directory(hunt, hunt->name, -result) : 0;
}
