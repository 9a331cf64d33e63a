#include "runtime/record/record_merge.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "runtime/os/os.h"
#include "runtime/record/facts.h"
#include "runtime/watch/sites.h"

static const char *const kind_names[] = {"shared", "spin", "suspect"};
static const char *const op_names[] = {"read", "write", "update", "fence", "wait", "function"};

/* What is in the file, old and new: pairs of keys with a bit for each kind. `written` are those
 * whose line stands in the new file. */
struct merge {
    struct darn_facts facts;
    struct darn_facts written;
    struct darn_site_copy copy;
    struct darn_out out;
    bool no_memory;
};

static uint32_t bit(enum darn_fact_kind kind)
{
    return UINT32_C(1) << kind;
}

int darn_profile_check(const struct darn_file *file)
{
    struct darn_fact fact;
    size_t at = 0;
    int found, line = 1;

    if (!file->length)
        return 0;
    if (!darn_profile_is(file->text, file->length))
        return 1;
    do {
        found = darn_profile_next(file->text, file->length, &at, &fact);
    } while (found == 1);
    for (size_t i = 0; i < at; i++)
        line += file->text[i] == '\n';
    return found < 0 ? line : 0;
}

/* Returns whether it was not there. */
static bool add(struct merge *merge, struct darn_facts *facts, const struct darn_fact *fact)
{
    uint32_t before = darn_facts_add(facts, fact->site, fact->writer, bit(fact->kind));

    if (before != UINT32_MAX)
        return !(before & bit(fact->kind));
    merge->no_memory = true;
    return false;
}

/* A spin that was seen is no suspect any more. */
static bool is_better_known(const struct merge *merge, const struct darn_fact *fact)
{
    return fact->kind == DARN_FACT_SUSPECT &&
           darn_facts_get(&merge->facts, fact->site, fact->writer) & bit(DARN_FACT_SPIN);
}

static bool is_first_line(const char *line, size_t length)
{
    size_t first = strlen(DARN_PROFILE_FIRST_LINE);

    return length >= first && memcmp(line, DARN_PROFILE_FIRST_LINE, first) == 0;
}

/* Lines stay as people have left them, remarks included. */
static void write_old(struct merge *merge, const struct darn_file *file)
{
    size_t start = 0;

    while (start < file->length) {
        const char *line = file->text + start;
        const char *end = memchr(line, '\n', file->length - start);
        size_t length = end ? (size_t)(end - line) : file->length - start, at = 0;
        struct darn_fact fact;
        bool is_fact = darn_profile_next(line, length, &at, &fact) == 1;

        start += length + 1;
        if (is_fact ? is_better_known(merge, &fact) || !add(merge, &merge->written, &fact)
                    : is_first_line(line, length))
            continue;
        darn_out_part(&merge->out, line, length);
        darn_out_char(&merge->out, '\n');
    }
}

static void write_key(struct darn_out *out, uint64_t key)
{
    darn_out_char(out, ' ');
    for (int shift = 60; shift >= 0; shift -= 4)
        darn_out_char(out, "0123456789abcdef"[key >> shift & 15]);
}

/* A name with a line break in it would break the file. */
static void write_name(struct darn_out *out, const char *name)
{
    for (; *name; name++)
        darn_out_char(out, (unsigned char)*name < ' ' ? '?' : *name);
}

static void write_number(struct darn_out *out, uint64_t number)
{
    char digits[24];
    struct darn_text text;

    darn_text_start(&text, digits, sizeof(digits));
    darn_text_number(&text, number);
    darn_out_char(out, ':');
    darn_out_text(out, digits);
}

/* bank.c:12:9 write balance */
static void write_site(struct merge *merge, uint32_t number, const char *before)
{
    const struct darn_site *site = &merge->copy.site;
    struct darn_out *out = &merge->out;

    if (!darn_site_copy(&merge->copy, number))
        return; /* unloaded: the key says it all */
    darn_out_text(out, before);
    write_name(out, merge->copy.file);
    write_number(out, site->line);
    write_number(out, site->column);
    darn_out_char(out, ' ');
    darn_out_text(out, site->kind < sizeof(op_names) / sizeof(*op_names) ? op_names[site->kind]
                                                                         : "access");
    if (*merge->copy.variable) {
        darn_out_char(out, ' ');
        write_name(out, merge->copy.variable);
    }
}

