#include "report/heal/heal_report.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(struct darn_healed *healed, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return darn_pool_text(&healed->pool, text ? text : "");
}

static uint64_t number_of(const json_t *object, const char *key)
{
    json_int_t number = json_integer_value(json_object_get(object, key));

    return number > 0 ? (uint64_t)number : 0;
}

/* `synchronization, calls` */
static const char *list_of(struct darn_healed *healed, const json_t *list)
{
    const char *text = "";
    const json_t *word;
    size_t i;

    json_array_foreach(list, i, word)
    {
        if (json_is_string(word))
            text = darn_pool_format(&healed->pool, "%s%s%s", text, *text ? ", " : "",
                                    json_string_value(word));
    }
    return text;
}

static void add_waits(struct darn_healed_waits *waits, const json_t *object, const char *healed)
{
    uint64_t longest = number_of(object, "longest_us");

    waits->healed += number_of(object, healed);
    waits->waited_us += number_of(object, "waited_us");
    waits->cycles += number_of(object, "cycles");
    waits->expired += number_of(object, "expired");
    if (longest > waits->longest_us)
        waits->longest_us = longest;
}

/* A list of the pool that grows: the old one stays there until the end. */
static void *grow(struct darn_text_pool *pool, const void *list, size_t count, size_t size)
{
    char *longer = darn_pool_get(pool, count + 1, size);

    if (count)
        memcpy(longer, list, count * size);
    return longer;
}

static bool is_same_rule(const struct darn_healed_rule *a, const struct darn_healed_rule *b)
{
    return a->line == b->line && strcmp(a->variable, b->variable) == 0 &&
           strcmp(a->function, b->function) == 0 && strcmp(a->file, b->file) == 0 &&
           strcmp(a->entry, b->entry) == 0 && strcmp(a->kind, b->kind) == 0;
}

/* Where the rule is counted: that of another process, or a new one. */
static struct darn_healed_rule *entry_of_rule(struct darn_healed *healed,
                                              const struct darn_healed_rule *rule)
{
    for (size_t i = 0; healed->processes > 1 && i < healed->rule_count; i++)
        if (is_same_rule(&healed->rules[i], rule))
            return &healed->rules[i];
    healed->rules = grow(&healed->pool, healed->rules, healed->rule_count, sizeof(*rule));
    healed->rules[healed->rule_count] = *rule;
    return &healed->rules[healed->rule_count++];
}

static void take_rule(struct darn_healed *healed, const json_t *object)
{
    struct darn_healed_rule rule = {
        .line = number_of(object, "line"),
        .variable = text_of(healed, object, "variable"),
        .function = text_of(healed, object, "function"),
        .file = text_of(healed, object, "file"),
        .kind = text_of(healed, object, "kind"),
        .inside = list_of(healed, json_object_get(object, "inside")),
        .entry = text_of(healed, object, "entry"),
        .match = text_of(healed, object, "match"),
        .why = text_of(healed, object, "why"),
        .with = text_of(healed, object, "with"),
    };
    struct darn_healed_rule *entry = entry_of_rule(healed, &rule);

    entry->entered += number_of(object, "entered");
    entry->given_up |= json_is_true(json_object_get(object, "given_up"));
    entry->elided |= json_is_true(json_object_get(object, "trusted"));
    add_waits(&entry->waits, object, "healed");
}

static void take_gate(struct darn_healed *healed, const json_t *object)
{
    struct darn_healed_gate gate = {
        .line = number_of(object, "line"),
        .match = text_of(healed, object, "match"),
        .why = text_of(healed, object, "why"),
        .is_order = json_is_true(json_object_get(object, "order")),
    };
    struct darn_healed_gate *entry = NULL;

    for (size_t i = 0; healed->processes > 1 && i < healed->gate_count && !entry; i++)
        if (healed->gates[i].line == gate.line)
            entry = &healed->gates[i];
    if (!entry) {
        healed->gates = grow(&healed->pool, healed->gates, healed->gate_count, sizeof(gate));
        entry = &healed->gates[healed->gate_count++];
        *entry = gate;
    }
    entry->passed += number_of(object, "passed");
    entry->useless += number_of(object, "false");
    entry->dropped |= json_is_true(json_object_get(object, "dropped"));
    add_waits(&entry->waits, object, "avoided");
}

/* The first line says what the file is. */
static bool take_header(struct darn_healed *healed, const json_t *object)
{
    if (!json_is_integer(json_object_get(object, "heal")))
        return false;
    healed->with = text_of(healed, object, "with");
    healed->bound_ms = number_of(object, "bound_ms");
    healed->processes++;
    return true;
}

static void take_line(struct darn_healed *healed, const json_t *object)
{
    const json_t *rule = json_object_get(object, "rule"), *gate = json_object_get(object, "gate");

    if (json_object_get(object, "heal"))
        take_header(healed, object); /* a process that became another program has appended */
    else if (json_is_object(rule))
        take_rule(healed, rule);
    else if (json_is_object(gate))
        take_gate(healed, gate);
}

int darn_healed_read(struct darn_healed *healed, const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    bool first = true;
    int result = 0;

    if (!file)
        return -errno;
    while (!result && getline(&line, &room, file) > 0) {
        json_t *object = json_loads(line, 0, NULL);

        if (first && !take_header(healed, object))
            result = -EBADMSG;
        else if (!first && json_is_object(object))
            take_line(healed, object); /* the last line of a process that was killed is not whole */
        first = false;
        json_decref(object);
    }
    free(line);
    fclose(file);
    return first && !result ? -EBADMSG : result;
}

void darn_healed_free(struct darn_healed *healed)
{
    darn_pool_release(&healed->pool);
    *healed = (struct darn_healed){.with = NULL};
}

bool darn_healed_matches(const char *match)
{
    return strcmp(match, "exact") == 0 || strcmp(match, "moved") == 0;
}
