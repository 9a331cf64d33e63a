/*
 * The account of a healed run as JSON Lines, for tools.
 */
#include <string.h>

#include "base/json_file.h"
#include "report/heal/heal_report.h"

static void put_text(struct darn_json *json, const char *key, const char *text)
{
    if (text && *text)
        darn_json_string(json, key, text);
}

static void put_number(struct darn_json *json, const char *key, uint64_t number)
{
    darn_json_number(json, key, (int64_t)number);
}

static void put_waits(struct darn_json *json, const struct darn_healed_waits *waits,
                      const char *healed)
{
    put_number(json, healed, waits->healed);
    put_number(json, "waited_us", waits->waited_us);
    put_number(json, "longest_us", waits->longest_us);
    put_number(json, "cycles", waits->cycles);
    put_number(json, "expired", waits->expired);
}

/* The words of the list again. */
static void put_inside(struct darn_json *json, const char *list)
{
    if (!*list)
        return;
    darn_json_open(json, "inside", '[');
    while (*list) {
        size_t length = strcspn(list, ","), start = darn_json_string_open(json, NULL);

        darn_text_part(&json->text, list, length);
        darn_json_string_close(json, start);
        list += length + strspn(list + length, ", ");
    }
    darn_json_close(json, ']');
}

static void open_line(struct darn_json *json, const char *key)
{
    darn_json_start_growing(json);
    darn_json_open(json, NULL, '{');
    darn_json_open(json, key, '{');
}

static void close_line(struct darn_json *json, FILE *out)
{
    darn_json_close(json, '}');
    darn_json_close(json, '}');
    darn_json_end_line(json);
    darn_json_finish(json, out);
}

static void print_rule(FILE *out, const struct darn_healed_rule *rule)
{
    struct darn_json json;

    open_line(&json, "rule");
    put_number(&json, "line", rule->line);
    put_text(&json, "variable", rule->variable);
    put_text(&json, "function", rule->function);
    put_text(&json, "file", rule->file);
    put_text(&json, "kind", rule->kind);
    put_inside(&json, rule->inside);
    put_text(&json, "entry", rule->entry);
    put_text(&json, "match", rule->match);
    put_text(&json, "why", rule->why);
    put_text(&json, "with", rule->with);
    put_number(&json, "entered", rule->entered);
    put_waits(&json, &rule->waits, "healed");
    darn_json_bool(&json, "given_up", rule->given_up);
    if (rule->elided)
        darn_json_bool(&json, "trusted", true);
    close_line(&json, out);
}

static void print_gate(FILE *out, const struct darn_healed_gate *gate)
{
    struct darn_json json;

    open_line(&json, "gate");
    put_number(&json, "line", gate->line);
    put_text(&json, "locks", gate->locks);
    if (gate->is_order)
        darn_json_bool(&json, "order", true);
    put_text(&json, "match", gate->match);
    put_text(&json, "why", gate->why);
    put_number(&json, "passed", gate->passed);
    put_waits(&json, &gate->waits, "avoided");
    put_number(&json, "false", gate->useless);
    darn_json_bool(&json, "dropped", gate->dropped);
    close_line(&json, out);
}

void darn_healed_print_json(FILE *out, const struct darn_healed *healed)
{
    struct darn_json json;

    darn_json_start_growing(&json);
    darn_json_open(&json, NULL, '{');
    darn_json_number(&json, "heal", 1);
    darn_json_string(&json, "with", healed->with ? healed->with : "");
    put_number(&json, "bound_ms", healed->bound_ms);
    put_number(&json, "processes", healed->processes);
    darn_json_close(&json, '}');
    darn_json_end_line(&json);
    darn_json_finish(&json, out);
    for (size_t i = 0; i < healed->rule_count; i++)
        print_rule(out, &healed->rules[i]);
    for (size_t i = 0; i < healed->gate_count; i++)
        print_gate(out, &healed->gates[i]);
}
