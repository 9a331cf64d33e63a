/* The file of a campaign: read, checked, and each fault named by its place. */
#include "driver/campaign/campaign.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "driver/process/installation.h"

#define MOST_VALUES        12 /* that are tried of a range of numbers */
#define DEFAULT_TIMEOUT_MS 60000
#define DEFAULT_FILE_MB    1024

static const char *const mode_names[] = {"run", "hunt", "explore", "plain"};

/* What may vary in the noise and the modes, if the file does not say. */
static const struct {
    const char *name, *values;
} defaults[] = {
    {"noise", "none|random|variable|site"},
    {"kind", "sleep|yield|busy"},
    {"frequency", "1..1000"},
    {"strength", "10..10000"},
    {"budget", "10|30|max"},
    {"strategy", "portfolio|random|pct|pos|surw|hold"},
    {"seconds", "1|2|5|10"},
};

#define DEFAULTS (sizeof(defaults) / sizeof(*defaults))

/* Where in the file we are, for messages. */
struct reading {
    struct darn_campaign *campaign;
    struct darn_listener *listener;
    char where[128];
};

const char *darn_campaign_default(unsigned index, const char **values)
{
    if (index >= DEFAULTS)
        return NULL;
    *values = defaults[index].values;
    return defaults[index].name;
}

const char *darn_campaign_mode_name(enum darn_campaign_mode mode)
{
    return mode_names[mode];
}

enum darn_campaign_mode darn_campaign_mode_of(const char *name)
{
    int mode = 0;

    while (mode < DARN_CAMPAIGN_MODES && strcmp(mode_names[mode], name) != 0)
        mode++;
    return (enum darn_campaign_mode)mode;
}

static void add_number(struct darn_words *values, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
    if (!values->count || strcmp(values->items[values->count - 1], text) != 0)
        darn_words_add(values, text);
}

static void add_range(struct darn_words *values, uint64_t low, uint64_t high)
{
    double base = low ? (double)low : 1, span = (double)high / base;

    if (high - low < MOST_VALUES) {
        for (uint64_t number = low; number <= high; number++)
            add_number(values, number);
        return;
    }
    add_number(values, low);
    for (int i = 1; i < MOST_VALUES - 1; i++)
        add_number(values, (uint64_t)llround(base * pow(span, (double)i / (MOST_VALUES - 1))));
    add_number(values, high);
}

static void add_choices(struct darn_words *values, const char *text)
{
    for (;;) {
        size_t length = strcspn(text, "|");

        darn_words_add_part(values, text, length);
        if (!text[length])
            return;
        text += length + 1;
    }
}

bool darn_campaign_values(struct darn_campaign_variable *variable, const char *text)
{
    const char *dots = strstr(text, "..");
    uint64_t low, high;

    if (dots && darn_number_parse(text, (size_t)(dots - text), &low) &&
        darn_number_parse(dots + 2, strlen(dots + 2), &high)) {
        variable->is_ordered = true;
        if (low > high || high > INT64_MAX)
            return false;
        add_range(&variable->values, low, high);
        return true;
    }
    add_choices(&variable->values, text);
    for (size_t i = 0; i < variable->values.count; i++)
        if (!*variable->values.items[i])
            return false;
    return true;
}

const struct darn_campaign_variable *
darn_campaign_variable(const struct darn_campaign_variables *variables, const char *name)
{
    for (unsigned i = 0; i < variables->count; i++)
        if (strcmp(variables->items[i].name, name) == 0)
            return &variables->items[i];
    return NULL;
}

static int refuse(const struct reading *reading, const char *what, const char *why)
{
    return darn_tell_refusal(reading->listener, "%s: %s%s%s: %s", reading->campaign->path,
                             reading->where, *reading->where ? "." : "", what, why);
}

/* A text, or NULL when there is none; false when it is something else. */
static bool take_text(const json_t *object, const char *key, char **text)
{
    const json_t *value = json_object_get(object, key);

    if (!value || json_is_null(value))
        return true;
    if (!json_is_string(value))
        return false;
    *text = strdup(json_string_value(value));
    return true;
}

/* A number between the two; it stays as it is when there is none. */
static bool take_number(const json_t *object, const char *key, double low, double high, double *to)
{
    const json_t *value = json_object_get(object, key);

    if (!value)
        return true;
    if (!json_is_number(value) || json_number_value(value) < low || json_number_value(value) > high)
        return false;
    *to = json_number_value(value);
    return true;
}

static struct darn_campaign_variable *add_variable(struct darn_campaign_variables *variables,
                                                   const char *name, const char *text)
{
    struct darn_campaign_variable *added;

    variables->items =
        realloc(variables->items, (variables->count + 1) * sizeof(*variables->items));
    if (!variables->items)
        abort();
    added = &variables->items[variables->count++];
    *added = (struct darn_campaign_variable){.name = strdup(name), .text = strdup(text)};
    return added;
}

