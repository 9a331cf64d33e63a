/*
 * What an exploration says while it runs and when it is over.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/explore/exploration.h"
#include "driver/process/syscalls.h"
#include "report/report_format.h"
#include "report/sink.h"

static double rate_of(const struct darn_exploration *exploration, double until)
{
    double seconds = until - exploration->started - exploration->looking;

    return seconds > 0 ? (double)exploration->schedules / seconds : 0;
}

void darn_exploration_clear_progress(struct darn_exploration *exploration)
{
    if (exploration->progress)
        fputs("\r\033[K", stderr);
    exploration->progress = false;
}

void darn_exploration_show_progress(struct darn_exploration *exploration)
{
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[Kdarn %s: %" PRIu64 " schedules, %.0f per second, %zu found",
            exploration->command, exploration->schedules, rate_of(exploration, darn_clock()),
            exploration->found_count);
    fflush(stderr);
    exploration->progress = true;
}

static void put(json_t *object, const char *key, uint64_t number)
{
    json_object_set_new(object, key, json_integer((json_int_t)number));
}

/* The first six fields are fixed; others may be added. */
static json_t *summary_object(const struct darn_exploration *exploration,
                              const struct darn_search_stats *stats)
{
    const struct darn_explore_line *line = exploration->line;
    json_t *object = json_pack("{s:s}", "kind", "summary");

    put(object, "schedules", exploration->schedules);
    if (exploration->first_bug)
        put(object, "first_bug", exploration->first_bug);
    else
        json_object_set_new(object, "first_bug", json_null());
    json_object_set_new(object, "schedules_per_second",
                        json_real(rate_of(exploration, exploration->ended)));
    json_object_set_new(object, "strategy", json_string(darn_search_name(line->search.kind)));
    put(object, "seed", line->search.seed);
    put(object, "learning", exploration->learning);
    json_object_set_new(object, "seconds", json_real(exploration->ended - exploration->started));
    put(object, "jobs", exploration->player_count);
    put(object, "reads_from", stats->reads);
    put(object, "partial_orders", stats->partial_orders);
    put(object, "steps", stats->steps);
    put(object, "longest", stats->longest);
    json_object_set_new(object, "exhausted", json_boolean(exploration->exhausted));
    put(object, "findings", exploration->found_count);
    put(object, "failures", exploration->failures);
    json_object_set_new(object, "points", json_string(darn_explore_points_name(line->points)));
    put(object, "armed", exploration->armed_count);
    json_object_set_new(object, "interrupted",
                        json_boolean(atomic_load(&exploration->interrupted) != 0));
    return object;
}

