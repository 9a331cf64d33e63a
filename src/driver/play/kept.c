#include "driver/play/kept.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/draft.h"
#include "base/grow.h"
#include "report/json_tree.h"
#include "driver/process/listener.h"
#include "report/report_format.h"

#define STORY_LINES 17 /* and a heading, and how it ends: under 25, with the report a screen */

static bool is_directory(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Paths that stay right when the directory is changed. 0 or DARN_REFUSED. */
static int find_paths(struct darn_kept *kept, struct darn_listener *listener, const char *name)
{
    char path[PATH_MAX + 16], *slash;

    snprintf(path, sizeof(path), "%s%s", name, is_directory(name) ? "/schedule" : "");
    if (!realpath(path, kept->path)) {
        if (errno == ENOENT && is_directory(name))
            return darn_tell_refusal(
                listener, "%s has no schedule; the findings of a hunt have numbers: %s/1", name,
                name);
        return darn_tell_refusal(listener, "%s: %s", name, strerror(errno));
    }
    snprintf(kept->directory, sizeof(kept->directory), "%s", kept->path);
    slash = strrchr(kept->directory, '/');
    slash[slash == kept->directory] = '\0';
    return 0;
}

/* 0 or DARN_REFUSED. */
static int read_schedule(struct darn_kept *kept, struct darn_listener *listener)
{
    FILE *file = fopen(kept->path, "r");
    char error[512];

    if (!file)
        return darn_tell_refusal(listener, "%s: %s", kept->path, strerror(errno));
    kept->schedule = darn_schedule_read(file, error, sizeof(error));
    fclose(file);
    if (!kept->schedule)
        return darn_tell_refusal(listener, "%s: %s", kept->path, error);
    if (!kept->schedule->program || !kept->schedule->arguments || !kept->schedule->arguments[0])
        return darn_tell_refusal(listener, "%s does not say which program it is of", kept->path);
    return 0;
}

static char *copy_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? strdup(text) : NULL;
}

/* What tells a good run from a bad one, besides how it ends. */
static void read_check(struct darn_kept *kept, const json_t *check)
{
    const char *hash = json_string_value(json_object_get(check, "output"));

    kept->oracle = copy_text(check, "oracle");
    kept->reset = copy_text(check, "reset");
    kept->with = copy_text(check, "with");
    kept->stop = (uint32_t)json_integer_value(json_object_get(check, "stop"));
    kept->compare = hash != NULL;
    kept->hash = hash ? strtoull(hash, NULL, 16) : 0;
}

json_t *darn_kept_finding(const struct darn_kept *kept)
{
    char path[PATH_MAX + 16];

    snprintf(path, sizeof(path), "%s/finding.json", kept->directory);
    return json_load_file(path, 0, NULL);
}

/* Without finding.json, a schedule that looks for races shows any, and another one ends as it says.
 */
static void read_symptom(struct darn_kept *kept)
{
    const char *ending = kept->schedule->ending, *id = NULL, *kind = NULL;
    json_t *finding = darn_kept_finding(kept);

    kept->symptom = (struct darn_symptom){.kind = darn_verdict_named(ending ? ending : "ok")};
    kept->symptom.met = kept->schedule->run_flags & DARN_RUN_RACES;
    if (finding && json_unpack(finding, "{s:s, s:s}", "id", &id, "kind", &kind) == 0) {
        snprintf(kept->symptom.id, sizeof(kept->symptom.id), "%s", id);
        kept->symptom.met =
            strcmp(kind, "data-race") == 0 || strcmp(kind, "atomicity-violation") == 0;
        read_check(kept, json_object_get(finding, "check"));
    }
    json_decref(finding);
}