static void write_shared(struct merge *merge)
{
    uint32_t count = darn_sites_count();

    for (uint32_t i = 0; i < count; i++) {
        struct darn_fact fact = {.kind = DARN_FACT_SHARED};

        if (!darn_site_is_marked(i))
            continue;
        fact.site = darn_site_key_at(i);
        if (!fact.site || !add(merge, &merge->written, &fact))
            continue;
        darn_out_text(&merge->out, kind_names[fact.kind]);
        write_key(&merge->out, fact.site);
        write_site(merge, i, " ");
        darn_out_char(&merge->out, '\n');
    }
}

static struct darn_fact fact_of(const struct darn_pair *pair)
{
    return (struct darn_fact){pair->kind, pair->reader_key, pair->writer_key};
}

static void write_pairs(struct merge *merge, const struct darn_pair *pairs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct darn_fact fact = fact_of(&pairs[i]);

        if (is_better_known(merge, &fact) || !add(merge, &merge->written, &fact))
            continue;
        darn_out_text(&merge->out, kind_names[fact.kind]);
        write_key(&merge->out, fact.site);
        write_key(&merge->out, fact.writer);
        write_site(merge, pairs[i].reader, " ");
        write_site(merge, pairs[i].writer, ", ");
        darn_out_char(&merge->out, '\n');
    }
}

static bool is_before(const struct darn_pair *a, const struct darn_pair *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->reader != b->reader ? a->reader < b->reader : a->writer < b->writer;
}

/* In the order of the source, as the marked sites: two runs that learn the same write the same. A
 * shell sort, for qsort may allocate. */
static void sort(struct darn_pair *pairs, uint32_t count)
{
    for (uint32_t gap = count / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (uint32_t i = gap; i < count; i++) {
            struct darn_pair pair = pairs[i];
            uint32_t j = i;

            for (; j >= gap && is_before(&pair, &pairs[j - gap]); j -= gap)
                pairs[j] = pairs[j - gap];
            pairs[j] = pair;
        }
    }
}

static void collect(struct merge *merge, const struct darn_file *file,
                    const struct darn_pair *pairs, uint32_t count)
{
    struct darn_fact fact;
    size_t at = 0;

    while (darn_profile_next(file->text, file->length, &at, &fact) == 1)
        add(merge, &merge->facts, &fact);
    for (uint32_t i = 0; i < count; i++) {
        fact = fact_of(&pairs[i]);
        add(merge, &merge->facts, &fact);
    }
}

static int write_all(struct merge *merge, const char *path, const struct darn_file *file,
                     const struct darn_pair *pairs, uint32_t count)
{
    collect(merge, file, pairs, count);
    darn_out_start(&merge->out, path);
    darn_out_text(&merge->out, DARN_PROFILE_FIRST_LINE "\n");
    write_old(merge, file);
    write_shared(merge);
    write_pairs(merge, pairs, count);
    if (merge->no_memory && !merge->out.error)
        merge->out.error = -ENOMEM; /* the old file is better than a part of it */
    darn_facts_free(&merge->facts);
    darn_facts_free(&merge->written);
    return darn_out_finish(&merge->out);
}

int darn_profile_merge(const char *path, struct darn_pair *pairs, uint32_t count)
{
    struct merge *merge = darn_os_allocate(sizeof(*merge));
    struct darn_file file;
    int result, locked;

    if (!merge)
        return -ENOMEM;
    locked = darn_file_lock(path);
    result = darn_file_read(&file, path);
    if (result == 0)
        result = darn_profile_check(&file);
    else if (result == -ENOENT)
        result = 0;
    sort(pairs, count);
    if (result == 0)
        result = write_all(merge, path, &file, pairs, count);
    darn_file_unlock(locked);
    darn_file_free(&file);
    darn_os_free(merge, sizeof(*merge));
    return result;
}