static int read_variables(struct reading *reading, const json_t *object, const char *what,
                          struct darn_campaign_variables *variables)
{
    const char *name;
    json_t *value;

    if (object && !json_is_object(object))
        return refuse(reading, what, "this is no object of names and values");
    json_object_foreach((json_t *)object, name, value)
    {
        char number[24];
        const char *text = json_string_value(value);

        snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(value));
        if (json_is_integer(value))
            text = number;
        if (!text || !*text || !darn_campaign_values(add_variable(variables, name, text), text))
            return refuse(reading, name, "this is neither \"LOW..HIGH\" nor \"ONE|ANOTHER\"");
    }
    return 0;
}

static bool is_known(const char *name)
{
    for (size_t i = 0; i < DEFAULTS; i++)
        if (strcmp(defaults[i].name, name) == 0)
            return true;
    return false;
}

static int read_vary(struct reading *reading, const json_t *object)
{
    struct darn_campaign_variables *vary = &reading->campaign->vary;
    int result = read_variables(reading, object, "vary", vary);

    for (unsigned i = 0; !result && i < vary->count; i++)
        if (!is_known(vary->items[i].name))
            result =
                refuse(reading, vary->items[i].name,
                       "there are noise, kind, frequency, strength, budget, strategy, seconds");
    for (size_t i = 0; !result && i < DEFAULTS; i++)
        if (!darn_campaign_variable(vary, defaults[i].name))
            darn_campaign_values(add_variable(vary, defaults[i].name, defaults[i].values),
                                 defaults[i].values);
    return result;
}

static int read_words(struct reading *reading, const json_t *array, const char *what,
                      struct darn_words *words)
{
    size_t i;
    json_t *word;

    if (!json_is_array(array) || !json_array_size(array))
        return refuse(reading, what, "this is no list of words");
    json_array_foreach(array, i, word)
    {
        if (!json_is_string(word))
            return refuse(reading, what, "there is something else than a text in it");
        darn_words_add(words, json_string_value(word));
    }
    return 0;
}

static int read_environment(struct reading *reading, const json_t *object,
                            struct darn_words *environment)
{
    const char *name;
    json_t *value;

    if (object && !json_is_object(object))
        return refuse(reading, "environment", "this is no object of names and texts");
    json_object_foreach((json_t *)object, name, value)
    {
        char *text = NULL;

        if (!json_is_string(value))
            return refuse(reading, "environment", "there is something else than a text in it");
        if (asprintf(&text, "%s=%s", name, json_string_value(value)) < 0)
            abort();
        darn_words_add(environment, text);
        free(text);
    }
    return 0;
}

/* The modes of the test, or of the campaign; all when nobody says. */
static int read_modes(struct reading *reading, const json_t *array, unsigned otherwise,
                      unsigned *modes)
{
    size_t i;
    json_t *word;

    *modes = otherwise;
    if (!array)
        return 0;
    if (!json_array_size(array))
        return refuse(reading, "modes", "this is no list of run, hunt and explore");
    *modes = 0;
    json_array_foreach(array, i, word)
    {
        const char *name = json_string_value(word);
        enum darn_campaign_mode mode = name ? darn_campaign_mode_of(name) : DARN_CAMPAIGN_MODES;

        if (mode >= DARN_CAMPAIGN_PLAIN)
            return refuse(reading, "modes", "there are run, hunt and explore");
        *modes |= 1U << mode;
    }
    return 0;
}

/* Relative to where the file is. */
static char *directory_of(const struct darn_campaign *campaign, const char *given)
{
    const char *slash = strrchr(campaign->path, '/');
    char *path = NULL;

    if (given && *given == '/')
        return strdup(given);
    if (asprintf(&path, "%.*s%s%s", slash == campaign->path ? 1 : (int)(slash - campaign->path),
                 campaign->path, given ? "/" : "", given ? given : "") < 0)
        abort();
    return path;
}

static int read_test(struct reading *reading, const json_t *object, unsigned modes,
                     struct darn_campaign_test *test)
{
    double timeout = DEFAULT_TIMEOUT_MS / 1000.0;
    const json_t *compiled = json_object_get(object, "compiled");
    char *directory = NULL;
    int result;