/* The name under which it was started, as long as that is still the same file. */
static bool is_same_file(const char *name, const char *path)
{
    struct stat one, other;

    return strchr(name, '/') && stat(name, &one) == 0 && stat(path, &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* The program stays the same when the schedule is replaced. */
static void make_program(struct darn_kept *kept)
{
    size_t count = 0;

    while (kept->schedule->arguments[count])
        count++;
    kept->program = darn_need_zeroed(count + 1, sizeof(*kept->program));
    for (size_t i = 0; i < count; i++)
        kept->program[i] = darn_need_memory(strdup(kept->schedule->arguments[i]));
}

int darn_kept_open(struct darn_kept *kept, struct darn_listener *listener, const char *name)
{
    int status;

    memset(kept, 0, sizeof(*kept));
    status = find_paths(kept, listener, name);
    if (!status)
        status = read_schedule(kept, listener);
    if (!status) {
        make_program(kept);
        read_symptom(kept);
    }
    if (!status && kept->schedule->input &&
        (size_t)snprintf(kept->input, sizeof(kept->input), "%s/%s", kept->directory,
                         kept->schedule->input) >= sizeof(kept->input))
        status = darn_tell_refusal(listener, "%s: %s", kept->path, strerror(ENAMETOOLONG));
    if (!status && *kept->input && access(kept->input, R_OK))
        status = darn_tell_refusal(listener, "%s, the input of the run, cannot be read: %s",
                                   kept->input, strerror(errno));
    if (status)
        darn_kept_close(kept);
    return status;
}

void darn_kept_close(struct darn_kept *kept)
{
    darn_schedule_free(kept->schedule);
    for (char **word = kept->program; word && *word; word++)
        free(*word);
    free(kept->program);
    free(kept->oracle);
    free(kept->reset);
    free(kept->with);
    kept->schedule = NULL;
    kept->program = NULL;
    kept->oracle = kept->reset = kept->with = NULL;
}

int darn_kept_take_program(struct darn_kept *kept, struct darn_listener *listener,
                           const char *program)
{
    char *path = realpath(program, NULL);

    if (!path)
        return darn_tell_refusal(listener, "%s: %s", program, strerror(errno));
    free(kept->schedule->program);
    kept->schedule->program = path;
    kept->schedule->build = 0; /* it is another one */
    return 0;
}

int darn_kept_start(const struct darn_kept *kept, struct darn_listener *listener,
                    struct darn_player *player, struct darn_server_options *options)
{
    const struct darn_schedule *schedule = kept->schedule;
    int status;

    if (schedule->directory && chdir(schedule->directory))
        darn_tell_warning(listener, "the program ran in %s, which cannot be entered: %s",
                          schedule->directory, strerror(errno));
    for (char *const *at = schedule->environment; at && *at; at++)
        putenv(strdup(*at)); /* the environment keeps it */
    if (!is_same_file(kept->program[0], schedule->program)) {
        free(kept->program[0]);
        kept->program[0] = strdup(schedule->program);
    }
    options->listener = listener;
    options->program = kept->program;
    options->input = *kept->input ? kept->input : NULL;
    options->reset = kept->reset;
    options->with = kept->with;
    options->stop = (int)kept->stop;
    status = darn_player_start(player, options);
    player->judge.oracle = kept->oracle;
    player->judge.compare = kept->compare;
    player->judge.hash = kept->hash;
    if (!status && schedule->build && player->build != schedule->build)
        darn_tell_warning(listener, "%s has changed since the schedule was made: it may not fit",
                          schedule->program);
    return status;
}

/* Of a file that is there as a whole or not at all: it shows what the program was given. */
static int open_draft(struct darn_draft *draft, const char *directory, const char *name)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return darn_draft_open(draft, path, true);
}

/* The schedule comes last; a directory with anything else in it is somebody else's. */
static bool is_unfinished(const char *path)
{
    static const char *const ours[] = {"finding.json", "report.txt", "story.txt",
                                       "story.json",   "log",        "input"};
    DIR *directory = opendir(path);
    const struct dirent *entry;
    bool unfinished = directory != NULL;

    while (unfinished && (entry = readdir(directory))) {
        bool is_ours = entry->d_name[0] == '.'; /* a draft */

        for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
            is_ours |= strcmp(entry->d_name, ours[i]) == 0;
        unfinished = is_ours;
    }
    if (directory)
        closedir(directory);
    return unfinished;
}

int darn_kept_make(const char *in, uint32_t *number, char *path, size_t size)
{
    do
        if ((size_t)snprintf(path, size, "%s/%" PRIu32, in, ++*number) >= size)
            return -ENAMETOOLONG;
    while (mkdir(path, 0700) && errno == EEXIST && !is_unfinished(path));
    return access(path, W_OK | X_OK) ? -errno : 0;
}

int darn_kept_write_schedule(const char *directory, const char *name,
                             const struct darn_schedule *schedule)
{
    struct darn_draft draft;
    int result = open_draft(&draft, directory, name);

    return result ? result : darn_draft_finish(&draft, darn_schedule_write(schedule, draft.file));
}

void darn_kept_tell(struct darn_player *player, const struct darn_schedule *schedule,
                    const char *met, FILE *out)
{
    uint64_t step;

    player->snapshot.told = schedule ? schedule->step_count : 0;
    if (met && darn_player_meets(player, met, &step) && step && step < player->snapshot.told)
        player->snapshot.told = step;
    player->snapshot.essential = schedule ? schedule->essential : 0;
    player->snapshot.instead = schedule ? schedule->instead : 0;
    player->snapshot.ending = player->judged.text;
    darn_snapshot_story(&player->snapshot, out, STORY_LINES);
}

int darn_kept_write_story(const char *directory, struct darn_player *player,
                          const struct darn_schedule *schedule, const char *met)
{
    struct darn_draft draft;
    int result = open_draft(&draft, directory, "story.txt");

    if (result)
        return result;
    darn_kept_tell(player, schedule, met, draft.file);
    result = darn_draft_finish(&draft, 0);
    if (!result)
        result = open_draft(&draft, directory, "story.json");
    if (result)
        return result;
    darn_snapshot_story_json(&player->snapshot, draft.file);
    return darn_draft_finish(&draft, 0);
}

int darn_kept_write(const char *directory, const char *name, const char *text, size_t length)
{
    struct darn_draft draft;
    int result = open_draft(&draft, directory, name);

    if (result)
        return result;
    fwrite(text, 1, length, draft.file);
    return darn_draft_finish(&draft, 0);
}

int darn_kept_write_log(const char *directory, struct darn_player *player)
{
    size_t length = 0;
    const char *output = darn_server_output(player->server, &length);

    return darn_kept_write(directory, "log", output, length);
}

static json_t *check_object(const struct darn_judge *judge, const char *reset)
{
    json_t *check = json_object();
    char hash[32];

    if (judge->oracle)
        json_object_set_new(check, "oracle", json_string(judge->oracle));
    if (reset)
        json_object_set_new(check, "reset", json_string(reset));
    if (judge->with) {
        json_object_set_new(check, "with", json_string(judge->with));
        json_object_set_new(check, "stop", json_integer(judge->stop));
    }
    if (judge->compare) {
        snprintf(hash, sizeof(hash), "0x%016" PRIx64, judge->hash);
        json_object_set_new(check, "output", json_string(hash));
    }
    return check;
}

json_t *darn_kept_object(const struct darn_finding *finding, const struct darn_judge *judge,
                         const char *reset)
{
    static const struct darn_style plain;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    json_t *object = NULL;

    if (out) {
        darn_format_find("json")->finding(out, finding, &plain);
        fclose(out);
        object = json_loadb(text, length, 0, NULL);
    }
    free(text);
    if (!object)
        object = json_object();
    json_object_set_new(object, "check", check_object(judge, reset));
    return object;
}

int darn_kept_write_object(const char *directory, const json_t *object)
{
    struct darn_json json;
    int result;

    darn_json_start_growing(&json);
    darn_json_tree(&json, object);
    result = darn_kept_write(directory, "finding.json", json.text.to, json.text.used);
    darn_json_release(&json);
    return result;
}

int darn_kept_copy_input(const char *directory, const char *input)
{
    struct darn_draft draft;
    int result = open_draft(&draft, directory, "input");
    FILE *from = fopen(input, "re");
    char piece[65536];
    size_t got;

    if (result) {
        if (from)
            fclose(from);
        return result;
    }
    if (!from)
        return darn_draft_finish(&draft, -errno);
    while ((got = fread(piece, 1, sizeof(piece), from)) > 0)
        fwrite(piece, 1, got, draft.file);
    result = ferror(from) ? -EIO : 0;
    fclose(from);
    return darn_draft_finish(&draft, result);
}

int darn_kept_keep_full(const char *directory)
{
    char path[PATH_MAX + 16], full[PATH_MAX + 16];

    snprintf(path, sizeof(path), "%s/schedule", directory);
    snprintf(full, sizeof(full), "%s/schedule.full", directory);
    return link(path, full) && errno != EEXIST ? -errno : 0;
}
