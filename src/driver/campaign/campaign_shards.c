#include "driver/campaign/campaign_shards.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/grow.h"
#include "driver/campaign/campaign_transfer.h"
#include "driver/process/installation.h"
#include "driver/process/sh.h"
#include "report/shell.h"

#define PARALLEL   "parallel:"
#define MOST_SHARD 10000
#define TRIES      2 /* a shard that was lost is run again */

struct sharding {
    const struct darn_campaign *campaign;
    struct darn_listener *listener;
    struct darn_campaign_store *store;
    const struct darn_campaign_wanted *wanted;
    const struct darn_campaign_shards *shards;
    char database[PATH_MAX], directory[PATH_MAX], darn[PATH_MAX];
    int64_t generation; /* tells the shards of this call from those of earlier ones */
    uint64_t count;
};

bool darn_campaign_engine_is_known(const char *on)
{
    return strcmp(on, "local") == 0 || strcmp(on, "slurm") == 0 ||
           (strncmp(on, PARALLEL, strlen(PARALLEL)) == 0 && on[strlen(PARALLEL)]);
}

int darn_campaign_store_finish(struct darn_campaign_store *store)
{
    return sqlite3_exec(store->database, "INSERT OR IGNORE INTO meta VALUES('finished', '1')", NULL,
                        NULL, NULL) == SQLITE_OK
               ? 0
               : -EIO;
}

static bool is_finished(const char *path)
{
    struct darn_campaign_store store;
    bool finished = false;

    if (access(path, R_OK) == 0 &&
        darn_campaign_store_open(&store, NULL, path, DARN_CAMPAIGN_LOOK, NULL) == 0) {
        finished = darn_campaign_store_number(
            &store, "SELECT count(*) FROM meta WHERE name='finished'", NULL);
        darn_campaign_store_close(&store);
    }
    return finished;
}

static bool shard_path(const struct sharding *sharding, uint64_t shard, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s/shard-%lld-%llu.db", sharding->directory,
                    (long long)sharding->generation, (unsigned long long)shard) < PATH_MAX;
}

static void put_word(FILE *out, const char *word)
{
    struct darn_text_pool pool = {0};

    fputs(darn_shell_word(&pool, word), out);
    darn_pool_release(&pool);
}

/* The command of a shard, for a shell: `number` stands for which it is. */
static char *command_of(const struct sharding *sharding, const char *number)
{
    char *command = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&command, &size);

    if (sharding->shards->transfer) {
        fputs("mkdir -p ", out);
        put_word(out, sharding->directory);
        fputs(" && ", out);
    }
    put_word(out, sharding->darn);
    fputs(" campaign work ", out);
    put_word(out, sharding->campaign->path);
    if (sharding->wanted->seconds > 0)
        fprintf(out, " --seconds=%.3f", sharding->wanted->seconds);
    if (sharding->wanted->rounds)
        fprintf(out, " --rounds=%llu", (unsigned long long)sharding->wanted->rounds);
    fprintf(out, " --jobs=1 --seed=$((%llu+%s)) --shard=%s-%lld-%s -o ",
            (unsigned long long)(sharding->wanted->seed ? sharding->wanted->seed
                                                        : sharding->campaign->seed) +
                (unsigned long long)sharding->generation * MOST_SHARD,
            number, sharding->store->shard, (long long)sharding->generation, number);
    put_word(out, sharding->directory);
    fprintf(out, "/shard-%lld-%s.db", (long long)sharding->generation, number);
    fclose(out);
    return command;
}

/* 1,4,7: those that are not finished; NULL: all are. `separator` between them. */
static char *unfinished(const struct sharding *sharding, char separator)
{
    char *list = NULL, path[PATH_MAX];
    size_t size = 0;
    FILE *out = open_memstream(&list, &size);

    for (uint64_t i = 1; i <= sharding->count; i++)
        if (shard_path(sharding, i, path) && !is_finished(path))
            fprintf(out, "%s%llu", ftell(out) ? (char[]){separator, '\0'} : "",
                    (unsigned long long)i);
    fclose(out);
    if (*list)
        return list;
    free(list);
    return NULL;
}

/* What is brought to each host before its first shard, and what each shard brings back: its database
 * and what its hunts have left beside it. Our own database stays here. */
static void put_transfer(const struct sharding *sharding, FILE *out)
{
    struct darn_words paths = {0};
    char *options = NULL;
    size_t size = 0;
    FILE *quoted = open_memstream(&options, &size);

    fputs("-rlptDzR --exclude=", quoted); /* for a shell that GNU parallel calls */
    put_word(quoted, sharding->database);
    fputs("\\*", quoted);
    fclose(quoted);
    fputs(" --rsync-opts ", out);
    put_word(out, options);
    free(options);
    darn_campaign_transfer(sharding->campaign, sharding->shards->transferred, &paths);
    for (size_t i = 0; i < paths.count; i++) {
        fputs(" --basefile ", out);
        put_word(out, paths.items[i]);
    }
    darn_words_free(&paths);
    for (int i = 0; i < 2; i++) {
        fputs(" --return ", out);
        put_word(out, sharding->directory);
        fprintf(out, "/shard-%lld-{}.db%s", (long long)sharding->generation, i ? ".d" : "");
    }
}

