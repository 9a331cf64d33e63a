/*
 * The account of a healed run as JSON Lines, for tools.
 */
#include <jansson.h>
#include <string.h>

#include "report/heal/heal_report.h"

static void put_text(json_t *object, const char *key, const char *text)
{
    if (text && *text)
        json_object_set_new(object, key, json_string(text));
}

static void put_number(json_t *object, const char *key, uint64_t number)
{
    json_object_set_new(object, key, json_integer((json_int_t)number));
}

static void put_waits(json_t *object, const struct darn_healed_waits *waits, const char *healed)
{
    put_number(object, healed, waits->healed);
    put_number(object, "waited_us", waits->waited_us);
    put_number(object, "longest_us", waits->longest_us);
    put_number(object, "cycles", waits->cycles);
    put_number(object, "expired", waits->expired);
}

/* The words of the list again. */
static json_t *split(const char *list)
{
    json_t *array = json_array();

    while (*list) {
        size_t length = strcspn(list, ",");

        json_array_append_new(array, json_stringn(list, length));
        list += length + strspn(list + length, ", ");
    }
    return array;
}

static json_t *rule_object(const struct darn_healed_rule *rule)
{
    json_t *object = json_object();

    put_number(object, "line", rule->line);
    put_text(object, "variable", rule->variable);
    put_text(object, "function", rule->function);
    put_text(object, "file", rule->file);
    put_text(object, "kind", rule->kind);
    if (*rule->inside)
        json_object_set_new(object, "inside", split(rule->inside));
    put_text(object, "entry", rule->entry);
    put_text(object, "match", rule->match);
    put_text(object, "why", rule->why);
    put_text(object, "with", rule->with);
    put_number(object, "entered", rule->entered);
    put_waits(object, &rule->waits, "healed");
    json_object_set_new(object, "given_up", json_boolean(rule->given_up));
    if (rule->trusted)
        json_object_set_new(object, "trusted", json_true());
    return object;
}

static json_t *gate_object(const struct darn_healed_gate *gate)
{
    json_t *object = json_object();

    put_number(object, "line", gate->line);
    put_text(object, "locks", gate->locks);
    put_text(object, "match", gate->match);
    put_text(object, "why", gate->why);
    put_number(object, "passed", gate->passed);
    put_waits(object, &gate->waits, "avoided");
    put_number(object, "false", gate->useless);
    json_object_set_new(object, "dropped", json_boolean(gate->dropped));
    return object;
}

static void print(FILE *out, const char *key, json_t *object)
{
    json_t *line = json_pack("{s:o}", key, object);

    json_dumpf(line, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
    fputc('\n', out);
    json_decref(line);
}

void darn_healed_print_json(FILE *out, const struct darn_healed *healed)
{
    json_t *head = json_pack(
        "{s:i, s:s, s:I, s:I}", "heal", 1, "with", healed->with ? healed->with : "", "bound_ms",
        (json_int_t)healed->bound_ms, "processes", (json_int_t)healed->processes);

    json_dumpf(head, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
    fputc('\n', out);
    json_decref(head);
    for (size_t i = 0; i < healed->rule_count; i++)
        print(out, "rule", rule_object(&healed->rules[i]));
    for (size_t i = 0; i < healed->gate_count; i++)
        print(out, "gate", gate_object(&healed->gates[i]));
}
