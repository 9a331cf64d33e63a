/* What is said about healing when the program has ended. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>

#include "base/json.h"
#include "runtime/heal/cures.h"
#include "runtime/heal/elision.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/heal.h"
#include "runtime/heal/hold.h"
#include "runtime/os/os.h"
#include "runtime/report/tell.h"
#include "runtime/state.h"

#define TEXT_SIZE (8 << 20)

/* So many lines are said about sections that cannot be healed. */
#define NAMED 10

static const char *const ways[] = {"block", "lock", "yield", "priority"};
static const char *const matches[] = {"none", "part", "moved", "exact"};
static const char *const ops[] = {"read", "write", "update"};

/* ---- JSON ---- */

static void put_inside(struct darn_json *json, uint16_t inside)
{
    darn_json_open(json, "inside", '[');
    for (unsigned bit = 0; darn_section_inside_name(bit); bit++) {
        if (inside >> bit & 1)
            darn_json_string(json, NULL, darn_section_inside_name(bit));
    }
    darn_json_close(json, ']');
}

static void put_entry(struct darn_json *json, const struct darn_cure *cure)
{
    const struct darn_section_point *entry = cure->wanted.section.entry;
    size_t start;

    if (!entry || !cure->entry_line)
        return;
    start = darn_json_string_open(json, "entry");
    darn_text_number(&json->text, cure->entry_line);
    darn_text_char(&json->text, ':');
    darn_text_number(&json->text, cure->entry_column);
    darn_text_char(&json->text, ' ');
    darn_text_add(&json->text, entry->kind < 3 ? ops[entry->kind] : "?");
    darn_json_string_close(json, start);
}

static const char *why_not(const struct darn_cure *cure)
{
    if (cure->wanted.why)
        return cure->wanted.why;
    return cure->wanted.how == DARN_MATCH_PART ? "the program has only a part of the section"
                                               : "the program has no such section";
}

static bool is_elided(const struct darn_cure *cure)
{
    for (const struct darn_rule *rule = darn_rules(); rule; rule = rule->next) {
        if (rule->cure == cure && darn_elision_is_on(rule))
            return true;
    }
    return false;
}

static void put_number(struct darn_json *json, const char *key, uint64_t number)
{
    darn_json_number(json, key, (int64_t)number);
}

static void put_cure(struct darn_json *json, const struct darn_cure *cure)
{
    darn_json_open(json, NULL, '{');
    darn_json_open(json, "rule", '{');
    put_number(json, "line", cure->line);
    darn_json_string(json, "variable", cure->wanted.section.variable);
    darn_json_string(json, "function", cure->wanted.section.function);
    darn_json_string(json, "file", cure->wanted.section.file);
    darn_json_string(json, "kind", darn_section_kind_name(cure->wanted.section.kind));
    put_inside(json, cure->inside);
    put_entry(json, cure);
    darn_json_string(json, "match", matches[cure->wanted.how]);
    if (cure->wanted.how <= DARN_MATCH_PART)
        darn_json_string(json, "why", why_not(cure));
    darn_json_string(json, "with", ways[cure->with]);
    put_number(json, "entered", cure->entered + darn_healers_entered(cure));
    put_number(json, "healed", cure->healed);
    put_number(json, "waited_us", cure->waited / 1000);
    put_number(json, "longest_us", cure->longest / 1000);
    put_number(json, "cycles", cure->cycles);
    put_number(json, "expired", cure->expired);
    if (is_elided(cure))
        darn_json_bool(json, "trusted", true);
    darn_json_bool(json, "given_up", cure->given_up);
    darn_json_close(json, '}');
    darn_json_close(json, '}');
    darn_json_end_line(json);
}

static void put_all(struct darn_json *json)
{
    uint64_t waited = 0;

    for (const struct darn_cure *cure = darn_cures(); cure; cure = cure->next)
        waited += cure->waited;
    darn_json_open(json, NULL, '{');
    darn_json_number(json, "heal", 1);
    darn_json_string(json, "with", ways[darn_state.options.heal_with]);
    put_number(json, "bound_ms", darn_state.options.heal_bound);
    put_number(json, "pid", (uint64_t)darn_state.pid);
    put_number(json, "wait_us", (waited + darn_gates_waited()) / 1000);
    darn_json_close(json, '}');
    darn_json_end_line(json);
    for (const struct darn_cure *cure = darn_cures(); cure; cure = cure->next)
        if (!cure->gate)
            put_cure(json, cure);
    darn_gates_write(json);
}

