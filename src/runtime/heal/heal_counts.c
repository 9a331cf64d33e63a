/* What is said about healing when the program has ended. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>

#include "base/text.h"
#include "runtime/heal/cures.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/heal.h"
#include "runtime/heal/hold.h"
#include "runtime/heal/elision.h"
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

static void put_string(struct darn_text *text, const char *from)
{
    static const char digits[] = "0123456789abcdef";

    darn_text_char(text, '"');
    for (; *from; from++) {
        unsigned char c = (unsigned char)*from;

        if (c == '"' || c == '\\')
            darn_text_char(text, '\\');
        if (c >= ' ') {
            darn_text_char(text, (char)c);
            continue;
        }
        darn_text_add(text, "\\u00");
        darn_text_char(text, digits[c >> 4]);
        darn_text_char(text, digits[c & 15]);
    }
    darn_text_char(text, '"');
}

static void put_text(struct darn_text *text, const char *key, const char *value)
{
    darn_text_add(text, ",\"");
    darn_text_add(text, key);
    darn_text_add(text, "\":");
    put_string(text, value);
}

static void put_number(struct darn_text *text, const char *key, uint64_t value)
{
    darn_text_add(text, ",\"");
    darn_text_add(text, key);
    darn_text_add(text, "\":");
    darn_text_number(text, value);
}

static void put_inside(struct darn_text *text, uint16_t inside)
{
    const char *between = "";

    darn_text_add(text, ",\"inside\":[");
    for (unsigned bit = 0; darn_section_inside_name(bit); bit++) {
        if (!(inside >> bit & 1))
            continue;
        darn_text_add(text, between);
        put_string(text, darn_section_inside_name(bit));
        between = ",";
    }
    darn_text_char(text, ']');
}

static void put_entry(struct darn_text *text, const struct darn_cure *cure)
{
    if (!cure->entry_line)
        return;
    darn_text_add(text, ",\"entry\":\"");
    darn_text_number(text, cure->entry_line);
    darn_text_char(text, ':');
    darn_text_number(text, cure->entry_column);
    darn_text_char(text, ' ');
    darn_text_add(text, cure->shape.entry < 3 ? ops[cure->shape.entry] : "?");
    darn_text_char(text, '"');
}

static const char *why_not(const struct darn_cure *cure)
{
    if (cure->why)
        return cure->why;
    return cure->match == DARN_CURE_PART ? "the program has only a part of the section"
                                         : "the program has no such section";
}

static bool is_trusted(const struct darn_cure *cure)
{
    for (const struct darn_rule *rule = darn_rules(); rule; rule = rule->next) {
        if (rule->cure == cure && darn_trust_has(rule))
            return true;
    }
    return false;
}

static void put_cure(struct darn_text *text, const struct darn_cure *cure)
{
    darn_text_add(text, "{\"rule\":{\"line\":");
    darn_text_number(text, cure->line);
    put_text(text, "variable", cure->shape.variable);
    put_text(text, "function", cure->shape.function);
    put_text(text, "file", cure->shape.file);
    put_text(text, "kind", darn_section_kind_name(cure->shape.kind));
    put_inside(text, cure->inside);
    put_entry(text, cure);
    put_text(text, "match", matches[cure->match]);
    if (cure->match <= DARN_CURE_PART)
        put_text(text, "why", why_not(cure));
    put_text(text, "with", ways[cure->with]);
    put_number(text, "entered", cure->entered);
    put_number(text, "healed", cure->healed);
    put_number(text, "waited_us", cure->waited / 1000);
    put_number(text, "longest_us", cure->longest / 1000);
    put_number(text, "cycles", cure->cycles);
    put_number(text, "expired", cure->expired);
    if (is_trusted(cure))
        darn_text_add(text, ",\"trusted\":true");
    darn_text_add(text, cure->given_up ? ",\"given_up\":true}}\n" : ",\"given_up\":false}}\n");
}

static void put_all(struct darn_text *text)
{
    uint64_t waited = 0;

    for (const struct darn_cure *cure = darn_cures(); cure; cure = cure->next)
        waited += cure->waited;
    darn_text_add(text, "{\"heal\":1");
    put_text(text, "with", ways[darn_state.options.heal_with]);
    put_number(text, "bound_ms", darn_state.options.heal_bound);
    put_number(text, "pid", (uint64_t)darn_state.pid);
    put_number(text, "wait_us", (waited + darn_gates_waited()) / 1000);
    darn_text_add(text, "}\n");
    for (const struct darn_cure *cure = darn_cures(); cure; cure = cure->next)
        put_cure(text, cure);
    darn_gates_write(text);
}

static bool did_something(void)
{
    for (const struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        if (cure->healed || cure->cycles || cure->expired)
            return true;
    }
    return darn_gates_waited();
}

/* The file is that of the program that was started; its children append the id of theirs. */
static void write_counts(const char *path)
{
    char *room = darn_os_allocate(TEXT_SIZE), *name = darn_os_allocate(DARN_OPTIONS_PATH + 16);
    struct darn_text text, to;
    int error;

    if (!room || !name) {
        darn_say("darn: heal_out: out of memory; the counts are not written");
        return;
    }
    darn_text_start(&to, name, DARN_OPTIONS_PATH + 16);
    darn_text_add(&to, path);
    if (darn_heal_is_child) {
        darn_text_char(&to, '.');
        darn_text_number(&to, (uint64_t)darn_state.pid);
    }
    darn_text_start(&text, room, TEXT_SIZE);
    put_all(&text);
    error = text.cut
                ? -EFBIG
                : darn_os_append(name, darn_heal_is_child ? O_NOFOLLOW : 0, text.to, text.used);
    if (error)
        darn_say_failed("darn: heal_out: the account cannot be written", error);
    darn_os_free(room, TEXT_SIZE);
    darn_os_free(name, DARN_OPTIONS_PATH + 16);
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
    darn_say_text(&say, cure->shape.variable);
    darn_say_text(&say, " in ");
    darn_say_text(&say, cure->first ? cure->shape.file : cure->shape.function);
    darn_say_text(&say, ": ");
    darn_say_text(&say, why_not(cure));
    darn_say_end(&say);
}

/* An end that is nowhere would be passed unseen: the section is not healed. */
static void find_parts(void)
{
    for (const struct darn_rule *rule = darn_rules(); rule; rule = rule->next) {
        if (rule->cure && !darn_rule_is_whole(rule))
            rule->cure->match = DARN_CURE_PART;
    }
}

static void say_all_missing(void)
{
    uint32_t missing = 0;
    struct darn_say say;

    for (const struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        if (cure->match <= DARN_CURE_PART && missing++ < NAMED)
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
        write_counts(darn_state.options.heal_out);
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
        darn_say("darn: heal: out of memory; not all sections were healed");
    darn_heal_write_learned();
    write_account();
    if (!darn_state.options.heal_out[0] && !darn_heal_is_child) {
        say_all_missing();
        darn_gates_say();
    }
}
