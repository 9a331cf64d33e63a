#include "driver/campaign/campaign_coverage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "report/symbol/demangle.h"
#include "report/symbol/symbolize.h"
#include "trace/profile.h"

static const char *const words[] = DARN_COVERAGE_WORDS;

void darn_campaign_calls_free(struct darn_campaign_calls *calls)
{
    for (size_t i = 0; i < calls->places.count; i++) {
        struct darn_campaign_site *site =
            (struct darn_campaign_site *)calls->places.entries[i].value;

        if (site)
            free(site->place);
        free(site);
    }
    darn_map_free(&calls->places);
    darn_modules_close(&calls->modules);
    darn_pool_release(&calls->pool);
}

const char *darn_campaign_kind_words(enum darn_coverage_kind kind)
{
    static const char *const said[] = {
        "pairs of accesses, one after the other",
        "reads of what another thread wrote",
        "locks taken at once",
        "locks waited for",
        "locks that others waited for",
        "locks taken while another one was held",
        "locks taken while another thread was inside",
        "waits that were woken",
        "waits that timed out",
        "signals that nobody waited for",
    };

    return said[kind];
}

/* ---- calls ---- */

/* The innermost frame that has a line; the module and the address when none has. */
static void describe(const struct darn_frame *frames, size_t count, const char *module,
                     uint64_t offset, struct darn_campaign_site *site)
{
    uint64_t key = DARN_HASH_START;

    for (size_t i = 0; i < count; i++) {
        const char *function = frames[i].function ? frames[i].function : "?";

        if (!frames[i].file || !frames[i].line)
            continue;
        key = darn_hash_string(darn_hash_string(key, frames[i].file), function);
        key = darn_hash_number(darn_hash_number(key, frames[i].line), frames[i].column);
        if (asprintf(&site->place, "%s:%u:%u %s call", frames[i].file, frames[i].line,
                     frames[i].column, function) < 0)
            abort();
        site->key = key ? key : 1;
        return;
    }
    if (asprintf(&site->place, "%s+0x%llx ? call", module, (unsigned long long)offset) < 0)
        abort();
    site->key = darn_hash_word(darn_hash_string(key, module), offset);
}

static struct darn_campaign_site *place_of(struct darn_campaign_calls *calls, uint64_t key,
                                           const char *module, uint64_t offset)
{
    struct darn_campaign_site *site =
        (struct darn_campaign_site *)darn_map_get(&calls->places, (uintptr_t)key, 0);
    struct darn_frame frames[DARN_SYMBOLIZE_DEPTH];

    if (site)
        return site;
    site = darn_need_zeroed(1, sizeof(*site));
    describe(frames, darn_symbolize_code(&calls->modules, &calls->pool, module, offset, frames),
             module, offset, site);
    darn_map_put(&calls->places, (uintptr_t)key, (uintptr_t)site);
    return site;
}

/* ---- the file ---- */

struct coverage_reading {
    struct darn_campaign_coverage *coverage;
    struct darn_campaign_calls *calls;
    struct darn_map keys; /* of calls in this file, to those of their places */
};

static bool read_call(struct coverage_reading *reading, const char *line)
{
    unsigned long long key, offset;
    struct darn_campaign_site *site;
    int used = 0;

    if (sscanf(line, "call %16llx %llx %n", &key, &offset, &used) < 2 || !line[used])
        return false;
    site = place_of(reading->calls, key, line + used, offset);
    darn_map_put(&reading->keys, (uintptr_t)key, (uintptr_t)site->key);
    darn_campaign_coverage_name(reading->coverage, site->key, site->place);
    return true;
}

static bool read_site(struct coverage_reading *reading, const char *line)
{
    unsigned long long key;
    int used = 0;

    if (sscanf(line, "site %16llx %n", &key, &used) < 1 || !line[used])
        return false;
    darn_campaign_coverage_name(reading->coverage, key, line + used);
    return true;
}

static bool read_fact(struct coverage_reading *reading, const char *line)
{
    size_t length = strcspn(line, " ");
    unsigned long long keys[2] = {0, 0};

    for (int kind = 0; kind < DARN_COVERAGE_KINDS; kind++) {
        int wanted = darn_coverage_keys((enum darn_coverage_kind)kind);

        if (strlen(words[kind]) != length || strncmp(line, words[kind], length) != 0)
            continue;
        if (sscanf(line + length, " %16llx %16llx", &keys[0], &keys[1]) != wanted)
            return false;
        /* Of accesses they are what they are. */
        for (int i = 0; i < wanted && kind > DARN_COVERAGE_READS; i++)
            keys[i] = darn_map_get(&reading->keys, (uintptr_t)keys[i], (uintptr_t)keys[i]);
        darn_campaign_coverage_add(reading->coverage,
                                   &(struct darn_campaign_fact){(uint32_t)kind, keys[0], keys[1]});
        return true;
    }
    return false;
}