static bool did_something(void)
{
    for (const struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        if (cure->healed || cure->cycles || cure->expired)
            return true;
    }
    return darn_gates_waited();
}

/* A file that others read meanwhile is whole at any time. */
static int replace(const char *name, const struct darn_text *text, char *other, size_t room)
{
    struct darn_text to;
    int error;

    darn_text_start(&to, other, room);
    darn_text_add(&to, name);
    darn_text_add(&to, ".part");
    darn_os_remove(other);
    error = darn_os_append(other, O_NOFOLLOW, text->to, text->used);
    return error ? error : darn_os_rename(other, name);
}

/* The file is that of the program that was started; its children append the id of theirs. With
 * `ending` it is another one, which is replaced. */
static void write_counts(const char *path, const char *ending)
{
    enum { NAME = DARN_OPTIONS_PATH + 32 };
    char *room = darn_os_allocate(TEXT_SIZE), *name = darn_os_allocate(2 * NAME);
    struct darn_json json;
    struct darn_text to;
    int error;

    if (!room || !name) {
        darn_say_line("darn: heal_out: out of memory; the counts are not written");
        return;
    }
    darn_text_start(&to, name, NAME);
    darn_text_add(&to, path);
    darn_text_add(&to, ending);
    if (darn_heal_is_child) {
        darn_text_char(&to, '.');
        darn_text_number(&to, (uint64_t)darn_state.pid);
    }
    darn_json_start(&json, room, TEXT_SIZE);
    put_all(&json);
    error = json.text.cut ? -EFBIG
            : *ending     ? replace(name, &json.text, name + NAME, NAME)
                          : darn_os_append(name, darn_heal_is_child ? O_NOFOLLOW : 0, json.text.to,
                                           json.text.used);
    if (error)
        darn_say_failed("darn: heal_out: the account cannot be written", error);
    darn_os_free(room, TEXT_SIZE);
    darn_os_free(name, 2 * NAME);
}

/* ---- lines ---- */

static void say_missing(const struct darn_cure *cure)
{
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, "darn: ");
    darn_say_text(&say, darn_state.options.heal);
    darn_say_text(&say, ":");
    darn_say_number(&say, cure->line);
    darn_say_text(&say, ": not healed: ");
    darn_say_text(&say, cure->wanted.section.variable);
    darn_say_text(&say, " in ");
    darn_say_text(&say, cure->wanted.section.first ? cure->wanted.section.file
                                                   : cure->wanted.section.function);
    darn_say_text(&say, ": ");
    darn_say_text(&say, why_not(cure));
    darn_say_end(&say);
}

/* An end that is nowhere would be passed unseen: the section is not healed. */
static void find_parts(void)
{
    for (const struct darn_rule *rule = darn_rules(); rule; rule = rule->next) {
        if (rule->cure && !darn_rule_is_whole(rule))
            rule->cure->wanted.how = DARN_MATCH_PART;
    }
}

void darn_heal_write_now(void)
{
    if (!darn_state.options.heal_out[0])
        return;
    find_parts();
    write_counts(darn_state.options.heal_out, ".now");
}

static void say_all_missing(void)
{
    uint32_t missing = 0;
    struct darn_say say;

    for (const struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        if (cure->wanted.how <= DARN_MATCH_PART && missing++ < NAMED)
            say_missing(cure);
    }
    if (missing <= NAMED)
        return;
    darn_say_start(&say);
    darn_say_text(&say, "darn: and ");
    darn_say_number(&say, missing - NAMED);
    darn_say_text(&say, " more sections that are not healed");
    darn_say_end(&say);
}

/* What was counted before is the parent's. */
void darn_heal_count_anew(void)
{
    darn_healers_sum();
    for (struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        cure->entered = cure->healed = cure->cycles = cure->expired = 0;
        cure->waited = cure->longest = 0;
    }
}

static void write_account(void)
{
    if (darn_state.options.heal_out[0] && (!darn_heal_is_child || did_something()))
        write_counts(darn_state.options.heal_out, "");
}

void darn_heal_keep(void)
{
    darn_healers_sum();
    find_parts();
    darn_heal_write_learned();
    write_account();
    darn_heal_count_anew(); /* if there is no other program, the rest comes at the end */
}

void darn_heal_finish(void)
{
    darn_healers_sum();
    find_parts();
    if (darn_rules_are_short())
        darn_say_line("darn: heal: out of memory; not all sections were healed");
    darn_heal_write_learned();
    write_account();
    if (!darn_state.options.heal_out[0] && !darn_heal_is_child) {
        say_all_missing();
        darn_gates_say();
    }
}
