#include "driver/campaign/campaign_run.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/grow.h"
#include "driver/campaign/campaign_task.h"
#include "driver/process/interrupt.h"
#include "driver/process/signal_guard.h"
#include "driver/process/wall_clock.h"

#define MOST_JOBS  256
#define REMEMBERED 5000 /* earlier rounds that the search hears of */
#define DISK_TRIES 30   /* times a second, until there is room again */
#define TICK_US    2000
#define PROGRESS_S 1.0

static atomic_int interrupted;

struct campaign {
    struct darn_campaign *file;
    struct darn_listener *listener;
    struct darn_campaign_store *store;
    const struct darn_campaign_wanted *wanted;
    struct darn_campaign_result *result;
    struct darn_campaign_place place;
    struct darn_campaign_chooser chooser;
    struct darn_campaign_task tasks[MOST_JOBS];
    struct darn_campaign_end *ends; /* of these: memory that is shared with who watches over them */
    uint64_t started;               /* rounds */
    unsigned under_way;
    double begin, shown;
    bool *told_of; /* tests whose hang or failure to start was told */
    int error;
};

static void interrupt(int number)
{
    if (darn_guard_asked())
        atomic_store(&interrupted, number);
}

static double time_left(const struct campaign *campaign)
{
    return campaign->wanted->seconds ? campaign->wanted->seconds - (darn_clock() - campaign->begin)
                                     : INFINITY;
}

static bool may_start(const struct campaign *campaign)
{
    return !campaign->error && !atomic_load(&interrupted) && time_left(campaign) > 0 &&
           (!campaign->wanted->rounds || campaign->started < campaign->wanted->rounds);
}

static void start_one(struct campaign *campaign, unsigned slot)
{
    struct darn_campaign_task *task = &campaign->tasks[slot];
    int result;

    if (!darn_campaign_choose(&campaign->chooser, &task->choice))
        return;
    campaign->started++;
    campaign->under_way++;
    result =
        darn_campaign_task_start(&campaign->place, task, slot,
                                 campaign->store->round + (int64_t)campaign->under_way, UINT32_MAX);
    if (!result)
        return;
    campaign->under_way--;
    darn_campaign_dropped(&campaign->chooser, &task->choice);
    darn_campaign_task_end(task, false);
    campaign->error = darn_tell_refusal(campaign->listener, "%s: a round cannot be started: %s",
                                        campaign->place.directory, strerror(-result));
}

/* A test that fails under noise is a finding; all else that went wrong is told once of a test: one
 * that hangs would be told of each time. */
static void tell_trouble(struct campaign *campaign, unsigned test,
                         const struct darn_campaign_round *round)
{
    bool is_finding = strcmp(round->outcome, "failed") == 0 && strcmp(round->mode, "plain") != 0;
    bool is_usual = (is_finding && round->detail && strncmp(round->detail, "exit", 4) == 0) ||
                    (strcmp(round->outcome, "passed") == 0 && !round->detail);

    if (is_usual || campaign->told_of[test])
        return;
    campaign->told_of[test] = true;
    darn_tell_note(campaign->listener, "%s (%s): %s: %s", round->test, round->mode, round->outcome,
                   round->detail ? round->detail : "");
}

static void tell_findings(struct campaign *campaign, const struct darn_campaign_round *round)
{
    for (size_t i = 0; !campaign->wanted->quiet && i < round->finding_count; i++)
        if (round->findings[i].is_new)
            darn_tell_note(campaign->listener, "%s (%s): new: %s [%s, %s]", round->test,
                           round->mode, round->findings[i].title, round->findings[i].kind,
                           round->findings[i].certainty);
}

/* A test has filled the disk, perhaps; what it has left is gone by now. */
static int store_round(struct campaign *campaign, struct darn_campaign_round *round)
{
    int result = darn_campaign_store_round(campaign->store, round);

    for (int i = 0; result == -ENOSPC && i < DISK_TRIES && !atomic_load(&interrupted); i++) {
        if (!i)
            darn_tell_warning(campaign->listener, "%s: the disk is full; waiting for room",
                              campaign->store->path);
        sleep(1);
        result = darn_campaign_store_round(campaign->store, round);
    }
    return result;
}

static enum darn_campaign_verdict verdict_of(const struct darn_campaign_round *round)
{
    return strcmp(round->outcome, "passed") == 0  ? DARN_CAMPAIGN_PASSED
           : strcmp(round->outcome, "unfit") == 0 ? DARN_CAMPAIGN_UNFIT
                                                  : DARN_CAMPAIGN_FAILED;
}

/* A round is over, and becomes a part of the campaign. */
static void end_one(struct campaign *campaign, struct darn_campaign_task *task)
{
    struct darn_campaign_harvest harvest = {0};
    struct darn_campaign_round round;
    const unsigned test = task->choice.test;
    char detail[1024];
    int result;

    darn_campaign_task_read(&campaign->place, task,
                            darn_campaign_is_flaky(&campaign->chooser, test), &harvest, &round,
                            detail, sizeof(detail));
    darn_campaign_remove(task->directory); /* first: its files may be all that fills the disk */
    result = store_round(campaign, &round);
    if (result)
        campaign->error = darn_tell_refusal(campaign->listener, "%s: the round cannot be kept: %s",
                                            campaign->store->path, strerror(-result));
    else
        campaign->result->rounds++;
    campaign->result->coverage_new += round.coverage_new;
    campaign->result->findings_new += round.findings_new;
    darn_campaign_told(&campaign->chooser, &task->choice, verdict_of(&round),
                       darn_campaign_gain(round.coverage_new, round.findings_new, round.seconds),
                       round.seconds);
    for (size_t i = 0; i < harvest.count; i++)
        if (harvest.findings[i].is_new)
            darn_campaign_aim_at(&campaign->chooser, test, harvest.findings[i].json);
    tell_trouble(campaign, test, &round);
    tell_findings(campaign, &round);
    darn_campaign_harvest_free(&harvest);
    darn_campaign_task_end(task, round.findings_new > 0);
}

