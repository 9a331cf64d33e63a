/*
 * darn coverage: what runs were seen to do, as a share of what they could.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/line.h"
#include "driver/campaign/campaign_coverage.h"

#define COMMAND "coverage"

struct coverage_line {
    const char *profile;
    bool list;
};

static const struct darn_option options[] = {
    {.name = "profile",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct coverage_line, profile),
     .value = "FILE",
     .help = "which pairs are possible: a profile (darn record\n"
             "--profile), in which the sites are that share memory"},
    {.name = "list",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct coverage_line, list),
     .help = "print each fact"},
    DARN_ROW_HELP,
    {.name = NULL},
};

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

static void print_totals(const struct darn_campaign_coverage *coverage)
{
    size_t counts[DARN_COVERAGE_KINDS] = {0};

    for (size_t i = 0; i < coverage->facts.count; i++)
        counts[coverage->facts.items[i].kind]++;
    for (int kind = 0; kind < DARN_COVERAGE_KINDS; kind++)
        if (counts[kind])
            printf("%8zu  %s\n", counts[kind],
                   darn_campaign_kind_words((enum darn_coverage_kind)kind));
}

static const char *place_of(const struct darn_campaign_coverage *coverage, uint64_t key)
{
    for (size_t i = 0; i < coverage->site_count; i++)
        if (coverage->sites[i].key == key)
            return coverage->sites[i].place;
    return "?";
}

static void print_facts(const struct darn_campaign_coverage *coverage)
{
    for (size_t i = 0; i < coverage->facts.count; i++) {
        const struct darn_campaign_fact *fact = &coverage->facts.items[i];
        const char *const words[] = DARN_COVERAGE_WORDS;

        printf("%-8s  %s", words[fact->kind], place_of(coverage, fact->first));
        if (darn_coverage_keys((enum darn_coverage_kind)fact->kind) == 2)
            printf(", %s", place_of(coverage, fact->second));
        putchar('\n');
    }
}

static int by_place(const void *a, const void *b)
{
    const struct darn_campaign_shared *x = a, *y = b;
    int files = strcmp(x->file, y->file);

    return files ? files : strcmp(x->function ? x->function : "", y->function ? y->function : "");
}

static void print_row(int64_t seen, int64_t possible, const char *file, const char *function)
{
    printf("%8lld%10lld%7.0f %%  %s", (long long)seen, (long long)possible,
           possible ? 100.0 * (double)seen / (double)possible : 0, file);
    if (function)
        printf(" %.*s", (int)strcspn(function, " "), function);
    putchar('\n');
}

/* Neighbours of the same function are added up; those that nothing was seen of have no name. */
static void print_share(struct darn_campaign_share *share)
{
    qsort(share->sites, share->count, sizeof(*share->sites), by_place);
    puts("\n    seen  possible    share  pairs of accesses, by the function of the second");
    for (size_t i = 0, next; i < share->count; i = next) {
        const struct darn_campaign_shared *first = &share->sites[i];
        int64_t seen = 0, possible = 0;

        for (next = i; next < share->count && by_place(first, &share->sites[next]) == 0; next++) {
            seen += share->sites[next].seen;
            possible += share->sites[next].possible;
        }
        print_row(seen, possible, first->file,
                  first->function ? first->function : "(sites that were not seen)");
    }
    print_row(share->seen, share->possible, "in all", NULL);
}

static int read_all(struct darn_campaign_coverage *coverage, struct darn_campaign_calls *calls,
                    char **files, int count)
{
    for (int i = 0; i < count; i++) {
        int result = darn_campaign_coverage_read(coverage, calls, files[i]);

        if (result)
            return darn_refuse(COMMAND, "%s: %s", files[i],
                               result == -EINVAL ? "this is no coverage; darn run --coverage=FILE "
                                                   "writes one"
                                                 : strerror(-result));
    }
    return 0;
}

static int print(const struct coverage_line *wanted, const struct darn_campaign_coverage *coverage)
{
    struct darn_campaign_share share = {0};
    int result = 0;

    print_totals(coverage);
    if (wanted->list)
        print_facts(coverage);
    if (wanted->profile) {
        result = darn_campaign_share(&share, coverage, wanted->profile);
        if (result)
            return darn_refuse(COMMAND, "--profile=%s: %s", wanted->profile,
                               result == -EINVAL ? "this is no profile" : strerror(-result));
        print_share(&share);
        darn_campaign_share_free(&share);
    }
    return darn_finish_output();
}

static int cmd_coverage(int argc, char **argv)
{
    struct coverage_line wanted = {0};
    struct darn_command_line line = {.command = &darn_command_coverage, .to = &wanted};
    struct darn_campaign_coverage coverage = {0};
    struct darn_campaign_calls calls = {0};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (!line.count)
        return darn_refuse(COMMAND, "no file; usage: darn coverage [options] FILE...");
    status = read_all(&coverage, &calls, line.words, line.count);
    if (!status)
        status = print(&wanted, &coverage);
    darn_campaign_coverage_free(&coverage);
    darn_campaign_calls_free(&calls);
    return status;
}

const struct darn_command darn_command_coverage = {
    .name = COMMAND,
    .summary = "say what runs have shown of how threads meet, and what they have not",
    .usage = "coverage [options] FILE...",
    .about = "Reads what darn run --coverage=FILE has written, in one run or many, and prints\n"
             "how many pairs of accesses, locks, waits and orders of locks were seen. With a\n"
             "profile it says what share of the pairs that are possible that is, by function\n"
             "and file.\n",
    .groups = groups,
    .operands = "FILE",
    .anywhere = true,
    .exits = "0 it was printed",
    .see = "darn-run(1), darn-record(1), darn-campaign(1)",
    .run = cmd_coverage,
};
