#include "driver/campaign/campaign_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/random.h"

/* A finding is worth as much as so many facts of coverage: programs have hundreds of these, and a
 * bug or two. */
#define WORTH_OF_FINDING 20

/* No round is faster: starting a program takes that long, and luck in it should not count. */
#define LEAST_SECONDS 0.02

#define MOST_AIMS 256 /* of each kind and test */

static bool is_possible(const struct darn_campaign_test *test, int mode)
{
    return test->modes & 1U << mode && (mode == DARN_CAMPAIGN_RUN || test->compiled);
}

static void add_arm(struct darn_campaign_chooser *chooser, unsigned test,
                    enum darn_campaign_mode mode)
{
    struct darn_campaign_arm *arm = &chooser->arms[chooser->arm_count++];

    arm->test = test;
    arm->mode = mode;
    darn_campaign_space(&arm->space, chooser->campaign, &chooser->campaign->tests[test], mode);
    arm->tuner = darn_tuner_new(chooser->campaign->search, &arm->space.tuning,
                                chooser->campaign->seed * 1000003 + chooser->arm_count);
}

/* All runs come first, then all hunts: an hour should not begin with one test alone. */
void darn_campaign_chooser_init(struct darn_campaign_chooser *chooser,
                                const struct darn_campaign *campaign)
{
    struct darn_tuning_space arms = {.count = 1};
    bool adapts = campaign->search != DARN_TUNER_FIXED && campaign->search != DARN_TUNER_RANDOM;

    *chooser = (struct darn_campaign_chooser){.campaign = campaign, .random = campaign->seed};
    chooser->arms =
        darn_need_zeroed((size_t)campaign->count * DARN_CAMPAIGN_PLAIN, sizeof(*chooser->arms));
    chooser->tests = darn_need_zeroed(campaign->count, sizeof(*chooser->tests));
    for (int mode = 0; mode < DARN_CAMPAIGN_PLAIN; mode++)
        for (unsigned i = 0; i < campaign->count; i++)
            if (is_possible(&campaign->tests[i], mode))
                add_arm(chooser, i, (enum darn_campaign_mode)mode);
    for (unsigned i = 0; i < campaign->count; i++)
        chooser->tests[i].plain_wanted = DARN_CAMPAIGN_PLAIN_RUNS;
    arms.parameters[0].count = chooser->arm_count ? chooser->arm_count : 1;
    chooser->outer =
        darn_tuner_new(adapts ? DARN_TUNER_BANDIT : DARN_TUNER_RANDOM, &arms, campaign->seed);
}

void darn_campaign_chooser_free(struct darn_campaign_chooser *chooser)
{
    for (unsigned i = 0; i < chooser->arm_count; i++)
        darn_tuner_free(chooser->arms[i].tuner);
    for (unsigned i = 0; i < chooser->campaign->count; i++) {
        darn_words_free(&chooser->tests[i].variables);
        darn_words_free(&chooser->tests[i].sites);
    }
    darn_tuner_free(chooser->outer);
    free(chooser->arms);
    free(chooser->tests);
}

double darn_campaign_gain(int64_t coverage, int64_t findings, double seconds)
{
    double worth = (double)coverage + (double)findings * WORTH_OF_FINDING;

    return worth / (seconds < LEAST_SECONDS ? LEAST_SECONDS : seconds);
}

bool darn_campaign_is_flaky(const struct darn_campaign_chooser *chooser, unsigned test)
{
    return chooser->tests[test].plain_failed > 0;
}

/* A hunt goes on where the last one of the test has ended: there is one at a time. */
static bool is_free(const struct darn_campaign_arm *arm)
{
    return !arm->is_out && !(arm->mode == DARN_CAMPAIGN_HUNT && arm->under_way);
}

static struct darn_campaign_arm *find_untried(struct darn_campaign_chooser *chooser)
{
    for (unsigned i = 0; i < chooser->arm_count; i++)
        if (!chooser->arms[i].tried && !chooser->arms[i].under_way && is_free(&chooser->arms[i]))
            return &chooser->arms[i];
    return NULL;
}

/* The one that is chosen, or the next one that is free; NULL: none is. */
static struct darn_campaign_arm *choose_arm(struct darn_campaign_chooser *chooser,
                                            struct darn_campaign_choice *choice)
{
    struct darn_campaign_arm *arm = find_untried(chooser);
    struct darn_tuning_point point;

    choice->outer_by = DARN_TUNER_RANDOM;
    if (arm || !chooser->arm_count)
        return arm;
    choice->outer_by = darn_tuner_choose(chooser->outer, &point);
    for (unsigned i = 0; i < chooser->arm_count; i++) {
        arm = &chooser->arms[(point.at[0] + i) % chooser->arm_count];
        if (is_free(arm))
            return arm;
    }
    return NULL;
}

static const char *choose_aim(struct darn_campaign_chooser *chooser,
                              const struct darn_campaign_choice *choice)
{
    const char *noise = darn_campaign_value(&choice->arm->space, &choice->point, "noise");
    const struct darn_campaign_known_test *known = &chooser->tests[choice->test];
    const struct darn_words *words = !noise                           ? NULL
                                     : strcmp(noise, "variable") == 0 ? &known->variables
                                     : strcmp(noise, "site") == 0     ? &known->sites
                                                                      : NULL;

    return words && words->count ? words->items[darn_random(&chooser->random) % words->count]
                                 : NULL;
}

static bool choose_plain(struct darn_campaign_chooser *chooser, struct darn_campaign_choice *choice)
{
    for (unsigned i = 0; i < chooser->campaign->count; i++)
        if (chooser->tests[i].plain_wanted) {
            chooser->tests[i].plain_wanted--;
            choice->test = i;
            choice->mode = DARN_CAMPAIGN_PLAIN;
            return true;
        }
    return false;
}

