#include "driver/campaign/campaign_space.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_file.h"

/* Which modes a variable of the campaign has a meaning in, and the value that somebody would choose
 * who knows nothing: what darn run, hunt and explore do by themselves. */
static const struct {
    const char *name;
    unsigned modes;
    const char *initial;
} meanings[] = {
    {"noise", 1U << DARN_CAMPAIGN_RUN, "random"},
    {"kind", 1U << DARN_CAMPAIGN_RUN, "sleep"},
    {"frequency", 1U << DARN_CAMPAIGN_RUN, "23"},
    {"strength", 1U << DARN_CAMPAIGN_RUN, "123"},
    {"budget", 1U << DARN_CAMPAIGN_RUN, "10"},
    {"strategy", 1U << DARN_CAMPAIGN_EXPLORE, "portfolio"},
    {"seconds", 1U << DARN_CAMPAIGN_HUNT | 1U << DARN_CAMPAIGN_EXPLORE, "2"},
};

/* The nearest of its values: those of a range are what the file says. */
static uint32_t initial_of(const struct darn_campaign_variable *variable, const char *initial)
{
    const struct darn_words *values = &variable->values;
    double wanted = initial ? strtod(initial, NULL) : 0;

    for (uint32_t i = 0; initial && i < values->count; i++)
        if (variable->is_ordered ? strtod(values->items[i], NULL) >= wanted
                                 : strcmp(values->items[i], initial) == 0)
            return i;
    return initial ? 0 : (uint32_t)values->count / 2 * variable->is_ordered;
}

static void add(struct darn_campaign_space *space, const struct darn_campaign_variable *variable,
                const char *initial)
{
    unsigned at = space->tuning.count++;

    space->of[at] = variable;
    space->tuning.parameters[at] =
        (struct darn_tuning_parameter){.count = (uint32_t)variable->values.count,
                                       .initial = initial_of(variable, initial),
                                       .ordered = variable->is_ordered};
}

void darn_campaign_space(struct darn_campaign_space *space, const struct darn_campaign *campaign,
                         const struct darn_campaign_test *test, enum darn_campaign_mode mode)
{
    *space = (struct darn_campaign_space){0};
    for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++) {
        const struct darn_campaign_variable *variable =
            darn_campaign_variable(&campaign->vary, meanings[i].name);

        if (variable && meanings[i].modes & 1U << mode)
            add(space, variable, meanings[i].initial);
    }
    for (unsigned i = 0; i < test->parameters.count; i++)
        add(space, &test->parameters.items[i], NULL);
}

const char *darn_campaign_value(const struct darn_campaign_space *space,
                                const struct darn_tuning_point *point, const char *name)
{
    for (unsigned i = 0; i < space->tuning.count; i++)
        if (strcmp(space->of[i]->name, name) == 0)
            return space->of[i]->values.items[point->at[i]];
    return NULL;
}

/* The value whose {NAME} begins here, and the length of that; NULL: none does. */
static const char *filled_in(const struct darn_campaign_space *space,
                             const struct darn_campaign_test *test,
                             const struct darn_tuning_point *point, const char *at, size_t *length)
{
    for (unsigned i = 0; i < space->tuning.count; i++) {
        const struct darn_campaign_variable *variable = space->of[i];
        size_t name = strlen(variable->name);

        if (variable < test->parameters.items ||
            variable >= test->parameters.items + test->parameters.count)
            continue;
        if (strncmp(at + 1, variable->name, name) == 0 && at[1 + name] == '}') {
            *length = name + 2;
            return variable->values.items[point->at[i]];
        }
    }
    return NULL;
}

void darn_campaign_command(const struct darn_campaign_space *space,
                           const struct darn_campaign_test *test,
                           const struct darn_tuning_point *point, struct darn_words *command)
{
    for (size_t i = 0; i < test->command.count; i++) {
        char *word = NULL;
        size_t size = 0, length;
        FILE *out = open_memstream(&word, &size);

        for (const char *at = test->command.items[i]; *at;) {
            const char *value = *at == '{' ? filled_in(space, test, point, at, &length) : NULL;

            if (value)
                fputs(value, out);
            else
                fputc(*at, out);
            at += value ? length : 1;
        }
        fclose(out);
        darn_words_add(command, word);
        free(word);
    }
}

char *darn_campaign_point_text(const struct darn_campaign_space *space,
                               const struct darn_tuning_point *point)
{
    struct darn_json json;
    char *text;

    darn_json_start_growing(&json);
    darn_json_open(&json, NULL, '{');
    for (unsigned i = 0; i < space->tuning.count; i++)
        darn_json_string(&json, space->of[i]->name, space->of[i]->values.items[point->at[i]]);
    darn_json_close(&json, '}');
    text = strdup(json.text.to);
    darn_json_release(&json);
    return text;
}

static bool find_value(const struct darn_words *values, const char *text, uint32_t *index)
{
    for (*index = 0; text && *index < values->count; ++*index)
        if (strcmp(values->items[*index], text) == 0)
            return true;
    return false;
}

bool darn_campaign_point_read(const struct darn_campaign_space *space, const char *text,
                              struct darn_tuning_point *point)
{
    json_t *object = json_loads(text, 0, NULL);
    bool fits = json_object_size(object) == space->tuning.count;

    for (unsigned i = 0; fits && i < space->tuning.count; i++)
        fits = find_value(&space->of[i]->values,
                          json_string_value(json_object_get(object, space->of[i]->name)),
                          &point->at[i]);
    json_decref(object);
    return fits;
}