/* The engine's command, for a shell. */
static char *engine_of(const struct sharding *sharding)
{
    bool is_slurm = strcmp(sharding->shards->on, "slurm") == 0;
    char *list = unfinished(sharding, is_slurm ? ',' : ' '), *engine = NULL, *command;
    size_t size = 0;
    FILE *out;

    if (!list)
        return NULL;
    out = open_memstream(&engine, &size);
    command = command_of(sharding, is_slurm ? "$SLURM_ARRAY_TASK_ID" : "{}");
    if (is_slurm) {
        fprintf(out, "sbatch --wait --quiet --array=%s --output=", list);
        put_word(out, sharding->directory);
        fprintf(out, "/slurm-%%A-%%a.log %s --wrap ",
                sharding->shards->slurm_options ? sharding->shards->slurm_options : "");
        put_word(out, command);
    } else {
        fputs("parallel --will-cite --sshlogin ", out);
        put_word(out, sharding->shards->on + strlen(PARALLEL));
        fprintf(out, " --jobs %llu ", (unsigned long long)sharding->shards->count);
        if (sharding->shards->transfer)
            put_transfer(sharding, out);
        fputc(' ', out);
        put_word(out, command);
        fprintf(out, " ::: %s", list);
    }
    fclose(out);
    free(command);
    free(list);
    return engine;
}

/* How many hosts GNU parallel is given: a list with commas. */
static uint64_t count_hosts(const char *on)
{
    uint64_t hosts = 1;

    for (; *on; on++)
        hosts += *on == ',';
    return hosts;
}

static int begin(struct sharding *sharding)
{
    const char *on = sharding->shards->on;
    bool is_slurm = strcmp(on, "slurm") == 0;
    char found[PATH_MAX];

    if (darn_find_program(is_slurm ? "sbatch" : "parallel", found, sizeof(found)))
        return darn_tell_refusal(sharding->listener, "--on=%s: %s is not installed (%s)", on,
                                 is_slurm ? "sbatch" : "parallel",
                                 is_slurm ? "apt-get install slurm-wlm"
                                          : "apt-get install parallel");
    if (sharding->shards->transfer && darn_find_program("rsync", found, sizeof(found)))
        return darn_tell_refusal(sharding->listener,
                                 "--transfer: rsync is not installed (apt-get install rsync)");
    if (darn_own_path(sharding->darn, sizeof(sharding->darn)) ||
        darn_absolute_path(sharding->store->path, sharding->database,
                           sizeof(sharding->database)) ||
        snprintf(sharding->directory, sizeof(sharding->directory), "%s.d", sharding->database) >=
            (int)sizeof(sharding->directory))
        return darn_tell_refusal(sharding->listener, "%s: the path is too long",
                                 sharding->store->path);
    if (mkdir(sharding->directory, 0777) && errno != EEXIST)
        return darn_tell_refusal(sharding->listener, "%s: %s", sharding->directory,
                                 strerror(errno));
    sharding->count = is_slurm ? sharding->shards->count
                               : sharding->shards->count * count_hosts(on + strlen(PARALLEL));
    sharding->generation = (int64_t)darn_campaign_store_number(
        sharding->store, "SELECT coalesce(max(value+0), 0) FROM meta WHERE name='generation'",
        NULL);
    return sqlite3_exec(sharding->store->database,
                        "INSERT INTO meta VALUES('generation', '1') ON CONFLICT(name) DO UPDATE"
                        " SET value=value+1",
                        NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : darn_tell_refusal(sharding->listener, "%s: it cannot be written",
                                   sharding->store->path);
}

static int run_engine(struct sharding *sharding, const char *engine)
{
    struct darn_sh sh = {.command = engine, .input = -1};
    int status = darn_sh(&sh);

    if (status < 0)
        return darn_tell_refusal(sharding->listener, "--on=%s: %s", sharding->shards->on,
                                 strerror(-status));
    return 0;
}

/* One that cannot be read is refused by name, and the others are merged nevertheless. */
static int merge_all(struct sharding *sharding)
{
    char path[PATH_MAX];
    int result = 0;

    for (uint64_t i = 1; i <= sharding->count; i++) {
        if (!shard_path(sharding, i, path))
            continue;
        if (!is_finished(path))
            darn_tell_loss(sharding->listener, "shard %llu was lost, twice", (unsigned long long)i);
        if (access(path, R_OK) == 0 && darn_campaign_store_merge(sharding->store, path))
            result = DARN_REFUSED;
    }
    return result;
}

int darn_campaign_shards_run(const struct darn_campaign *campaign, struct darn_listener *listener,
                             struct darn_campaign_store *store,
                             const struct darn_campaign_wanted *wanted,
                             const struct darn_campaign_shards *shards,
                             struct darn_campaign_result *result)
{
    struct sharding sharding = {.campaign = campaign,
                                .listener = listener,
                                .store = store,
                                .wanted = wanted,
                                .shards = shards};
    static const char rounds[] = "SELECT count(*) FROM rounds",
                      findings[] = "SELECT count(*) FROM findings",
                      facts[] = "SELECT count(*) FROM (SELECT DISTINCT kind, first, second FROM "
                                "coverage)";
    double before[3] = {darn_campaign_store_number(store, rounds, NULL),
                        darn_campaign_store_number(store, findings, NULL),
                        darn_campaign_store_number(store, facts, NULL)};
    int refused = begin(&sharding);
    char *engine;

    for (int i = 0; !refused && i < TRIES && (engine = engine_of(&sharding)); i++) {
        refused = run_engine(&sharding, engine);
        free(engine);
    }
    if (!refused)
        refused = merge_all(&sharding);
    *result = (struct darn_campaign_result){
        .rounds = (uint64_t)(darn_campaign_store_number(store, rounds, NULL) - before[0]),
        .findings_new = (int64_t)(darn_campaign_store_number(store, findings, NULL) - before[1]),
        .coverage_new = (int64_t)(darn_campaign_store_number(store, facts, NULL) - before[2]),
    };
    return refused;
}