bool darn_campaign_choose(struct darn_campaign_chooser *chooser,
                          struct darn_campaign_choice *choice)
{
    *choice = (struct darn_campaign_choice){.seed = darn_random(&chooser->random) >> 2 | 1};
    if (choose_plain(chooser, choice))
        return true;
    choice->arm = choose_arm(chooser, choice);
    if (!choice->arm)
        return false;
    choice->test = choice->arm->test;
    choice->mode = choice->arm->mode;
    choice->by = darn_tuner_choose(choice->arm->tuner, &choice->point);
    choice->aim = choose_aim(chooser, choice);
    choice->arm->under_way++;
    return true;
}

static void count_plain(struct darn_campaign_known_test *known, bool passed)
{
    known->plain++;
    known->plain_failed += !passed;
}

static void tell(struct darn_campaign_chooser *chooser, struct darn_campaign_arm *arm,
                 const struct darn_tuning_point *point, enum darn_tuner_kind by,
                 enum darn_tuner_kind outer_by, double gain, double seconds)
{
    struct darn_tuning_point of_arm = {.at[0] = (uint32_t)(arm - chooser->arms)};

    arm->tried++;
    darn_tuner_tell(arm->tuner, point, by, gain, seconds);
    darn_tuner_tell(chooser->outer, &of_arm, outer_by, gain, seconds);
}

void darn_campaign_told(struct darn_campaign_chooser *chooser,
                        const struct darn_campaign_choice *choice,
                        enum darn_campaign_verdict verdict, double gain, double seconds)
{
    struct darn_campaign_known_test *known = &chooser->tests[choice->test];

    if (!choice->arm) {
        count_plain(known, verdict == DARN_CAMPAIGN_PASSED);
        return;
    }
    choice->arm->under_way--;
    if (verdict == DARN_CAMPAIGN_UNFIT)
        choice->arm->is_out = true;
    /* It fails with noise: does it without? Asked again whenever a new failure comes. */
    if (verdict == DARN_CAMPAIGN_FAILED && choice->mode == DARN_CAMPAIGN_RUN &&
        known->plain < 4 * DARN_CAMPAIGN_PLAIN_RUNS && !known->plain_failed)
        known->plain_wanted++;
    tell(chooser, choice->arm, &choice->point, choice->by, choice->outer_by, gain, seconds);
}

void darn_campaign_dropped(struct darn_campaign_chooser *chooser,
                           const struct darn_campaign_choice *choice)
{
    if (choice->arm)
        choice->arm->under_way--;
    else
        chooser->tests[choice->test].plain_wanted++;
}

static struct darn_campaign_arm *find_arm(struct darn_campaign_chooser *chooser, unsigned test,
                                          enum darn_campaign_mode mode)
{
    for (unsigned i = 0; i < chooser->arm_count; i++)
        if (chooser->arms[i].test == test && chooser->arms[i].mode == mode)
            return &chooser->arms[i];
    return NULL;
}

void darn_campaign_remember(struct darn_campaign_chooser *chooser,
                            const struct darn_campaign_past *past)
{
    enum darn_campaign_mode mode = darn_campaign_mode_of(past->mode);
    enum darn_tuner_kind by = darn_tuner_of(past->by);
    struct darn_campaign_arm *arm;
    struct darn_tuning_point point;
    unsigned test = 0;

    while (test < chooser->campaign->count &&
           strcmp(chooser->campaign->tests[test].name, past->test) != 0)
        test++;
    if (test == chooser->campaign->count)
        return; /* it was taken out of the file */
    if (mode == DARN_CAMPAIGN_PLAIN) {
        count_plain(&chooser->tests[test], strcmp(past->outcome, "passed") == 0);
        chooser->tests[test].plain_wanted -= chooser->tests[test].plain_wanted > 0;
        return;
    }
    arm = find_arm(chooser, test, mode);
    if (!arm)
        return;
    arm->is_out |= strcmp(past->outcome, "unfit") == 0;
    if (by != DARN_TUNERS && darn_campaign_point_read(&arm->space, past->setting, &point))
        tell(chooser, arm, &point, by, DARN_TUNER_BANDIT,
             darn_campaign_gain(past->coverage_new, past->findings_new, past->seconds),
             past->seconds);
}

static void add_aim(struct darn_words *words, const char *kind, const char *what)
{
    char *text = NULL;

    if (words->count >= MOST_AIMS || asprintf(&text, "%s:%s", kind, what) < 0)
        return;
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], text) == 0) {
            free(text);
            return;
        }
    darn_words_add(words, text);
    free(text);
}

void darn_campaign_aim_at(struct darn_campaign_chooser *chooser, unsigned test, const char *finding)
{
    json_t *object = json_loads(finding, 0, NULL), *access;
    const char *variable = json_string_value(json_object_get(object, "variable"));
    struct darn_campaign_known_test *known = &chooser->tests[test];
    size_t i;

    if (variable && *variable)
        add_aim(&known->variables, "var", variable);
    json_array_foreach(json_object_get(object, "accesses"), i, access)
    {
        const char *file = json_string_value(json_object_get(access, "file"));
        json_int_t line = json_integer_value(json_object_get(access, "line"));
        char place[PATH_MAX + 32];

        if (!file || line <= 0)
            continue;
        snprintf(place, sizeof(place), "%s:%lld", file, (long long)line);
        add_aim(&known->sites, "site", place);
    }
    json_decref(object);
}
