#include "base/options_print.h"

#include <errno.h>

static void indent(darn_options_write *write, void *to, size_t from)
{
    while (from++ < DARN_OPTIONS_COLUMN)
        write(to, " ", 1);
}

void darn_option_usage(struct darn_text *text, const struct darn_option *option,
                       enum darn_options_style style)
{
    bool optional = style == DARN_STYLE_COMMAND &&
                    (option->type == DARN_OPTION_BOOL || option->type == DARN_OPTION_MAYBE);

    darn_option_spell(text, option, style);
    if (!option->value)
        return;
    darn_text_add(text, optional ? "[=" : option->name[1] ? "=" : " ");
    darn_text_add(text, option->value);
    darn_text_add(text, optional ? "]" : "");
}

/* The name, two columns from the left, and how wide that is. */
static size_t write_name(const struct darn_option *option, enum darn_options_style style,
                         darn_options_write *write, void *to)
{
    char line[128];
    struct darn_text text;

    darn_text_start(&text, line, sizeof(line));
    darn_text_add(&text, "  ");
    darn_option_usage(&text, option, style);
    write(to, line, text.used);
    return text.used;
}

/* The help, line by line. Returns where the last line ends. */
static size_t write_help(const struct darn_option *option, darn_options_write *write, void *to)
{
    const char *line = option->help;

    for (;;) {
        size_t length = 0;

        while (line[length] && line[length] != '\n')
            length++;
        write(to, line, length);
        if (!line[length])
            return DARN_OPTIONS_COLUMN + length;
        write(to, "\n", 1);
        indent(write, to, 0);
        line += length + 1;
    }
}

static void write_default(const struct darn_option *option, size_t width, darn_options_write *write,
                          void *to)
{
    char note[64];
    struct darn_text text;
    const char *initial = option->type == DARN_OPTION_JOBS ? "one for each core" : option->initial;

    if (!initial || !*initial)
        return;
    darn_text_start(&text, note, sizeof(note));
    darn_text_add(&text, "(default: ");
    darn_text_add(&text, initial);
    darn_text_char(&text, ')');
    if (width + 1 + text.used > DARN_OPTIONS_WIDTH) {
        write(to, "\n", 1);
        indent(write, to, 0);
    } else {
        write(to, " ", 1);
    }
    write(to, note, text.used);
}

void darn_options_help(const struct darn_option *table, enum darn_options_style style,
                       darn_options_write *write, void *to)
{
    for (const struct darn_option *option = table; option->name; option++) {
        size_t width = option->help ? write_name(option, style, write, to) : 0;

        if (!option->help)
            continue;
        if (width + 1 >= DARN_OPTIONS_COLUMN) {
            write(to, "\n", 1);
            width = 0;
        }
        indent(write, to, width);
        width = write_help(option, write, to);
        write_default(option, width, write, to);
        write(to, "\n", 1);
    }
}

static const void *field_of(const struct darn_options *options, const struct darn_option *option)
{
    return (const char *)options + option->offset;
}

/* The word of a choice with that index. */
static void add_choice(struct darn_text *text, const char *words, uint32_t index)
{
    for (; index && *words; words++)
        if (*words == '|')
            index--;
    while (*words && *words != '|')
        darn_text_char(text, *words++);
}

static void add_budget(struct darn_text *text, uint32_t budget)
{
    if (budget == DARN_BUDGET_MAX) {
        darn_text_add(text, "max");
        return;
    }
    darn_text_number(text, budget);
    darn_text_char(text, '%');
}

/* The value of an option that is not a noise, as text without quotes. */
static void add_value(struct darn_text *text, const struct darn_options *options,
                      const struct darn_option *option)
{
    const void *field = field_of(options, option);

    switch (option->type) {
    case DARN_OPTION_BUDGET:
        add_budget(text, *(const uint32_t *)field);
        break;
    case DARN_OPTION_NUMBER:
        darn_text_number(text, *(const uint32_t *)field);
        break;
    case DARN_OPTION_WIDE:
        darn_text_number(text, *(const uint64_t *)field);
        break;
    case DARN_OPTION_BOOL:
        darn_text_number(text, *(const bool *)field);
        break;
    case DARN_OPTION_CHOICE:
        add_choice(text, darn_option_words(option), *(const uint32_t *)field);
        break;
    case DARN_OPTION_PATH:
    case DARN_OPTION_OUTPUT:
    case DARN_OPTION_TEXT:
        darn_text_add(text, field);
        break;
    default:
        break;
    }
}

static bool same_text(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static bool contains(const char *text, char c)
{
    for (; *text; text++)
        if (*text == c)
            return true;
    return false;
}

/* The quote that may stand around the text: '\'' or '"', '\0' when there is none. */
static char quote_for(const char *text)
{
    if (!contains(text, '\''))
        return '\'';
    return contains(text, '"') ? '\0' : '"';
}

static int add_pair(struct darn_text *text, const char *name, const char *value,
                    struct darn_text *error)
{
    char quote = quote_for(value);

    if (!quote) {
        darn_text_add(error, name);
        darn_text_add(error, ": a value cannot contain both ' and \"");
        return -EINVAL;
    }
    if (text->used)
        darn_text_char(text, ':');
    darn_text_add(text, name);
    darn_text_char(text, '=');
    darn_text_char(text, quote);
    darn_text_add(text, value);
    darn_text_char(text, quote);
    return 0;
}

static int add_noises(struct darn_text *text, const struct darn_options *options,
                      struct darn_text *error)
{
    for (uint32_t i = 0; i < options->noise_count; i++) {
        char spec[DARN_NOISE_NAME + 64];
        struct darn_text value;

        darn_text_start(&value, spec, sizeof(spec));
        darn_noise_format(&options->noise[i], &value);
        if (add_pair(text, "noise", spec, error))
            return -EINVAL;
    }
    return 0;
}

static int add_option(struct darn_text *text, const struct darn_options *options,
                      const struct darn_option *option, struct darn_text *error)
{
    char value[DARN_OPTIONS_PATH];
    struct darn_text written;

    if (option->type == DARN_OPTION_NOISE)
        return add_noises(text, options, error);
    darn_text_start(&written, value, sizeof(value));
    add_value(&written, options, option);
    return same_text(value, option->initial) ? 0 : add_pair(text, option->name, value, error);
}

int darn_options_format(const struct darn_options *options, char *to, size_t size, char *error,
                        size_t error_size)
{
    struct darn_text text, message;

    darn_text_start(&text, to, size);
    darn_text_start(&message, error, error_size);
    for (const struct darn_option *option = darn_run_options; option->name; option++)
        if (add_option(&text, options, option, &message))
            return -EINVAL;
    if (text.cut) {
        darn_text_add(&message, "the options are too long");
        return -EINVAL;
    }
    return 0;
}