/* One object in a line for each finding, then the summary. NULL without memory. */
static char *make_json(const struct darn_exploration *exploration,
                       const struct darn_search_stats *stats, size_t *length)
{
    static const struct darn_style plain;
    json_t *object = summary_object(exploration, stats);
    char *text = NULL;
    FILE *out = open_memstream(&text, length);

    for (size_t i = 0; out && i < exploration->found_count; i++)
        darn_format_find("json")->finding(out, exploration->found[i].finding, &plain);
    if (out && object) {
        json_dumpf(object, out, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
        fputc('\n', out);
    }
    if (out)
        fclose(out);
    json_decref(object);
    return text;
}

/* 0 or an exit status. */
static int print_json(const struct darn_exploration *exploration,
                      const struct darn_search_stats *stats)
{
    size_t length = 0;
    char *text = make_json(exploration, stats, &length);
    const char *file = exploration->line->json_file;
    int result;

    if (!text)
        return darn_refuse("explore", "out of memory");
    if (!file) {
        fwrite(text, 1, length, stdout);
        free(text);
        return darn_finish_output();
    }
    result = darn_sink_append(file, text, length);
    free(text);
    if (result)
        darn_warn("explore", "json: %s cannot be written: %s", file, strerror(-result));
    return result ? 1 : 0;
}

static void say(const struct darn_exploration *exploration, const char *text)
{
    fprintf(stderr, "darn %s: %s\n", exploration->command, text);
}

/* Inputs that were not recorded, by enum darn_input. */
static void say_unrecorded(const struct darn_exploration *exploration)
{
    static const char *const names[DARN_INPUTS] = {
        [DARN_INPUT_RANDOM] = "random numbers",
        [DARN_INPUT_PID] = "process ids",
        [DARN_INPUT_SOCKET] = "sockets",
        [DARN_INPUT_DEVICE] = "devices",
    };
    const char *between = "";
    uint32_t bits = exploration->unrecorded;

    if (!bits)
        return;
    fprintf(stderr,
            "darn %s: note: the program reads what is not recorded and may differ in a replay: ",
            exploration->command);
    for (int i = 0; i < DARN_INPUTS; i++) {
        if (!(bits & 1u << i))
            continue;
        fprintf(stderr, "%s%s", between, names[i]);
        between = ", ";
    }
    fputc('\n', stderr);
}

/* A call that is made past our interceptors: by code that calls the system itself. */
static void note_stuck(const struct darn_exploration *exploration)
{
    long number = (long)exploration->stuck_call - 1;
    const char *name = darn_syscall_name(number);
    char unnamed[32];

    snprintf(unnamed, sizeof(unnamed), "system call %ld", number);
    fprintf(stderr,
            "darn %s: note: T%u waited in %s, which darn does not intercept there: others went on "
            "without it, and a replay may differ\n",
            exploration->command, exploration->stuck_thread, name ? name : unnamed);
}

void darn_exploration_notes(const struct darn_exploration *exploration)
{
    if (exploration->schedules && exploration->without_choice == exploration->schedules)
        say(exploration, "note: there was never more than one thread that could go on");
    if (exploration->straight_fails && exploration->first_bug)
        say(exploration,
            "note: it fails when no thread is interrupted, too: the schedule may not matter");
    if (exploration->processes)
        say(exploration, "note: the program starts processes, which run uncontrolled");
    if (exploration->stuck)
        note_stuck(exploration);
    if (exploration->slow)
        fprintf(stderr,
                "darn %s: note: %" PRIu64 " schedules did not end within %g s or %" PRIu64
                " steps, but when every thread got its turn\n",
                exploration->command, exploration->slow, exploration->line->timeout_ms / 1000.0,
                exploration->line->max_steps);
    say_unrecorded(exploration);
}

static void say_statistics(const struct darn_exploration *exploration,
                           const struct darn_search_stats *stats)
{
    const struct darn_explore_line *line = exploration->line;

    if (exploration->first_bug)
        fprintf(stderr, "darn explore: first bug at schedule %" PRIu64 "\n",
                exploration->first_bug);
    fprintf(stderr,
            "darn explore: %" PRIu64 " schedule%s in %.1f s (%.0f per second), %" PRIu64
            " to learn; %" PRIu64 " reads-from pairs, %" PRIu64 " partial orders; strategy %s, "
            "seed %" PRIu64 "%s\n",
            exploration->schedules, exploration->schedules == 1 ? "" : "s",
            exploration->ended - exploration->started, rate_of(exploration, exploration->ended),
            exploration->learning, stats->reads, stats->partial_orders,
            darn_search_name(line->search.kind), line->search.seed,
            exploration->exhausted ? "; nothing is left to try" : "");
}

/* The last line, as of every run of darn. */
static void print_summary(const struct darn_exploration *exploration)
{
    struct darn_summary summary = {0};

    summary.items =
        darn_pool_get(&summary.pool, exploration->found_count + 1, sizeof(*summary.items));
    summary.scope =
        darn_pool_format(&summary.pool, "%" PRIu64 " schedule%s", exploration->schedules,
                         exploration->schedules == 1 ? "" : "s");
    for (size_t i = 0; i < exploration->found_count; i++) {
        const struct darn_finding *finding = exploration->found[i].finding;
        const struct darn_finding_access *first = &finding->accesses[0];

        summary.items[summary.item_count++] = (struct darn_summary_item){
            .id = finding->id,
            .kind = finding->kind,
            .certainty = finding->certainty,
            .file = first->file,
            .function = first->function,
            .variable = finding->variable,
            .line = first->line,
            .count = finding->count,
        };
    }
    darn_format_find("text")->summary(stderr, &summary, &exploration->style);
    darn_pool_release(&summary.pool);
}

int darn_exploration_summary(struct darn_exploration *exploration)
{
    struct darn_search_stats stats;

    darn_search_stats(exploration->search, &stats);
    exploration->exhausted = stats.exhausted;
    darn_exploration_clear_progress(exploration);
    darn_exploration_notes(exploration);
    say_statistics(exploration, &stats);
    print_summary(exploration);
    return exploration->line->json ? print_json(exploration, &stats) : 0;
}
