#include "driver/explore/explore_keep.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/process/claim.h"
#include "driver/play/kept.h"

static void tell_story(struct darn_explore_text *to, struct darn_player *player,
                       const struct darn_schedule *schedule)
{
    FILE *out = open_memstream(&to->text, &to->length);

    if (!out)
        return;
    darn_kept_tell(player, schedule, NULL, out);
    fclose(out);
}

/* Of what was told. */
static void copy_steps(struct darn_explore_text *to, const struct darn_player *player)
{
    FILE *out = open_memstream(&to->text, &to->length);

    if (!out)
        return;
    darn_snapshot_story_json(&player->snapshot, out);
    fclose(out);
}

static void copy_output(struct darn_explore_text *to, struct darn_player *player)
{
    const char *output = darn_server_output(player->server, &to->length);

    to->text = malloc(to->length + 1);
    if (to->text)
        memcpy(to->text, output, to->length);
    else
        to->length = 0;
}

void darn_explore_take(struct darn_explore_snapshot *snapshot,
                       const struct darn_exploration *exploration, struct darn_player *player)
{
    if (snapshot->taken)
        return;
    snapshot->taken = true;
    snapshot->judged = player->judged;
    snapshot->schedule = darn_player_take(player);
    tell_story(&snapshot->story, player, snapshot->schedule);
    if (!exploration->options->directory)
        return;
    copy_output(&snapshot->log, player);
    copy_steps(&snapshot->steps, player);
}

void darn_explore_snapshot_free(struct darn_explore_snapshot *snapshot)
{
    darn_schedule_free(snapshot->schedule);
    free(snapshot->story.text);
    free(snapshot->log.text);
    free(snapshot->steps.text);
}

/* The directory and those above it. 0 or a negative errno. */
static int make_directories(const char *path)
{
    char part[PATH_MAX];

    for (const char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        size_t length = slash ? (size_t)(slash - path) : strlen(path);

        if (length >= sizeof(part))
            return -ENAMETOOLONG;
        memcpy(part, path, length);
        part[length] = '\0';
        if (mkdir(part, 0700) && errno != EEXIST)
            return -errno;
        if (!slash)
            return 0;
    }
}

int darn_explore_keep_check(struct darn_listener *listener, const char *directory)
{
    int result = make_directories(directory);
    struct stat about;

    if (!result && (stat(directory, &about) || !S_ISDIR(about.st_mode)))
        result = -ENOTDIR;
    if (!result && access(directory, W_OK | X_OK))
        result = -errno;
    return result ? darn_tell_refusal(listener, "-o: %s: %s", directory, strerror(-result))
                  : darn_claim_directory(listener, directory);
}

static int write_finding(const char *directory, const struct darn_finding *finding,
                         const struct darn_exploration *exploration)
{
    json_t *object =
        darn_kept_object(finding, &exploration->players[0].judge, exploration->options->reset);
    int result = darn_kept_write_object(directory, object);

    json_decref(object);
    return result;
}

/* The schedule comes last: where there is one, all the rest is there. */
static int write_all(const struct darn_explore_snapshot *snapshot, const char *directory,
                     const struct darn_exploration *exploration, const struct darn_finding *finding)
{
    int result =
        darn_kept_write(directory, "story.txt", snapshot->story.text, snapshot->story.length);

    if (!result)
        result =
            darn_kept_write(directory, "story.json", snapshot->steps.text, snapshot->steps.length);
    if (!result)
        result = darn_kept_write(directory, "log", snapshot->log.text, snapshot->log.length);
    if (!result)
        result = write_finding(directory, finding, exploration);
    if (!result && exploration->input)
        result = darn_kept_copy_input(directory, exploration->input);
    if (!result)
        result = snapshot->schedule
                     ? darn_kept_write_schedule(directory, "schedule", snapshot->schedule)
                     : -ENOMEM;
    return result;
}

void darn_explore_keep(const struct darn_explore_snapshot *snapshot,
                       struct darn_exploration *exploration, struct darn_finding *finding)
{
    char path[PATH_MAX];
    int result;

    if (!exploration->options->directory)
        return;
    result = darn_kept_make(exploration->options->directory, &exploration->next_kept, path,
                            sizeof(path));
    if (!result) {
        finding->schedule = darn_pool_format(&finding->pool, "%s/schedule", path);
        result = write_all(snapshot, path, exploration, finding);
    }
    if (result) {
        darn_tell_loss(exploration->listener, "the schedule cannot be kept in %s: %s", path,
                       strerror(-result));
        finding->schedule = NULL; /* there is nothing to replay */
    }
}
