/* The campaign without processes: its file, its space, its choices, its database. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "driver/campaign/campaign_choice.h"
#include "driver/campaign/campaign_status.h"

static char directory[] = "/tmp/darn-campaign-XXXXXX";
static char said[1024];

static void hear(struct darn_listener *listener, enum darn_news news, const char *line)
{
    (void)listener;
    if (news == DARN_NEWS_REFUSAL)
        snprintf(said, sizeof(said), "%s", line);
}

static struct darn_listener listener = {.say = hear};

static const char *path_of(const char *name)
{
    static char path[2][256];
    static int next;

    next = !next;
    snprintf(path[next], sizeof(path[next]), "%s/%s", directory, name);
    return path[next];
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");

    fputs(text, file);
    fclose(file);
}

/* ---- the file ---- */

static void ranges_are_tried_evenly_and_with_their_ends(void **state)
{
    struct darn_campaign_variable variable = {0};

    (void)state;
    assert_true(darn_campaign_values(&variable, "10..1000"));
    assert_true(variable.is_ordered);
    assert_true(variable.values.count > 8 && variable.values.count <= 12);
    assert_string_equal(variable.values.items[0], "10");
    assert_string_equal(variable.values.items[variable.values.count - 1], "1000");
    for (size_t i = 1; i < variable.values.count; i++)
        assert_true(atoi(variable.values.items[i]) > atoi(variable.values.items[i - 1]));
    darn_words_free(&variable.values);
    variable = (struct darn_campaign_variable){0};
    assert_true(darn_campaign_values(&variable, "0..3"));
    assert_int_equal(variable.values.count, 4);
    darn_words_free(&variable.values);
    variable = (struct darn_campaign_variable){0};
    assert_true(darn_campaign_values(&variable, "a|b.c|d"));
    assert_false(variable.is_ordered);
    assert_int_equal(variable.values.count, 3);
    darn_words_free(&variable.values);
    variable = (struct darn_campaign_variable){0};
    assert_false(darn_campaign_values(&variable, "9..3"));
    darn_words_free(&variable.values);
    variable = (struct darn_campaign_variable){0};
    assert_false(darn_campaign_values(&variable, "a||b"));
    darn_words_free(&variable.values);
}

#define TESTS(more)                                                                                \
    "{\"darn-campaign\":1,\"tests\":[{\"name\":\"t\",\"command\":[\"./t\",\"-n{n}x\"]," more "}]}"

