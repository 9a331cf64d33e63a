#include "base/options.h"

#include <errno.h>

#include "base/number.h"

static size_t length_of(const char *text)
{
    size_t length = 0;

    while (text[length])
        length++;
    return length;
}

/* Whether a piece of text is the word. */
static bool is_word(const char *text, size_t length, const char *word)
{
    for (size_t i = 0; i < length; i++)
        if (!word[i] || text[i] != word[i])
            return false;
    return !word[length];
}

static const struct darn_option *find(const char *name, size_t length)
{
    for (const struct darn_option *option = darn_run_options; option->name; option++)
        if (is_word(name, length, option->name))
            return option;
    return NULL;
}

void darn_option_spell(struct darn_text *text, const struct darn_option *option,
                       enum darn_options_style style)
{
    if (style == DARN_STYLE_COMMAND)
        darn_text_add(text, option->name[1] ? "--" : "-");
    for (const char *c = option->name; *c; c++)
        darn_text_char(text, style == DARN_STYLE_COMMAND && *c == '_' ? '-' : *c);
}

bool darn_option_is(const struct darn_option *option, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char own = option->name[i] == '_' ? '-' : option->name[i];

        if (!own || own != (name[i] == '_' ? '-' : name[i]))
            return false;
    }
    return !option->name[length];
}

/* A value that is being set, and where to complain of it. */
struct setting {
    const struct darn_option *option;
    enum darn_options_style style;
    const char *value;
    size_t length;
    struct darn_text *error;
};

/* "budget: 'many' is not ", or "--budget=many: ". What is wanted comes next. */
static void start_complaint(const struct setting *setting)
{
    bool command = setting->style == DARN_STYLE_COMMAND;

    darn_option_spell(setting->error, setting->option, setting->style);
    darn_text_add(setting->error, command ? "=" : ": '");
    darn_text_part(setting->error, setting->value, setting->length);
    darn_text_add(setting->error, command ? ": " : "' is not ");
}

static int end_complaint(const struct setting *setting)
{
    darn_text_add(setting->error, setting->style == DARN_STYLE_COMMAND ? " is needed" : "");
    return -EINVAL;
}

static int complain(const struct setting *setting, const char *want)
{
    start_complaint(setting);
    darn_text_add(setting->error, want);
    return end_complaint(setting);
}

static int set_budget(uint32_t *budget, const struct setting *setting)
{
    uint64_t percent;
    size_t length = setting->length;
    size_t digits = length && setting->value[length - 1] == '%' ? length - 1 : length;

    if (is_word(setting->value, length, "max")) {
        *budget = DARN_BUDGET_MAX;
        return 0;
    }
    if (!darn_number_parse(setting->value, digits, &percent) || percent < setting->option->min ||
        percent > setting->option->max)
        return complain(setting, "a percentage 0%..100% or the word max");
    *budget = (uint32_t)percent;
    return 0;
}

static int read_number(uint64_t *number, const struct setting *setting)
{
    const struct darn_option *option = setting->option;
    uint64_t read;

    if (darn_number_parse(setting->value, setting->length, &read) && read >= option->min &&
        read <= option->max) {
        *number = read;
        return 0;
    }
    start_complaint(setting);
    darn_text_add(setting->error, "a number from ");
    darn_text_number(setting->error, option->min);
    darn_text_add(setting->error, " to ");
    darn_text_number(setting->error, option->max);
    return end_complaint(setting);
}

static int set_bool(bool *field, const struct setting *setting)
{
    static const char *const words[][2] = {{"0", "1"}, {"false", "true"}, {"no", "yes"}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        for (int on = 0; on < 2; on++) {
            if (is_word(setting->value, setting->length, words[i][on])) {
                *field = on;
                return 0;
            }
        }
    }
    return complain(setting, "0, 1, false, true, no or yes");
}

