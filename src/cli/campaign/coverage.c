/*
 * darn coverage: what runs were seen to do, as a share of what they could.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cli/campaign/coverage_html.h"
#include "cli/line.h"
#include "driver/campaign/campaign_status.h"
#include "driver/process/output.h"

#define COMMAND "coverage"

struct coverage_line {
    const char *profile;
    const char *html;
    bool list;
};

/* What the files have, one after the other. */
struct coverage_files {
    struct darn_campaign_coverage all;
    struct darn_campaign_calls calls;
    size_t *curve; /* facts that are known after each of them */
    size_t count;
};

static const struct darn_option options[] = {
    {.name = "profile",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct coverage_line, profile),
     .value = "FILE",
     .help = "which pairs are possible: a profile (darn record\n"
             "--profile), in which the sites are that share memory"},
    {.name = "html",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct coverage_line, html),
     .value = "FILE",
     .help = "write a page for a browser to FILE: the sources, and at\n"
             "each line what was seen there, and what was not"},
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

/* What follows the name of the function is the access, of which it has several. */
static int by_function(const char *one, const char *other)
{
    size_t lengths[2] = {one ? strcspn(one, " ") : 0, other ? strcspn(other, " ") : 0};
    size_t both = lengths[0] < lengths[1] ? lengths[0] : lengths[1];
    int result = both ? memcmp(one, other, both) : 0;

    return result ? result : (lengths[0] > lengths[1]) - (lengths[0] < lengths[1]);
}

static int by_place(const void *a, const void *b)
{
    const struct darn_campaign_shared *x = a, *y = b;
    int files = strcmp(x->file, y->file);

    return files ? files : by_function(x->function, y->function);
}

/* `where`: as much of it as there are bytes. */
static void print_row(int64_t seen, int64_t possible, const char *file, const char *where,
                      size_t bytes)
{
    printf("%8lld%10lld%7.0f %%  %s%s%.*s\n", (long long)seen, (long long)possible,
           possible ? 100.0 * (double)seen / (double)possible : 0, file, bytes ? " " : "",
           (int)bytes, where);
}

/* Neighbours of the same function are added up; those that nothing was seen of have no name. */
static void print_share(struct darn_campaign_share *share)
{
    static const char unseen[] = "(sites that were not seen)";

    qsort(share->sites, share->count, sizeof(*share->sites), by_place);
    puts("\n    seen  possible    share  pairs of accesses, by the function of the second");
    for (size_t i = 0, next; i < share->count; i = next) {
        const struct darn_campaign_shared *first = &share->sites[i];
        int64_t seen = 0, possible = 0;

        for (next = i; next < share->count && by_place(first, &share->sites[next]) == 0; next++) {
            seen += share->sites[next].seen;
            possible += share->sites[next].possible;
        }
        if (first->function)
            print_row(seen, possible, first->file, first->function, strcspn(first->function, " "));
        else
            print_row(seen, possible, first->file, unseen, strlen(unseen));
    }
    print_row(share->seen, share->possible, "in all", "", 0);
}

static void add_file(struct coverage_files *files, const struct darn_campaign_coverage *one)
{
    for (size_t i = 0; i < one->facts.count; i++) {
        uint8_t *seen = darn_campaign_facts_at(&files->all.facts, &one->facts.items[i]);

        *seen += *seen < DARN_CAMPAIGN_OFTEN;
    }
    for (size_t i = 0; i < one->site_count; i++)
        darn_campaign_coverage_name(&files->all, one->sites[i].key, one->sites[i].place);
    files->curve[files->count++] = files->all.facts.count;
}

static int read_all(struct coverage_files *files, char **paths, int count)
{
    files->curve = darn_need_zeroed((size_t)count, sizeof(*files->curve));
    for (int i = 0; i < count; i++) {
        struct darn_campaign_coverage one = {0};
        int result = darn_campaign_coverage_read(&one, &files->calls, paths[i]);

        if (!result)
            add_file(files, &one);
        darn_campaign_coverage_free(&one);
        if (result)
            return darn_refuse(COMMAND, "%s: %s", paths[i],
                               result == -EINVAL ? "this is no coverage; darn run --coverage=FILE "
                                                   "writes one"
                                                 : strerror(-result));
    }
    return 0;
}