static void faults_in_the_file_are_named_by_their_place(void **state)
{
    static const struct {
        const char *text, *says;
    } all[] = {
        {"{", ":1: "},
        {"{\"darn-campaign\":7}", "version 1"},
        {"{\"darn-campaign\":1,\"tests\":[]}", "tests: there are none"},
        {"{\"darn-campaign\":1,\"search\":\"magic\",\"tests\":[]}", "search: there is no such"},
        {"{\"darn-campaign\":1,\"vary\":{\"noise\":\"a||b\"}}", "noise: this is neither"},
        {"{\"darn-campaign\":1,\"vary\":{\"nose\":\"a\"}}", "nose: there are noise"},
        {TESTS("\"parameters\":{\"n\":\"5..2\"}"), "tests[0].n: this is neither"},
        {TESTS("\"timeout\":-1"), "tests[0].timeout: this is no number"},
        {TESTS("\"modes\":[\"walk\"]"), "tests[0].modes: there are run"},
        {TESTS("\"environment\":{\"A\":1}"), "tests[0].environment: there is something"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct darn_campaign campaign;

        write_file("bad.json", all[i].text);
        *said = '\0';
        assert_int_equal(darn_campaign_read(&campaign, &listener, path_of("bad.json")),
                         DARN_REFUSED);
        if (!strstr(said, all[i].says))
            fail_msg("'%s' is not in '%s'", all[i].says, said);
    }
}

static void read_good(struct darn_campaign *campaign)
{
    write_file("good.json", TESTS("\"parameters\":{\"n\":\"1..5\"},\"directory\":\"sub\""));
    assert_int_equal(darn_campaign_read(campaign, &listener, path_of("good.json")), 0);
}

static void parameters_are_filled_in_and_settings_read_back(void **state)
{
    struct darn_campaign campaign;
    struct darn_campaign_space space;
    struct darn_tuning_point point = {0}, again;
    struct darn_words command = {0};
    char *text;

    (void)state;
    read_good(&campaign);
    assert_string_equal(campaign.tests[0].directory, path_of("sub"));
    darn_campaign_space(&space, &campaign, &campaign.tests[0], DARN_CAMPAIGN_RUN);
    assert_string_equal(space.of[space.tuning.count - 1]->name, "n");
    for (unsigned i = 0; i < space.tuning.count; i++)
        point.at[i] = space.tuning.parameters[i].count - 1;
    darn_campaign_command(&space, &campaign.tests[0], &point, &command);
    assert_string_equal(command.items[1], "-n5x");
    text = darn_campaign_point_text(&space, &point);
    assert_non_null(strstr(text, "\"n\":\"5\""));
    assert_true(darn_campaign_point_read(&space, text, &again));
    assert_memory_equal(point.at, again.at, space.tuning.count * sizeof(*point.at));
    assert_false(darn_campaign_point_read(&space, "{\"n\":\"5\"}", &again));
    free(text);
    darn_words_free(&command);
    darn_campaign_free(&campaign);
}

/* ---- choices ---- */

/* The gains are made up: what counts is that nothing but them and the seed decides. */
static void choose_many(struct darn_campaign *campaign, char *log, size_t size)
{
    struct darn_campaign_chooser chooser;
    size_t used = 0;

    darn_campaign_chooser_init(&chooser, campaign);
    for (int i = 0; i < 100; i++) {
        struct darn_campaign_choice choice;

        assert_true(darn_campaign_choose(&chooser, &choice));
        used += (size_t)snprintf(log + used, size - used, "%s %u %llu;",
                                 darn_campaign_mode_name(choice.mode), choice.point.at[2],
                                 (unsigned long long)choice.seed);
        darn_campaign_told(&chooser, &choice, DARN_CAMPAIGN_PASSED,
                           (double)(choice.point.at[2] % 3), 1);
    }
    darn_campaign_chooser_free(&chooser);
}

static void same_seed_same_choices(void **state)
{
    static char first[16384], second[16384];
    struct darn_campaign campaign;

    (void)state;
    read_good(&campaign);
    choose_many(&campaign, first, sizeof(first));
    choose_many(&campaign, second, sizeof(second));
    assert_string_equal(first, second);
    assert_int_equal(strncmp(first, "plain 0", 7), 0);
    campaign.seed = 2;
    choose_many(&campaign, second, sizeof(second));
    assert_string_not_equal(first, second);
    darn_campaign_free(&campaign);
}

static void what_darn_cannot_hunt_is_not_tried_again(void **state)
{
    struct darn_campaign campaign;
    struct darn_campaign_chooser chooser;
    int hunts = 0;

    (void)state;
    read_good(&campaign);
    darn_campaign_chooser_init(&chooser, &campaign);
    for (int i = 0; i < 300; i++) {
        struct darn_campaign_choice choice;

        assert_true(darn_campaign_choose(&chooser, &choice));
        hunts += choice.mode == DARN_CAMPAIGN_HUNT;
        darn_campaign_told(
            &chooser, &choice,
            choice.mode == DARN_CAMPAIGN_HUNT ? DARN_CAMPAIGN_UNFIT : DARN_CAMPAIGN_PASSED, 0, 1);
    }
    assert_int_equal(hunts, 1);
    darn_campaign_chooser_free(&chooser);
    darn_campaign_free(&campaign);
}

static void noise_is_aimed_at_what_was_found(void **state)
{
    struct darn_campaign campaign;
    struct darn_campaign_chooser chooser;
    bool variables = false, sites = false;

    (void)state;
    read_good(&campaign);
    campaign.tests[0].modes = 1U << DARN_CAMPAIGN_RUN;
    campaign.search = DARN_TUNER_RANDOM;
    darn_campaign_chooser_init(&chooser, &campaign);
    darn_campaign_aim_at(&chooser, 0,
                         "{\"variable\":\"x\",\"accesses\":[{\"file\":\"a.c\",\"line\":7}]}");
    for (int i = 0; i < 200; i++) {
        struct darn_campaign_choice choice;

        assert_true(darn_campaign_choose(&chooser, &choice));
        variables |= choice.aim && strcmp(choice.aim, "var:x") == 0;
        sites |= choice.aim && strcmp(choice.aim, "site:a.c:7") == 0;
        darn_campaign_told(&chooser, &choice, DARN_CAMPAIGN_PASSED, 0, 1);
    }
    assert_true(variables && sites);
    darn_campaign_chooser_free(&chooser);
    darn_campaign_free(&campaign);
}

/* ---- the database ---- */

static void add_round(struct darn_campaign_store *store, const char *test, uint64_t first,
                      uint64_t count, const char *finding, struct darn_campaign_round *round)
{
    struct darn_campaign_sighting sighting = {.id = (char *)finding,
                                              .kind = "data-race",
                                              .certainty = "observed",
                                              .title = "a race",
                                              .json = "{\"id\":\"1\"}"};
    struct darn_campaign_coverage coverage = {0};

    for (uint64_t i = first; i < first + count; i++)
        darn_campaign_coverage_add(&coverage, &(struct darn_campaign_fact){1, i, i + 1});
    darn_campaign_coverage_name(&coverage, first, "a.c:1:2 read x");
    *round = (struct darn_campaign_round){.test = test,
                                          .mode = "run",
                                          .setting = "{\"n\":\"1\"}",
                                          .by = "random",
                                          .outcome = "passed",
                                          .seconds = 0.5,
                                          .coverage = &coverage,
                                          .findings = &sighting,
                                          .finding_count = finding != NULL};
    assert_int_equal(darn_campaign_store_round(store, round), 0);
    darn_campaign_coverage_free(&coverage);
}

static void open_store(struct darn_campaign_store *store, const char *name, const char *shard)
{
    assert_int_equal(
        darn_campaign_store_open(store, &listener, path_of(name), DARN_CAMPAIGN_MAKE, shard), 0);
}

static void what_is_new_is_new_once_also_after_opening_again(void **state)
{
    struct darn_campaign_store store;
    struct darn_campaign_round round;

    (void)state;
    open_store(&store, "new.db", NULL);
    add_round(&store, "t", 0, 10, "f1", &round);
    assert_int_equal(round.coverage_new, 10);
    assert_int_equal(round.findings_new, 1);
    darn_campaign_store_close(&store);
    open_store(&store, "new.db", NULL);
    assert_int_equal(store.round, 1);
    add_round(&store, "t", 5, 10, "f1", &round);
    assert_int_equal(round.coverage_new, 5);
    assert_int_equal(round.findings_new, 0);
    add_round(&store, "t", 5, 10, "f2", &round);
    assert_int_equal(round.coverage_new, 0);
    assert_int_equal(round.findings_new, 1);
    darn_campaign_store_close(&store);
}

static void estimates_are_those_of_good_turing_and_chao(void **state)
{
    struct darn_campaign_store store;
    struct darn_campaign_round round;
    struct darn_campaign_status status;
    char words[128];

    (void)state;
    open_store(&store, "estimate.db", NULL);
    add_round(&store, "t", 0, 10, NULL, &round);
    add_round(&store, "t", 4, 6, NULL, &round);
    add_round(&store, "t", 8, 2, NULL, &round);
    assert_int_equal(darn_campaign_status(&store, &status), 0);
    assert_int_equal(status.coverage, 10);
    assert_int_equal(status.once, 4);
    assert_int_equal(status.twice, 4);
    assert_true(darn_campaign_rounds_to_new(&status) == 3.0 / 4);
    darn_campaign_outlook(&status, "round", words, sizeof(words));
    assert_string_equal(words, "about 1.3 new ones in a round, 11 in all at least");
    status.rounds += 7;
    status.plain += 2; /* these see no coverage */
    darn_campaign_outlook(&status, "round", words, sizeof(words));
    assert_string_equal(words, "a new one about every 2.0 rounds, 11 in all at least");
    assert_true(darn_campaign_coverage_in_all(&status) == 10 + 4.0 * 3 / (2 * 5));
    darn_campaign_status_free(&status);
    darn_campaign_store_close(&store);
}

static double sum_of_everything(struct darn_campaign_store *store)
{
    return darn_campaign_store_number(store,
                                      "SELECT (SELECT count(*) FROM rounds) * 1000000"
                                      " + (SELECT sum(seen) FROM coverage) * 1000"
                                      " + (SELECT sum(seen) FROM sightings)",
                                      NULL);
}

static void merging_twice_changes_nothing(void **state)
{
    struct darn_campaign_store store, shard;
    struct darn_campaign_round round;
    double once;

    (void)state;
    open_store(&store, "main.db", "main");
    add_round(&store, "t", 0, 10, "f1", &round);
    open_store(&shard, "shard.db", "s1");
    add_round(&shard, "t", 5, 10, "f1", &round);
    assert_int_equal(darn_campaign_store_merge(&store, path_of("shard.db")), 0);
    add_round(&shard, "t", 5, 11, "f2", &round); /* it has gone on */
    darn_campaign_store_close(&shard);
    assert_int_equal(darn_campaign_store_merge(&store, path_of("shard.db")), 0);
    once = sum_of_everything(&store);
    assert_true(once == 3 * 1e6 + (10 + 10 + 11) * 1e3 + 3);
    assert_int_equal(darn_campaign_store_merge(&store, path_of("shard.db")), 0);
    assert_true(sum_of_everything(&store) == once);
    darn_campaign_store_close(&store);
    open_store(&store, "main.db", NULL);
    add_round(&store, "t", 12, 5, "f2", &round); /* what the shard has seen is not new: 16 is */
    assert_int_equal(round.coverage_new, 1);
    assert_int_equal(round.findings_new, 0);
    darn_campaign_store_close(&store);
}

static void expect_refused(const char *name, const char *says)
{
    struct darn_campaign_store store;

    *said = '\0';
    assert_int_equal(
        darn_campaign_store_open(&store, &listener, path_of(name), DARN_CAMPAIGN_WRITE, NULL),
        DARN_REFUSED);
    if (!strstr(said, says))
        fail_msg("'%s' is not in '%s'", says, said);
}

static void other_files_are_refused(void **state)
{
    struct darn_campaign_store store;
    struct darn_campaign_round round;
    sqlite3 *other;
    FILE *file;

    (void)state;
    expect_refused("nothing.db", "unable to open");
    write_file("text.db", "this is no database at all, but it is long enough to be looked into");
    expect_refused("text.db", "not a database");
    sqlite3_open(path_of("other.db"), &other);
    sqlite3_exec(other, "CREATE TABLE t(a)", NULL, NULL, NULL);
    sqlite3_close(other);
    expect_refused("other.db", "not of a campaign");
    open_store(&store, "newer.db", NULL);
    sqlite3_exec(store.database, "PRAGMA user_version=99", NULL, NULL, NULL);
    darn_campaign_store_close(&store);
    expect_refused("newer.db", "a newer darn");
    open_store(&store, "damaged.db", NULL);
    for (int i = 0; i < 50; i++)
        add_round(&store, "t", (uint64_t)i * 100, 100, NULL, &round);
    darn_campaign_store_close(&store);
    file = fopen(path_of("damaged.db"), "r+");
    for (long at = 8192; at < 60000; at += 4096) {
        fseek(file, at, SEEK_SET);
        fputs("what a disk may do to a page", file);
    }
    fclose(file);
    expect_refused("damaged.db", "damaged");
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int end(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_tried_evenly_and_with_their_ends),
        cmocka_unit_test(faults_in_the_file_are_named_by_their_place),
        cmocka_unit_test(parameters_are_filled_in_and_settings_read_back),
        cmocka_unit_test(same_seed_same_choices),
        cmocka_unit_test(what_darn_cannot_hunt_is_not_tried_again),
        cmocka_unit_test(noise_is_aimed_at_what_was_found),
        cmocka_unit_test(what_is_new_is_new_once_also_after_opening_again),
        cmocka_unit_test(estimates_are_those_of_good_turing_and_chao),
        cmocka_unit_test(merging_twice_changes_nothing),
        cmocka_unit_test(other_files_are_refused),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
