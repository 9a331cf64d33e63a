/* A database of many rounds: what a round costs and what memory it takes stay the same from the
 * first to the last, and the status comes at once. 100,000 rounds in `make check-all`; the figures
 * are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/random.h"
#include "driver/campaign/campaign_status.h"

#define PARTS    10
#define FACTS    1000   /* of a round, */
#define POSSIBLE 200000 /* of so many */
#define TESTS    20
#define FINDINGS 10

/* Work that grows with what is there already would be far above; a busy machine is not. */
#define MOST_MS        20
#define MOST_STATUS_MS 20000
#define MOST_MEMORY    (4 << 20) /* bytes of SQLite's, of which its cache has two million */

static char directory[] = "/tmp/darn-campaign-XXXXXX";

static void hear(struct darn_listener *listener, enum darn_news news, const char *line)
{
    (void)listener, (void)news;
    print_message("%s\n", line);
}

static struct darn_listener listener = {.say = hear};

static double processor_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static uint64_t below(uint64_t *random, uint64_t most)
{
    return darn_random_below(random, most);
}

/* Low ones come often, high ones seldom: as in a campaign, what is left becomes rarer and rarer. */
static void add_facts(struct darn_campaign_coverage *coverage, uint64_t *random)
{
    for (int i = 0; i < FACTS; i++) {
        uint64_t first = below(random, below(random, POSSIBLE) + 1);

        darn_campaign_coverage_add(coverage, &(struct darn_campaign_fact){1, first, first + 1});
        if (i % 8 == 0)
            darn_campaign_coverage_name(coverage, first, "a.c:1:2 read x");
    }
}

static void add_round(struct darn_campaign_store *store, uint64_t *random)
{
    struct darn_campaign_coverage coverage = {0};
    struct darn_campaign_sighting sighting = {
        .kind = "data-race", .certainty = "observed", .title = "a race", .json = "{}"};
    char id[32], test[32], setting[160];
    struct darn_campaign_round round = {.test = test,
                                        .mode = below(random, 5) ? "run" : "explore",
                                        .setting = setting,
                                        .by = "random",
                                        .outcome = "passed",
                                        .seconds = 0.1,
                                        .coverage = &coverage,
                                        .findings = &sighting};

    sighting.id = id;
    round.finding_count = below(random, 2);
    snprintf(id, sizeof(id), "%llu", (unsigned long long)below(random, FINDINGS));
    snprintf(test, sizeof(test), "test_%llu", (unsigned long long)below(random, TESTS));
    snprintf(setting, sizeof(setting),
             "{\"noise\":\"%llu\",\"kind\":\"%llu\",\"frequency\":\"%llu\",\"strength\":\"%llu\","
             "\"budget\":\"%llu\",\"n\":\"%llu\"}",
             (unsigned long long)below(random, 5), (unsigned long long)below(random, 3),
             (unsigned long long)below(random, 12), (unsigned long long)below(random, 12),
             (unsigned long long)below(random, 6), (unsigned long long)below(random, 12));
    add_facts(&coverage, random);
    assert_int_equal(darn_campaign_store_round(store, &round), 0);
    darn_campaign_coverage_free(&coverage);
}

static void rounds_cost_the_same_from_the_first_to_the_last(void **state)
{
    const char *tests = getenv("DARN_TESTS");
    int64_t rounds = tests && strcmp(tests, "all") == 0 ? 100000 : 300;
    struct darn_campaign_store store;
    struct darn_campaign_status status;
    uint64_t random = 1;
    char path[64];
    double begin;

    (void)state;
    snprintf(path, sizeof(path), "%s/many.db", directory);
    assert_int_equal(darn_campaign_store_open(&store, &listener, path, DARN_CAMPAIGN_MAKE, NULL),
                     0);
    /* What a busy disk makes of it is not what is measured. */
    assert_int_equal(sqlite3_exec(store.database, "PRAGMA synchronous=OFF", NULL, NULL, NULL), 0);
    for (int part = 0; part < PARTS; part++) {
        double ms;

        begin = processor_ms();
        for (int64_t i = 0; i < rounds / PARTS; i++)
            add_round(&store, &random);
        ms = (processor_ms() - begin) / (double)(rounds / PARTS);
        print_message("%lld rounds: %.2f ms each, %lld kB of SQLite's memory\n",
                      (long long)store.round, ms, (long long)sqlite3_memory_used() / 1024);
        assert_true(ms < MOST_MS);
        assert_true(sqlite3_memory_used() < MOST_MEMORY);
    }
    assert_true(store.facts.count <= POSSIBLE);
    begin = processor_ms();
    assert_int_equal(darn_campaign_status(&store, &status), 0);
    print_message("status: %.0f ms\n", processor_ms() - begin);
    assert_true(processor_ms() - begin < MOST_STATUS_MS);
    assert_int_equal(status.rounds, rounds);
    assert_int_equal(status.findings, FINDINGS);
    darn_campaign_status_free(&status);
    darn_campaign_store_close(&store);
}

static int begin_all(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int end_all(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_cost_the_same_from_the_first_to_the_last),
    };

    return cmocka_run_group_tests(tests, begin_all, end_all);
}