static void reap(struct campaign *campaign, bool keep)
{
    pid_t pid;

    while (campaign->under_way && (pid = waitpid(-1, NULL, WNOHANG)) > 0)
        for (unsigned i = 0; i < campaign->wanted->jobs; i++) {
            struct darn_campaign_task *task = &campaign->tasks[i];

            if (task->pid != pid)
                continue;
            campaign->under_way--;
            if (keep) {
                end_one(campaign, task);
            } else {
                darn_campaign_dropped(&campaign->chooser, &task->choice);
                darn_campaign_task_end(task, true);
            }
        }
}

static void show_progress(struct campaign *campaign)
{
    double now = darn_clock(), left = time_left(campaign);
    char time[64] = "";

    if (now - campaign->shown < PROGRESS_S)
        return;
    campaign->shown = now;
    if (isfinite(left))
        snprintf(time, sizeof(time), ", %.0f:%02.0f left", floor(left / 60),
                 fmod(left > 0 ? left : 0, 60));
    darn_tell_progress(
        campaign->listener,
        "%llu rounds (%.1f per second), coverage %zu (%lld new), %lld new findings%s",
        (unsigned long long)campaign->result->rounds,
        (double)campaign->result->rounds / (now - campaign->begin), campaign->store->facts.count,
        (long long)campaign->result->coverage_new, (long long)campaign->result->findings_new, time);
}

/* What is still under way is broken off, and counts for nothing. */
static void break_off(struct campaign *campaign)
{
    for (unsigned i = 0; i < campaign->wanted->jobs; i++)
        if (campaign->tasks[i].pid > 0)
            kill(campaign->tasks[i].pid, SIGTERM);
    while (campaign->under_way) {
        reap(campaign, false);
        usleep(TICK_US);
    }
}

static void fill_slots(struct campaign *campaign)
{
    for (unsigned i = 0; i < campaign->wanted->jobs && may_start(campaign); i++)
        if (campaign->tasks[i].pid <= 0)
            start_one(campaign, i);
}

static void loop(struct campaign *campaign)
{
    for (;;) {
        fill_slots(campaign);
        if (!campaign->under_way) /* it is over, or nothing is left that can be run */
            break;
        usleep(TICK_US);
        reap(campaign, true);
        show_progress(campaign);
        if (atomic_load(&interrupted) || time_left(campaign) <= 0 || campaign->error)
            break_off(campaign);
    }
    darn_tell_progress(campaign->listener, "%s", "");
    if (may_start(campaign))
        darn_tell_note(campaign->listener, "no test is left that can be run in any of its modes");
}

static void remember(void *context, const struct darn_campaign_past *past)
{
    darn_campaign_remember(&((struct campaign *)context)->chooser, past);
}

static void aim_at(void *context, const struct darn_campaign_known *known)
{
    struct campaign *campaign = context;

    for (unsigned i = 0; i < campaign->file->count; i++)
        if (strcmp(campaign->file->tests[i].name, known->test) == 0)
            darn_campaign_aim_at(&campaign->chooser, i, known->json);
}

/* Seeds go on where an earlier call has ended: it would repeat what is known otherwise. */
static int begin(struct campaign *campaign)
{
    struct darn_campaign_end *ends = mmap(NULL, MOST_JOBS * sizeof(*ends), PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int result;

    if (campaign->wanted->seed)
        campaign->file->seed = campaign->wanted->seed;
    darn_campaign_chooser_init(&campaign->chooser, campaign->file);
    if (ends == MAP_FAILED)
        return darn_tell_refusal(campaign->listener, "there is no memory");
    campaign->ends = ends;
    for (int i = 0; i < MOST_JOBS; i++)
        campaign->tasks[i].end = &ends[i];
    campaign->chooser.random ^= (uint64_t)campaign->store->round << 20;
    result = darn_campaign_store_past(campaign->store, REMEMBERED, remember, campaign);
    if (!result)
        result = darn_campaign_store_findings(campaign->store, aim_at, campaign);
    if (!result && !campaign->chooser.arm_count)
        result = darn_tell_refusal(campaign->listener, "%s: no test can be run in any of its modes",
                                   campaign->file->path);
    return result;
}

int darn_campaign_run(struct darn_campaign *file, struct darn_listener *listener,
                      struct darn_campaign_store *store, const struct darn_campaign_wanted *wanted,
                      struct darn_campaign_result *result)
{
    static struct campaign campaign;
    int refused;

    *result = (struct darn_campaign_result){0};
    campaign = (struct campaign){.file = file,
                                 .listener = listener,
                                 .store = store,
                                 .wanted = wanted,
                                 .result = result,
                                 .begin = darn_clock()};
    campaign.told_of = darn_need_zeroed(file->count, sizeof(bool));
    refused = darn_campaign_place_open(&campaign.place, listener, file, store->path);
    if (!refused) {
        refused = begin(&campaign);
        darn_catch_interrupts(interrupt);
        if (!refused)
            loop(&campaign);
        darn_campaign_chooser_free(&campaign.chooser);
        darn_campaign_calls_free(&campaign.place.calls);
        if (campaign.ends)
            munmap(campaign.ends, MOST_JOBS * sizeof(*campaign.ends));
    }
    result->signal = atomic_load(&interrupted);
    free(campaign.told_of);
    return refused ? refused : campaign.error;
}
