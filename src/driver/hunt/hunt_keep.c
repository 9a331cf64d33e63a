/*
 * What a hunt writes: the directories of its proofs, and the index.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "driver/hunt/hunt.h"
#include "driver/play/kept.h"
#include "driver/play/shrinking.h"
#include "report/raw.h"
#include "report/report_format.h"
#include "report/report_kinds.h"

/* What is to be written. */
struct text {
    char *bytes;
    size_t length;
};

static bool is_same_place(const struct darn_finding_access *one,
                          const struct darn_finding_access *other)
{
    return one->op == other->op && one->line == other->line && one->column == other->column &&
           one->file && other->file && strcmp(one->file, other->file) == 0;
}

/* How the hits ended: an object for each order of the two accesses. `first` is the number of one
 * among those of the finding, which may have been caught the other way round than the prediction
 * says. */
static json_t *orders_object(const struct darn_target *target, const struct darn_finding *finding)
{
    const struct darn_finding_access *one = &target->finding->accesses[0];
    bool is_swapped = finding->access_count == 2 && !is_same_place(one, &finding->accesses[0]) &&
                      is_same_place(one, &finding->accesses[1]);
    json_t *list = json_array();

    for (int number = 0; number < 2; number++) {
        int first = number ^ is_swapped;
        json_t *ends = json_object();

        for (int kind = 0; kind < DARN_VERDICTS; kind++)
            if (target->ends[first][kind])
                json_object_set_new(ends, darn_verdict_word(kind),
                                    json_integer(target->ends[first][kind]));
        json_array_append_new(list, json_pack("{s:i, s:o}", "first", number, "ends", ends));
    }
    return list;
}

/* Of the schedule, whose run was just made. */
static void put_switches(json_t *entry, const struct darn_control_block *block,
                         const struct darn_schedule *schedule)
{
    uint64_t steps =
        block->result.steps < DARN_BLOCK_STEPS ? block->result.steps : DARN_BLOCK_STEPS;
    struct darn_switch_count count = darn_switches_count(
        block->steps, steps < schedule->step_count ? (size_t)steps : schedule->step_count);

    json_object_set_new(entry, "switches", json_integer((json_int_t)count.switches));
    json_object_set_new(entry, "preemptions", json_integer((json_int_t)count.preemptions));
    if (schedule->essential)
        json_object_set_new(entry, "essential",
                            json_pack("{s:I, s:I}", "step", (json_int_t)schedule->essential,
                                      "instead", (json_int_t)schedule->instead));
}

/* That of the same finding, or the first number that is not taken. 0 or a negative errno. */
static int make_directory(struct darn_hunt *hunt, const char *id, char *path, size_t size,
                          uint32_t *number)
{
    const json_t *known = id ? darn_index_find(&hunt->index, id) : NULL;

    if (known && darn_index_directory(known)) {
        *number = (uint32_t)strtoul(darn_index_directory(known), NULL, 10);
        return (size_t)snprintf(path, size, "%s/%" PRIu32, hunt->directory, *number) < size
                   ? 0
                   : -ENAMETOOLONG;
    }
    return darn_kept_make(hunt->directory, number, path, size);
}

/* "bank.c:12 (read)", with the column where the line alone does not tell the two apart. */
static void print_side(FILE *out, const struct darn_finding *finding, int side,
                       const struct darn_style *style)
{
    const struct darn_finding_access *access = &finding->accesses[side];
    const struct darn_finding_access *other = &finding->accesses[!side];

    fprintf(out, "%s:%u", darn_style_path(style, access->file), access->line);
    if (access->line == other->line && access->op == other->op && access->column)
        fprintf(out, ":%u", access->column);
    fprintf(out, " (%s)", darn_op_name(access->op));
}

/* "  if bank.c:12 (read) goes first: 7 times ok, 3 times an abort" */
static void print_orders(FILE *out, const struct darn_target *target,
                         const struct darn_style *style)
{
    for (int first = 0; first < 2; first++) {
        const struct darn_finding_access *access = &target->finding->accesses[first];
        const char *between = ": ";

        if (!access->file)
            continue;
        for (int kind = 0; kind < DARN_VERDICTS; kind++) {
            uint32_t times = target->ends[first][kind];

            if (!times)
                continue;
            if (between[0] == ':') {
                fputs("  if ", out);
                print_side(out, target->finding, first, style);
                fputs(" goes first", out);
            }
            fprintf(out, "%s%" PRIu32 " time%s %s", between, times, times == 1 ? "" : "s",
                    darn_outcome_words(darn_verdict_word(kind)));
            between = ", ";
        }
        if (between[0] == ',')
            fputc('\n', out);
    }
}

