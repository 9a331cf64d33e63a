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
    for (size_t i = 0; i < darn_option_count(); i++)
        if (is_word(name, length, darn_option_at(i)->name))
            return darn_option_at(i);
    return NULL;
}

static void *field_of(struct darn_options *options, const struct darn_option *option)
{
    return (char *)options + option->offset;
}

/* "budget: 'many' is not " */
static void start_complaint(struct darn_text *error, const struct darn_option *option,
                            const char *value, size_t length)
{
    darn_text_add(error, option->name);
    darn_text_add(error, ": '");
    darn_text_part(error, value, length);
    darn_text_add(error, "' is not ");
}

static int set_budget(uint32_t *budget, const struct darn_option *option, const char *value,
                      size_t length, struct darn_text *error)
{
    uint64_t percent;
    size_t digits = length && value[length - 1] == '%' ? length - 1 : length;

    if (is_word(value, length, "max")) {
        *budget = DARN_BUDGET_MAX;
        return 0;
    }
    if (!darn_number_parse(value, digits, &percent) || percent < option->min ||
        percent > option->max) {
        start_complaint(error, option, value, length);
        darn_text_add(error, "a percentage 1%..100% or the word max");
        return -EINVAL;
    }
    *budget = (uint32_t)percent;
    return 0;
}

static int read_number(uint64_t *number, const struct darn_option *option, const char *value,
                       size_t length, struct darn_text *error)
{
    uint64_t read;

    if (!darn_number_parse(value, length, &read) || read < option->min || read > option->max) {
        start_complaint(error, option, value, length);
        darn_text_add(error, "a number ");
        darn_text_number(error, option->min);
        darn_text_add(error, "..");
        darn_text_number(error, option->max);
        return -EINVAL;
    }
    *number = read;
    return 0;
}

static int set_bool(bool *field, const struct darn_option *option, const char *value, size_t length,
                    struct darn_text *error)
{
    if (is_word(value, length, "1") || is_word(value, length, "true") ||
        is_word(value, length, "yes")) {
        *field = true;
        return 0;
    }
    if (is_word(value, length, "0") || is_word(value, length, "false") ||
        is_word(value, length, "no")) {
        *field = false;
        return 0;
    }
    start_complaint(error, option, value, length);
    darn_text_add(error, "0, 1, false, true, no or yes");
    return -EINVAL;
}

static int set_choice(uint32_t *field, const struct darn_option *option, const char *value,
                      size_t length, struct darn_text *error)
{
    const char *word = option->value;

    for (uint32_t index = 0; *word; index++) {
        size_t end = 0;

        while (word[end] && word[end] != '|')
            end++;
        if (end == length) {
            size_t same = 0;

            while (same < length && word[same] == value[same])
                same++;
            if (same == length) {
                *field = index;
                return 0;
            }
        }
        word += word[end] ? end + 1 : end;
    }
    start_complaint(error, option, value, length);
    darn_text_add(error, "one of ");
    darn_text_add(error, option->value);
    return -EINVAL;
}

static int set_string(char *field, const struct darn_option *option, const char *value,
                      size_t length, struct darn_text *error)
{
    if (length >= DARN_OPTIONS_PATH) {
        darn_text_add(error, option->name);
        darn_text_add(error, ": the value is longer than ");
        darn_text_number(error, DARN_OPTIONS_PATH - 1);
        darn_text_add(error, " characters");
        return -EINVAL;
    }
    for (size_t i = 0; i < length; i++)
        field[i] = value[i];
    field[length] = '\0';
    return 0;
}

static int add_noise(struct darn_noise *noise, const struct darn_option *option, const char *spec,
                     size_t length, struct darn_text *error)
{
    int result = darn_noise_parse(noise, spec, length);

    if (!result)
        return 0;
    if (result == -ENAMETOOLONG) {
        darn_text_add(error, "noise: a name is longer than ");
        darn_text_number(error, DARN_NOISE_NAME - 1);
        darn_text_add(error, " characters");
        return -EINVAL;
    }
    start_complaint(error, option, spec, length);
    darn_text_add(error, DARN_NOISE_SYNTAX);
    /* noise=var:x:1/1 without quotes is cut at the first colon, as every value is. */
    if (is_word(spec, length, "var") || is_word(spec, length, "site") ||
        is_word(spec, length, "random"))
        darn_text_add(error, "; in " DARN_OPTIONS_VARIABLE " it stands in quotes");
    return -EINVAL;
}

/* The specifications become valid together, with noise_count: a list with a fault adds nothing. */
static int set_noise(struct darn_options *options, const struct darn_option *option,
                     const char *value, size_t length, struct darn_text *error)
{
    uint32_t count = options->noise_count;
    const char *end = value + length;

    if (value == end) {
        options->noise_count = 0;
        return 0;
    }
    while (value < end) {
        size_t spec = darn_noise_length(value, (size_t)(end - value));

        if (count == DARN_NOISE_SPECS) {
            darn_text_add(error, "noise: there are more than ");
            darn_text_number(error, DARN_NOISE_SPECS);
            darn_text_add(error, " specifications");
            return -EINVAL;
        }
        if (add_noise(&options->noise[count], option, value, spec, error))
            return -EINVAL;
        count++;
        value += spec;
        while (value < end && (*value == ',' || *value == ' '))
            value++;
    }
    options->noise_count = count;
    return 0;
}

static int set_option(struct darn_options *options, const struct darn_option *option,
                      const char *value, size_t length, struct darn_text *error)
{
    void *field = field_of(options, option);
    uint64_t number;

    switch (option->type) {
    case DARN_OPTION_BUDGET:
        return set_budget(field, option, value, length, error);
    case DARN_OPTION_NUMBER:
        if (read_number(&number, option, value, length, error))
            return -EINVAL;
        *(uint32_t *)field = (uint32_t)number;
        return 0;
    case DARN_OPTION_WIDE:
        return read_number(field, option, value, length, error);
    case DARN_OPTION_BOOL:
        return set_bool(field, option, value, length, error);
    case DARN_OPTION_CHOICE:
        return set_choice(field, option, value, length, error);
    case DARN_OPTION_PATH:
    case DARN_OPTION_OUTPUT:
    case DARN_OPTION_TEXT:
        return set_string(field, option, value, length, error);
    case DARN_OPTION_NOISE:
        return set_noise(options, option, value, length, error);
    }
    return -EINVAL;
}

static int set_named(struct darn_options *options, const char *name, size_t name_length,
                     const char *value, size_t length, struct darn_text *error)
{
    const struct darn_option *option = find(name, name_length);

    if (option)
        return set_option(options, option, value, length, error);
    darn_text_add(error, "there is no option '");
    darn_text_part(error, name, name_length);
    darn_text_add(error, "'; help=1 lists them");
    return -EINVAL;
}

void darn_options_default(struct darn_options *options)
{
    struct darn_text none;

    darn_text_start(&none, NULL, 0);
    for (size_t i = 0; i < darn_option_count(); i++) {
        const struct darn_option *option = darn_option_at(i);

        set_option(options, option, option->initial, length_of(option->initial), &none);
    }
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