static bool read_line(struct coverage_reading *reading, const char *line)
{
    return strcmp(line, DARN_COVERAGE_FIRST_LINE) == 0 || !*line || *line == '#' ||
           read_site(reading, line) || read_call(reading, line) || read_fact(reading, line);
}

int darn_campaign_coverage_read(struct darn_campaign_coverage *coverage,
                                struct darn_campaign_calls *calls, const char *path)
{
    struct coverage_reading reading = {.coverage = coverage, .calls = calls};
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    bool is_first = true, is_good = true;

    if (!file)
        return -errno;
    while (is_good && (length = getline(&line, &size, file)) > 0) {
        if (line[length - 1] != '\n')
            break; /* whoever wrote it was killed */
        line[length - 1] = '\0';
        is_good =
            is_first ? strcmp(line, DARN_COVERAGE_FIRST_LINE) == 0 : read_line(&reading, line);
        is_first = false;
    }
    free(line);
    fclose(file);
    darn_map_free(&reading.keys);
    return is_good && !is_first ? 0 : -EINVAL;
}

/* ---- the share of what is possible ---- */

/* shared KEY FILE:LINE:COLUMN OP VARIABLE */
static void read_shared(struct darn_campaign_share *share, const char *line)
{
    struct darn_campaign_shared *site;
    unsigned long long key;
    char place[4096], op[16];
    int begin = 0, used = 0;

    if (sscanf(line, "shared %16llx %n%4095s %15s %n", &key, &begin, place, op, &used) < 3)
        return;
    share->sites = darn_grow(share->sites, &share->room, share->count + 1, sizeof(*share->sites));
    site = &share->sites[share->count++];
    site->key = key;
    site->place = darn_need_memory(strdup(line + begin));
    site->place[strcspn(site->place, "\n")] = '\0';
    place[strcspn(place, ":")] = '\0';
    site->file = darn_need_memory(strdup(place));
    site->variable = darn_need_memory(strdup(line + used));
    site->variable[strcspn(site->variable, "\n")] = '\0';
    site->writes = strcmp(op, "read") != 0;
}

static int read_profile(struct darn_campaign_share *share, const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    bool is_good = true, is_first = true;

    if (!file)
        return -errno;
    while (is_good && getline(&line, &size, file) > 0) {
        if (is_first)
            is_good = darn_profile_is(line, strlen(line));
        is_first = false;
        read_shared(share, line);
    }
    free(line);
    fclose(file);
    return is_good ? 0 : -EINVAL;
}

static bool is_possible(const struct darn_campaign_shared *a, const struct darn_campaign_shared *b)
{
    return (a->writes || b->writes) &&
           (a == b || (*a->variable && strcmp(a->variable, b->variable) == 0));
}

/* FILE:LINE:COLUMN FUNCTION …: to its end. */
static const char *function_in(const char *place, int *length)
{
    const char *start = strchr(place, ' ');

    start = start ? start + 1 : place;
    *length = (int)strcspn(start, " ");
    return start;
}

static void name_functions(struct darn_campaign_share *share,
                           const struct darn_campaign_coverage *coverage)
{
    for (size_t i = 0; i < share->count; i++)
        for (size_t j = 0; j < coverage->site_count; j++)
            if (coverage->sites[j].key == share->sites[i].key) {
                int length;

                share->sites[i].function = function_in(coverage->sites[j].place, &length);
            }
}

void darn_campaign_share_each(const struct darn_campaign_share *share,
                              const struct darn_campaign_coverage *coverage,
                              void (*visit)(void *context, size_t first, size_t second, bool seen),
                              void *context)
{
    for (size_t i = 0; i < share->count; i++)
        for (size_t j = 0; j < share->count; j++) {
            struct darn_campaign_fact fact = {DARN_COVERAGE_PAIR, share->sites[j].key,
                                              share->sites[i].key};

            if (is_possible(&share->sites[j], &share->sites[i]))
                visit(context, j, i, darn_campaign_facts_has(&coverage->facts, &fact));
        }
}

static void count_pair(void *context, size_t first, size_t second, bool seen)
{
    struct darn_campaign_share *share = context;

    (void)first;
    share->sites[second].possible++;
    share->sites[second].seen += seen;
    share->possible++;
    share->seen += seen;
}

int darn_campaign_share(struct darn_campaign_share *share,
                        const struct darn_campaign_coverage *coverage, const char *profile)
{
    int result = read_profile(share, profile);

    if (result)
        return result;
    name_functions(share, coverage);
    darn_campaign_share_each(share, coverage, count_pair, share);
    return 0;
}

void darn_campaign_share_free(struct darn_campaign_share *share)
{
    for (size_t i = 0; i < share->count; i++) {
        free(share->sites[i].file);
        free(share->sites[i].variable);
        free(share->sites[i].place);
    }
    free(share->sites);
    *share = (struct darn_campaign_share){0};
}