/* Of files as of rounds (campaign_status.h): "" when there is one file only, which says nothing of
 * the next. */
static void describe_rest(const struct coverage_files *files, char *text, size_t size)
{
    struct darn_campaign_status status = {.rounds = (int64_t)files->count,
                                          .coverage = (int64_t)files->all.facts.count};
    char outlook[128];

    for (size_t i = 0; i < files->all.facts.count; i++) {
        status.once += files->all.facts.seen[i] == 1;
        status.twice += files->all.facts.seen[i] == 2;
    }
    *text = '\0';
    if (files->count < 2)
        return;
    if (status.once) {
        darn_campaign_outlook(&status, "file", outlook, sizeof(outlook));
        snprintf(text, size, "%lld of them in one file only: %s", (long long)status.once, outlook);
    } else {
        snprintf(text, size, "each was in more than one file: more of the same shows nothing new");
    }
}

static int write_html(const struct coverage_line *wanted, const struct coverage_files *files,
                      const struct darn_campaign_share *share, const char *rest)
{
    char about[512];
    struct darn_coverage_html html = {wanted->html, about, files->curve, files->count};

    snprintf(about, sizeof(about), "%zu facts in %zu file%s%s%s.", files->all.facts.count,
             files->count, files->count == 1 ? "" : "s", *rest ? "; " : "", rest);
    return darn_refuse_output(COMMAND, "--html: ", wanted->html,
                              darn_coverage_html(&html, &files->all, share));
}

static int print(const struct coverage_line *wanted, const struct coverage_files *files)
{
    struct darn_campaign_share share = {0};
    char rest[256];
    int result = wanted->profile ? darn_campaign_share(&share, &files->all, wanted->profile) : 0;

    if (result)
        return darn_refuse(COMMAND, "--profile=%s: %s", wanted->profile,
                           result == -EINVAL ? "this is no profile" : strerror(-result));
    print_totals(&files->all);
    describe_rest(files, rest, sizeof(rest));
    if (*rest)
        printf("%8zu  in all; %s\n", files->all.facts.count, rest);
    if (wanted->list)
        print_facts(&files->all);
    if (wanted->html)
        result = write_html(wanted, files, &share, rest);
    if (!result && wanted->profile)
        print_share(&share);
    darn_campaign_share_free(&share);
    return result ? result : darn_finish_output();
}

static int cmd_coverage(int argc, char **argv)
{
    struct coverage_line wanted = {0};
    struct darn_command_line line = {.command = &darn_command_coverage, .to = &wanted};
    struct coverage_files files = {0};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (!line.count)
        return darn_refuse(COMMAND, "no file; usage: darn coverage [options] FILE...");
    if (wanted.html)
        status =
            darn_refuse_output(COMMAND, "--html: ", wanted.html, darn_output_check(wanted.html));
    if (!status)
        status = read_all(&files, line.words, line.count);
    if (!status)
        status = print(&wanted, &files);
    darn_campaign_coverage_free(&files.all);
    darn_campaign_calls_free(&files.calls);
    free(files.curve);
    return status;
}

const struct darn_command darn_command_coverage = {
    .name = COMMAND,
    .summary = "say what runs have shown of how threads meet, and what they have not",
    .usage = "coverage [options] FILE...",
    .about = "Reads what darn run --coverage=FILE has written, in one run or many, and prints\n"
             "how many pairs of accesses, locks, waits and orders of locks were seen. With a\n"
             "profile it says what share of the pairs that are possible that is, by function\n"
             "and file. Of several files it says how much more others would show.\n",
    .groups = groups,
    .operands = "FILE",
    .anywhere = true,
    .exits = "0 it was printed",
    .see = "darn-run(1), darn-record(1), darn-campaign(1)",
    .run = cmd_coverage,
};