    if (!json_is_object(object))
        return refuse(reading, "", "this is no object");
    if (!take_text(object, "name", &test->name) || !test->name || !*test->name)
        return refuse(reading, "name", "there is none");
    if (!take_text(object, "directory", &directory) ||
        !take_text(object, "oracle", &test->oracle) || !take_text(object, "reset", &test->reset))
        result = refuse(reading, "directory, oracle, reset", "one of them is no text");
    else if (!take_number(object, "timeout", 0.01, 1e6, &timeout))
        result = refuse(reading, "timeout", "this is no number of seconds");
    else
        result = read_words(reading, json_object_get(object, "command"), "command", &test->command);
    test->directory = directory_of(reading->campaign, directory);
    free(directory);
    test->timeout_ms = (uint32_t)(timeout * 1000);
    test->compiled = !compiled || json_is_true(compiled);
    if (!result)
        result =
            read_environment(reading, json_object_get(object, "environment"), &test->environment);
    if (!result)
        result = read_variables(reading, json_object_get(object, "parameters"), "parameters",
                                &test->parameters);
    if (!result)
        result = read_modes(reading, json_object_get(object, "modes"), modes, &test->modes);
    if (!result && reading->campaign->vary.count + test->parameters.count > DARN_TUNING_MOST)
        result = refuse(reading, "parameters", "there are too many");
    return result;
}

static bool is_twice(const struct darn_campaign *campaign, const char *name)
{
    for (unsigned i = 0; i + 1 < campaign->count; i++)
        if (strcmp(campaign->tests[i].name, name) == 0)
            return true;
    return false;
}

static int read_tests(struct reading *reading, const json_t *array, unsigned modes)
{
    struct darn_campaign *campaign = reading->campaign;
    size_t i;
    json_t *object;

    if (!json_is_array(array) || !json_array_size(array))
        return refuse(reading, "tests", "there are none");
    campaign->tests = calloc(json_array_size(array), sizeof(*campaign->tests));
    if (!campaign->tests)
        abort();
    json_array_foreach(array, i, object)
    {
        int result;

        snprintf(reading->where, sizeof(reading->where), "tests[%zu]", i);
        campaign->count++;
        result = read_test(reading, object, modes, &campaign->tests[i]);
        if (!result && is_twice(campaign, campaign->tests[i].name))
            result = refuse(reading, "name", "another test is called so, too");
        if (result)
            return result;
    }
    return 0;
}

static int read_all(struct reading *reading, const json_t *root)
{
    struct darn_campaign *campaign = reading->campaign;
    double seed = 1, file_size = DEFAULT_FILE_MB;
    char *search = NULL;
    unsigned modes = 0;
    int result;

    if (!json_is_object(root) ||
        json_integer_value(json_object_get(root, "darn-campaign")) != DARN_CAMPAIGN_VERSION)
        return darn_tell_refusal(reading->listener,
                                 "%s: this is no campaign of version %d; darn "
                                 "campaign init makes one",
                                 campaign->path, DARN_CAMPAIGN_VERSION);
    if (!take_number(root, "seed", 1, 1e15, &seed))
        return refuse(reading, "seed", "this is no number from 1 on");
    if (!take_number(root, "file-size-mb", 1, 1e6, &file_size))
        return refuse(reading, "file-size-mb", "this is no number from 1 on");
    if (!take_text(root, "search", &search) || (search && darn_tuner_of(search) == DARN_TUNERS)) {
        free(search);
        return refuse(reading, "search", "there is no such search");
    }
    campaign->search = search ? darn_tuner_of(search) : DARN_TUNER_PORTFOLIO;
    free(search);
    campaign->seed = (uint64_t)seed;
    campaign->file_size_mb = (uint32_t)file_size;
    result = read_modes(reading, json_object_get(root, "modes"), 7, &modes);
    if (!result)
        result = read_vary(reading, json_object_get(root, "vary"));
    return result ? result : read_tests(reading, json_object_get(root, "tests"), modes);
}

int darn_campaign_read(struct darn_campaign *campaign, struct darn_listener *listener,
                       const char *path)
{
    struct reading reading = {campaign, listener, ""};
    json_error_t error;
    json_t *root;
    int result;

    *campaign = (struct darn_campaign){.seed = 1};
    if (darn_absolute_path(path, campaign->path, sizeof(campaign->path)))
        return darn_tell_refusal(listener, "%s: the path is too long", path);
    root = json_load_file(campaign->path, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        return darn_tell_refusal(listener, "%s:%d: %s", path, error.line, error.text);
    result = read_all(&reading, root);
    json_decref(root);
    if (result)
        darn_campaign_free(campaign);
    return result;
}

static void free_variables(struct darn_campaign_variables *variables)
{
    for (unsigned i = 0; i < variables->count; i++) {
        free(variables->items[i].name);
        free(variables->items[i].text);
        darn_words_free(&variables->items[i].values);
    }
    free(variables->items);
}

void darn_campaign_free(struct darn_campaign *campaign)
{
    for (unsigned i = 0; i < campaign->count; i++) {
        struct darn_campaign_test *test = &campaign->tests[i];

        free(test->name);
        free(test->directory);
        free(test->oracle);
        free(test->reset);
        darn_words_free(&test->command);
        darn_words_free(&test->environment);
        free_variables(&test->parameters);
    }
    free(campaign->tests);
    free_variables(&campaign->vary);
    *campaign = (struct darn_campaign){0};
}