/* "a, b or c" of "a|b|c" */
static void add_words(struct darn_text *text, const char *words)
{
    for (; *words; words++) {
        const char *rest = words + 1;

        if (*words != '|') {
            darn_text_char(text, *words);
            continue;
        }
        while (*rest && *rest != '|')
            rest++;
        darn_text_add(text, *rest ? ", " : " or ");
    }
}

static int set_choice(uint32_t *field, const struct setting *setting)
{
    const char *word = darn_option_words(setting->option);

    for (uint32_t index = 0; *word; index++) {
        size_t end = 0, same = 0;

        while (word[end] && word[end] != '|')
            end++;
        while (same < end && same < setting->length && word[same] == setting->value[same])
            same++;
        if (same == end && end == setting->length) {
            *field = index;
            return 0;
        }
        word += word[end] ? end + 1 : end;
    }
    start_complaint(setting);
    add_words(setting->error, darn_option_words(setting->option));
    return end_complaint(setting);
}

/* "noise: a name is longer than 255 characters" */
static int refuse_more(const struct setting *setting, const char *what, uint64_t most,
                       const char *unit)
{
    darn_option_spell(setting->error, setting->option, setting->style);
    darn_text_add(setting->error, what);
    darn_text_number(setting->error, most);
    darn_text_add(setting->error, unit);
    return -EINVAL;
}

static int set_string(char *field, const struct setting *setting)
{
    if (setting->length >= DARN_OPTIONS_PATH)
        return refuse_more(setting, ": the value is longer than ", DARN_OPTIONS_PATH - 1,
                           " characters");
    for (size_t i = 0; i < setting->length; i++)
        field[i] = setting->value[i];
    field[setting->length] = '\0';
    return 0;
}

static int add_noise(struct darn_noise *noise, const struct setting *setting)
{
    const char *spec = setting->value;
    size_t length = setting->length;
    int result = darn_noise_parse(noise, spec, length);

    if (!result)
        return 0;
    if (result == -ENAMETOOLONG)
        return refuse_more(setting, ": a name is longer than ", DARN_NOISE_NAME - 1, " characters");
    complain(setting, DARN_NOISE_SYNTAX);
    darn_text_add(setting->error, DARN_NOISE_BOUNDS);
    /* noise=var:x:1/1 without quotes is cut at the first colon, as every value is. */
    if (setting->style == DARN_STYLE_VARIABLE &&
        (is_word(spec, length, "var") || is_word(spec, length, "site") ||
         is_word(spec, length, "random")))
        darn_text_add(setting->error, "; in " DARN_OPTIONS_VARIABLE " it stands in quotes");
    return -EINVAL;
}

/* The specifications become valid together, with noise_count: a list with a fault adds nothing. */
static int set_noise(struct darn_options *options, const struct setting *setting)
{
    uint32_t count = options->noise_count;
    const char *value = setting->value, *end = value + setting->length;

    if (value == end) {
        options->noise_count = 0;
        return 0;
    }
    while (value < end) {
        struct setting spec = *setting;

        spec.value = value;
        spec.length = darn_noise_length(value, (size_t)(end - value));
        if (count == DARN_NOISE_SPECS)
            return refuse_more(setting, ": there are more than ", DARN_NOISE_SPECS,
                               " specifications");
        if (add_noise(&options->noise[count], &spec))
            return -EINVAL;
        count++;
        value += spec.length;
        while (value < end && (*value == ',' || *value == ' '))
            value++;
    }
    options->noise_count = count;
    return 0;
}

static int set_option(void *to, const struct setting *setting)
{
    void *field = (char *)to + setting->option->offset;
    uint64_t number;

    switch (setting->option->type) {
    case DARN_OPTION_BUDGET:
        return set_budget(field, setting);
    case DARN_OPTION_NUMBER:
        if (read_number(&number, setting))
            return -EINVAL;
        *(uint32_t *)field = (uint32_t)number;
        return 0;
    case DARN_OPTION_WIDE:
    case DARN_OPTION_JOBS:
        return read_number(field, setting);
    case DARN_OPTION_BOOL:
        return set_bool(field, setting);
    case DARN_OPTION_CHOICE:
        return set_choice(field, setting);
    case DARN_OPTION_PATH:
    case DARN_OPTION_OUTPUT:
    case DARN_OPTION_TEXT:
        return set_string(field, setting);
    case DARN_OPTION_NOISE:
        return set_noise(to, setting);
    case DARN_OPTION_FLAG:
    case DARN_OPTION_HELP:
    case DARN_OPTION_SECONDS:
    case DARN_OPTION_STRING:
    case DARN_OPTION_MAYBE:
    case DARN_OPTION_WORD:
    case DARN_OPTION_OWN:
        break;
    }
    return -EINVAL;
}