/* Sites that race with themselves have one order only. */
static bool has_orders(const struct darn_finding *finding, const struct darn_target *target)
{
    if (target && target->kind == DARN_TARGET_ORDER)
        return darn_finding_is(finding, target->finding->kind);
    return target && target->kind == DARN_TARGET_RACE && target->finding->access_count == 2 &&
           target->sides[0].places[0] != target->sides[1].places[0];
}

static struct text render_report(const struct darn_hunt *hunt, const struct darn_finding *finding,
                                 const struct darn_target *target)
{
    struct darn_style style = {hunt->options.strip_path_prefix, false};
    struct text text = {NULL, 0};
    FILE *out = open_memstream(&text.bytes, &text.length);

    if (out) {
        darn_format_find("text")->finding(out, finding, &style);
        if (has_orders(finding, target))
            print_orders(out, target, &style);
        fclose(out);
    }
    return text;
}

static int write_report(const struct darn_hunt *hunt, const char *path,
                        const struct darn_finding *finding, const struct darn_target *target)
{
    struct text text = render_report(hunt, finding, target);
    int result =
        text.bytes ? darn_kept_write(path, "report.txt", text.bytes, text.length) : -ENOMEM;

    free(text.bytes);
    return result;
}

/* The schedule comes last: where there is one, all the rest is there. */
static int write_all(struct darn_hunt *hunt, struct darn_player *player, const char *path,
                     const struct darn_finding *finding, const struct darn_schedule *schedule,
                     const struct darn_target *target)
{
    int result = write_report(hunt, path, finding, target);

    if (!result)
        result = darn_kept_write_story(path, player, schedule,
                                       target && darn_target_is_met(target) ? finding->id : NULL);
    if (!result)
        result = darn_kept_write_log(path, player);
    if (!result && hunt->exploration.input)
        result = darn_kept_copy_input(path, hunt->exploration.input);
    if (!result)
        result = darn_kept_write_schedule(path, "schedule", schedule);
    return result;
}

static json_t *make_entry(struct darn_hunt *hunt, struct darn_player *player,
                          const struct darn_finding *finding, const struct darn_schedule *schedule,
                          const struct darn_target *target, uint32_t number)
{
    json_t *entry = darn_kept_object(finding, &player->judge, hunt->options.reset);
    char name[16];

    snprintf(name, sizeof(name), "%" PRIu32, number);
    json_object_set_new(entry, "directory", json_string(name));
    if (*player->judged.text)
        json_object_set_new(entry, "ending", json_string(player->judged.text));
    if (target && (target->kind == DARN_TARGET_RACE || target->kind == DARN_TARGET_ORDER))
        json_object_set_new(entry, "orders", orders_object(target, finding));
    put_switches(entry, player->block, schedule);
    return entry;
}

/* What the compiler has inferred may be about the accesses of a prediction that was confirmed. */
static bool is_known(const struct darn_hunt *hunt, const char *id)
{
    for (size_t i = 0; i < hunt->target_count; i++)
        if (hunt->targets[i].proved && !hunt->targets[i].is_ours &&
            strcmp(hunt->targets[i].finding->id, id) == 0)
            return true;
    return false;
}

void darn_hunt_keep(struct darn_hunt *hunt, struct darn_player *player,
                    struct darn_finding *finding, const struct darn_schedule *schedule,
                    const struct darn_target *target)
{
    char path[PATH_MAX];
    uint32_t number = 0;
    json_t *entry = NULL;
    bool is_told;
    int result;

    if (finding->is_suspicion && is_known(hunt, finding->id)) {
        darn_finding_free(finding);
        return;
    }
    result = make_directory(hunt, finding->id, path, sizeof(path), &number);
    if (!result) {
        finding->schedule =
            darn_pool_format(&finding->pool, "%s/%" PRIu32 "/schedule", hunt->name, number);
        entry = make_entry(hunt, player, finding, schedule, target, number);
        result = darn_kept_write_object(path, entry);
    }
    if (!result)
        result = write_all(hunt, player, path, finding, schedule, target);
    if (result)
        darn_tell_loss(hunt->listener, "%s cannot be written: %s", path, strerror(-result));
    if (result && entry)
        json_object_del(entry, "schedule"); /* there is nothing to replay */
    if (entry)
        darn_index_put(&hunt->index, entry);
    is_told = entry && !finding->is_suspicion;
    darn_finding_free(finding);
    (void)darn_hunt_save(hunt); /* which may drop a suspicion */
    if (is_told)
        darn_hunt_tell(hunt, player, entry);
}