int darn_option_set(void *to, const struct darn_option *option, enum darn_options_style style,
                    const char *value, char *error, size_t error_size)
{
    struct darn_text message;
    struct setting setting = {option, style, value, length_of(value), &message};

    darn_text_start(&message, error, error_size);
    return set_option(to, &setting);
}

static int set_named(struct darn_options *options, const char *name, size_t name_length,
                     const char *value, size_t length, struct darn_text *error)
{
    struct setting setting = {find(name, name_length), DARN_STYLE_VARIABLE, value, length, error};

    if (setting.option)
        return set_option(options, &setting);
    darn_text_add(error, "there is no option '");
    darn_text_part(error, name, name_length);
    darn_text_add(error, "'; help=1 lists them");
    return -EINVAL;
}

void darn_options_default(struct darn_options *options)
{
    for (const struct darn_option *option = darn_run_options; option->name; option++)
        darn_option_set(options, option, DARN_STYLE_VARIABLE, option->initial, NULL, 0);
}

int darn_options_set(struct darn_options *options, const char *name, const char *value, char *error,
                     size_t error_size)
{
    struct darn_text message;

    darn_text_start(&message, error, error_size);
    return set_named(options, name, length_of(name), value, length_of(value), &message);
}

static bool is_separator(char c)
{
    return c == ':' || c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Where the value that begins at `text` ends: *value and *length are what is between the quotes, if
 * there are quotes. NULL, with a message, when a quote is wrong. */
static const char *scan_value(const char *text, const char **value, size_t *length,
                              struct darn_text *error)
{
    char quote = *text == '\'' || *text == '"' ? *text : '\0';

    if (quote)
        text++;
    *value = text;
    while (*text && (quote ? *text != quote : !is_separator(*text)))
        text++;
    *length = (size_t)(text - *value);
    if (!quote)
        return text;
    if (*text != quote) {
        darn_text_add(error, ": the quote ");
        darn_text_char(error, quote);
        darn_text_add(error, " is not closed");
        return NULL;
    }
    text++;
    if (*text && !is_separator(*text)) {
        darn_text_add(error, ": '");
        darn_text_char(error, *text);
        darn_text_add(error, "' follows the closing quote; expected ':'");
        return NULL;
    }
    return text;
}

/* One name=value. Returns where it ends, or NULL with a message. */
static const char *parse_pair(struct darn_options *options, const char *text,
                              struct darn_text *error)
{
    const char *name = text, *value;
    size_t name_length, length;

    while (*text && *text != '=' && !is_separator(*text))
        text++;
    name_length = (size_t)(text - name);
    if (*text != '=') {
        darn_text_add(error, "'");
        darn_text_part(error, name, name_length);
        darn_text_add(error, "' has no value; options are name=value");
        return NULL;
    }
    darn_text_part(error, name, name_length);
    text = scan_value(text + 1, &value, &length, error);
    if (!text)
        return NULL;
    darn_text_start(error, error->to, error->size);
    return set_named(options, name, name_length, value, length, error) ? NULL : text;
}

int darn_options_parse(struct darn_options *options, const char *text, char *error,
                       size_t error_size)
{
    struct darn_text message;

    darn_text_start(&message, error, error_size);
    for (;;) {
        while (is_separator(*text))
            text++;
        if (!*text)
            return 0;
        text = parse_pair(options, text, &message);
        if (!text)
            return -EINVAL;
    }
}