/* The report is of the schedule that is kept: its threads are those of the story. */
static int rewrite_report(const struct darn_hunt *hunt, struct darn_player *player,
                          const char *path, json_t *entry, const struct darn_symptom *symptom)
{
    static const char *const fields[] = {"accesses", "threads"};
    const char *kind = json_string_value(json_object_get(entry, "kind"));
    struct darn_finding *finding;
    json_t *object;
    int result = 0;

    if (kind && strcmp(kind, "order-violation") == 0)
        return 0; /* it is about the two, and not about where the run failed */
    finding = darn_player_finding(player, symptom->id, symptom->met);
    object = finding ? darn_kept_object(finding, &player->judge, NULL) : NULL;
    darn_finding_free(finding);
    if (!object)
        return 0;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (json_object_get(object, fields[i]))
            json_object_set(entry, fields[i], json_object_get(object, fields[i]));
    json_decref(object);
    finding = darn_finding_reported(entry);
    if (finding)
        result = write_report(hunt, path, finding, darn_hunt_target_of(hunt, symptom->id));
    darn_finding_free(finding);
    return result;
}

void darn_hunt_keep_shrunk(struct darn_hunt *hunt, struct darn_player *player, json_t *entry,
                           const struct darn_schedule *schedule, const struct darn_symptom *symptom,
                           bool whole)
{
    char path[PATH_MAX + 64];
    int result;

    snprintf(path, sizeof(path), "%s/%s", hunt->directory, darn_index_directory(entry));
    put_switches(entry, player->block, schedule);
    json_object_set_new(entry, "shrunk", json_boolean(whole));
    result = darn_kept_keep_full(path);
    if (!result)
        result = darn_kept_write_schedule(path, "schedule", schedule);
    if (!result)
        result = rewrite_report(hunt, player, path, entry, symptom);
    if (!result)
        result = darn_kept_write_story(path, player, schedule, symptom->met ? symptom->id : NULL);
    if (!result)
        result = darn_kept_write_log(path, player);
    if (!result)
        result = darn_kept_write_object(path, entry);
    if (result)
        darn_tell_loss(hunt->listener, "%s cannot be written: %s", path, strerror(-result));
    (void)darn_hunt_save(hunt);
}

/* What was predicted and has not come true. An order that may be turned round is nothing to tell
 * of. */
static void put_predictions(struct darn_hunt *hunt)
{
    static const struct darn_judge no_judge;

    for (size_t i = 0; i < hunt->target_count; i++) {
        const struct darn_target *target = &hunt->targets[i];
        json_t *known = darn_index_find(&hunt->index, target->finding->id), *entry;

        if (target->kind == DARN_TARGET_ORDER)
            darn_hunt_note_order(hunt, target);
        if (target->is_ours || target->kind == DARN_TARGET_ORDER ||
            (known && darn_index_is_proof(known)))
            continue;
        if (target->proved) {
            darn_index_drop(&hunt->index, target->finding->id);
            continue;
        }
        entry = darn_kept_object(target->finding, &no_judge, NULL);
        json_object_del(entry, "check");
        json_object_set_new(entry, "trials", json_integer(target->trials));
        if (target->hits)
            json_object_set_new(entry, "hits", json_integer(target->hits));
        if (target->hits && target->cut_off)
            json_object_set_new(entry, "replayed", json_false());
        darn_index_put(&hunt->index, entry);
    }
}

int darn_hunt_save(struct darn_hunt *hunt)
{
    json_t *state = hunt->index.state;
    int result;

    put_predictions(hunt);
    json_object_set_new(state, "runs", json_integer((json_int_t)hunt->runs));
    json_object_set_new(state, "explored", json_integer((json_int_t)hunt->explored));
    json_object_set_new(state, "learned",
                        json_integer((json_int_t)(hunt->recorded + hunt->exploration.learning)));
    result = darn_index_write(&hunt->index);
    if (result)
        darn_tell_warning(hunt->listener, "%s cannot be written: %s", hunt->directory,
                          strerror(-result));
    return result;
}
