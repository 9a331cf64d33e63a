/*
 * The reading half of a schedule file. It may come from anywhere: every list has an end that the
 * control block gives it, and no line of the file can ask for more memory than that.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "schedule/schedule.h"
#include "schedule/schedule_text.h"

#define MOST_LINE  (1u << 20)
#define MOST_TEXTS 65536      /* arguments, and variables of the environment */
#define MOST_TEXT  (8u << 20) /* bytes of them */
#define SHOWN      40         /* characters of a wrong word in a message */

struct reader {
    FILE *file;
    char *line; /* without its end */
    size_t length, room;
    unsigned long number;
    char *error;
    size_t size;
    struct darn_schedule *schedule;
    size_t argument_count, environment_count, text_length;
    uint32_t thread;
    bool ended;
};

__attribute__((format(printf, 2, 3))) static int fail(struct reader *reader, const char *format,
                                                      ...)
{
    char why[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    for (char *c = why; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    snprintf(reader->error, reader->size, "line %lu: %s", reader->number, why);
    return -1;
}

/* Makes room for one more element. */
static int grow(struct reader *reader, void *list, size_t count, size_t most, size_t size)
{
    void **at = list, *larger;

    if (count >= most)
        return fail(reader, "too many of them: there is room for %zu", most);
    if (count & (count - 1) || (count && count < 16))
        return 0; /* not a power of two: the room is there */
    larger = realloc(*at, (count < 16 ? 16 : 2 * count) * size);
    if (!larger)
        return fail(reader, "out of memory");
    *at = larger;
    return 0;
}

/* The next line: 1, or 0 at the end, or -1. */
static int next_line(struct reader *reader)
{
    int c;

    reader->length = 0;
    reader->number++;
    while ((c = getc(reader->file)) != EOF && c != '\n') {
        if (reader->length + 1 >= MOST_LINE)
            return fail(reader, "it is too long");
        if (!c)
            return fail(reader, "it has a zero byte: this is not a text");
        if (reader->length + 1 >= reader->room) {
            char *larger = realloc(reader->line, reader->room ? 2 * reader->room : 256);

            if (!larger)
                return fail(reader, "out of memory");
            reader->line = larger;
            reader->room = reader->room ? 2 * reader->room : 256;
        }
        reader->line[reader->length++] = (char)c;
    }
    if (ferror(reader->file))
        return fail(reader, "cannot be read: %s", strerror(errno));
    if (c == EOF && !reader->length)
        return 0;
    if (reader->length && reader->line[reader->length - 1] == '\r')
        reader->length--;
    if (reader->room)
        reader->line[reader->length] = '\0';
    return 1;
}

/* A word of the line: blanks before it are skipped. 0 at the end of the line. */
static size_t next_word(char **at)
{
    *at += strspn(*at, " \t");
    return strcspn(*at, " \t");
}

static int take_text(struct reader *reader, char *rest, char **to)
{
    if (*to)
        return fail(reader, "it was said before");
    if (!darn_schedule_get_text(rest))
        return fail(reader, "after a backslash comes another one, or x and two hexadecimal digits");
    *to = strdup(rest);
    return *to ? 0 : fail(reader, "out of memory");
}

/* A list of texts that ends with NULL. */
static int take_item(struct reader *reader, char *rest, char ***list, size_t *count)
{
    reader->text_length += strlen(rest);
    if (reader->text_length > MOST_TEXT)
        return fail(reader, "the arguments and the environment are too long");
    if ((!*count && grow(reader, list, 0, MOST_TEXTS, sizeof(**list))) ||
        grow(reader, list, *count + 1, MOST_TEXTS, sizeof(**list)))
        return -1;
    (*list)[*count] = (*list)[*count + 1] = NULL;
    if (take_text(reader, rest, &(*list)[*count]))
        return -1;
    ++*count;
    return 0;
}

static int take_number(struct reader *reader, const char *rest, uint64_t *to)
{
    if (*to)
        return fail(reader, "it was said before");
    if (!darn_number_parse(rest, strlen(rest), to))
        return fail(reader, "'%.*s' is no number", SHOWN, rest);
    return 0;
}

static int take_build(struct reader *reader, const char *rest)
{
    if (reader->schedule->build)
        return fail(reader, "it was said before");
    if (!darn_schedule_get_hex(rest, strlen(rest), &reader->schedule->build))
        return fail(reader, "'%.*s' is no hexadecimal number", SHOWN, rest);
    return 0;
}

static int take_flags(struct reader *reader, char *rest)
{
    for (size_t length; (length = next_word(&rest)); rest += length) {
        uint64_t flags = 0;

        for (unsigned bit = 0; bit < DARN_SCHEDULE_RUN_FLAGS; bit++) {
            const char *name = darn_schedule_run_flags[bit];

            if (strlen(name) == length && memcmp(name, rest, length) == 0)
                flags = 1u << bit;
        }
        if (!flags && (!darn_number_parse(rest, length, &flags) || flags > UINT32_MAX))
            return fail(reader, "there is no flag '%.*s'", (int)(length < SHOWN ? length : SHOWN),
                        rest);
        reader->schedule->run_flags |= (uint32_t)flags;
    }
    return 0;
}

static int take_armed(struct reader *reader, char *rest)
{
    struct darn_schedule *schedule = reader->schedule;

    for (size_t length; (length = next_word(&rest)); rest += length) {
        uint64_t key;

        if (!darn_schedule_get_hex(rest, length, &key))
            return fail(reader, "'%.*s' is no key of a site",
                        (int)(length < SHOWN ? length : SHOWN), rest);
        if (grow(reader, &schedule->armed, schedule->armed_count, DARN_BLOCK_SITES, sizeof(key)))
            return -1;
        schedule->armed[schedule->armed_count++] = key;
    }
    return 0;
}

static int take_inputs(struct reader *reader, const char *rest)
{
    struct darn_schedule *schedule = reader->schedule;

    for (; *rest; rest += 2) {
        uint64_t byte;

        if (!rest[1] || !darn_schedule_get_hex(rest, 2, &byte))
            return fail(reader, "inputs are pairs of hexadecimal digits");
        if (grow(reader, &schedule->inputs, schedule->input_length, DARN_BLOCK_INPUTS, 1))
            return -1;
        schedule->inputs[schedule->input_length++] = (unsigned char)byte;
    }
    return 0;
}

/* `0 /home/me/bank` */
static int take_module(struct reader *reader, char *rest)
{
    struct darn_schedule *schedule = reader->schedule;
    size_t length = next_word(&rest);
    uint64_t number;

    if (!darn_number_parse(rest, length, &number) || number != schedule->module_count)
        return fail(reader, "modules are numbered: here comes %zu", schedule->module_count);
    if (schedule->step_count)
        return fail(reader, "a module comes before the steps");
    rest += length;
    if (*rest)
        rest++;
    if (!*rest)
        return fail(reader, "the module has no path");
    if (grow(reader, &schedule->modules, schedule->module_count, DARN_BLOCK_MODULES,
             sizeof(*schedule->modules)))
        return -1;
    schedule->modules[schedule->module_count] = NULL;
    if (take_text(reader, rest, &schedule->modules[schedule->module_count]))
        return -1;
    schedule->module_count++;
    return 0;
}

/* `0+4010` or `0x7f001234` */
static bool parse_place(const struct darn_schedule *schedule, const char *text, size_t length,
                        struct darn_schedule_place *place)
{
    const char *plus = memchr(text, '+', length);
    size_t before = plus ? (size_t)(plus - text) : 0;
    uint64_t module;

    if (!plus) {
        place->module = (uint32_t)schedule->module_count;
        return length > 2 && text[1] == 'x' && darn_number_parse(text, length, &place->offset) &&
               place->offset;
    }
    if (!darn_number_parse(text, before, &module) || module >= schedule->module_count)
        return false;
    place->module = (uint32_t)module;
    return darn_schedule_get_hex(plus + 1, length - before - 1, &place->offset);
}

static bool is_word(const char *line, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(line, word, length) == 0;
}

/* `first 0+4010` */
static int take_aim(struct reader *reader, char *rest)
{
    struct darn_schedule *schedule = reader->schedule;
    size_t length = next_word(&rest);
    struct darn_schedule_aim aim = {.kind = DARN_AIM_NONE};

    for (uint32_t kind = DARN_AIM_FIRST; kind <= DARN_AIM_REMOTE_SECTION; kind++)
        if (is_word(rest, length, darn_schedule_aim_name(kind)))
            aim.kind = kind;
    if (!aim.kind)
        return fail(reader, "an aim is first, second, third, fourth, back, unit, remote-unit, "
                            "section or remote-section");
    rest += length;
    length = next_word(&rest);
    if (!memchr(rest, '+', length) || !parse_place(schedule, rest, length, &aim.place))
        return fail(reader, "'%.*s' is no place", (int)(length < SHOWN ? length : SHOWN), rest);
    if (grow(reader, &schedule->aims, schedule->aim_count, DARN_AIMS, sizeof(aim)))
        return -1;
    schedule->aims[schedule->aim_count++] = aim;
    return 0;
}

/* `!lock@0+4010*3`: marks, the operation, where, how often. */
static bool parse_step(const struct darn_schedule *schedule, const char *text, size_t length,
                       struct darn_schedule_step *step, uint64_t *times)
{
    const char *end = text + length, *mark, *star, *at;

    step->place = (struct darn_schedule_place){(uint32_t)schedule->module_count, 0};
    for (; text < end && (mark = strchr(DARN_SCHEDULE_MARKS, *text)); text++)
        step->flags |= (uint8_t)(1u << (mark - DARN_SCHEDULE_MARKS));
    star = memchr(text, '*', (size_t)(end - text));
    *times = 1;
    if (star && (!darn_number_parse(star + 1, (size_t)(end - star - 1), times) || !*times))
        return false;
    end = star ? star : end;
    at = memchr(text, '@', (size_t)(end - text));
    if (at && !parse_place(schedule, at + 1, (size_t)(end - at - 1), &step->place))
        return false;
    end = at ? at : end;
    step->op = (uint8_t)darn_step_op_of(text, (unsigned long)(end - text));
    return step->op != DARN_STEP_NONE;
}

static int take_steps(struct reader *reader, char *rest)
{
    struct darn_schedule *schedule = reader->schedule;

    for (size_t length; (length = next_word(&rest)); rest += length) {
        struct darn_schedule_step step = {.thread = reader->thread};
        uint64_t times;

        if (!parse_step(schedule, rest, length, &step, &times))
            return fail(reader, "'%.*s' is no step", (int)(length < SHOWN ? length : SHOWN), rest);
        if (times > DARN_BLOCK_STEPS - schedule->step_count)
            return fail(reader, "too many steps: there is room for %u", DARN_BLOCK_STEPS);
        for (; times; times--) {
            if (grow(reader, &schedule->steps, schedule->step_count, DARN_BLOCK_STEPS,
                     sizeof(step)))
                return -1;
            schedule->steps[schedule->step_count++] = step;
        }
    }
    return 0;
}

static int take_thread(struct reader *reader, char *line)
{
    size_t length = strcspn(line, " \t");
    uint64_t number;

    if (!darn_number_parse(line + 1, length - 1, &number) || number > UINT32_MAX)
        return fail(reader, "'%.*s' is no thread", (int)(length < SHOWN ? length : SHOWN), line);
    reader->thread = (uint32_t)number;
    return take_steps(reader, line + length);
}

static int take_named(struct reader *reader, size_t length, char *rest)
{
    struct darn_schedule *schedule = reader->schedule;
    const struct {
        const char *name;
        char **to;
    } texts[] = {
        {"program", &schedule->program},
        {"directory", &schedule->directory},
        {"input", &schedule->input},
        {"ending", &schedule->ending},
    };
    const char *line = reader->line;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (is_word(line, length, texts[i].name))
            return take_text(reader, rest, texts[i].to);
    if (is_word(line, length, "argument"))
        return take_item(reader, rest, &schedule->arguments, &reader->argument_count);
    if (is_word(line, length, "environment"))
        return take_item(reader, rest, &schedule->environment, &reader->environment_count);
    if (is_word(line, length, "time"))
        return take_number(reader, rest, &schedule->time);
    if (is_word(line, length, "max-steps"))
        return take_number(reader, rest, &schedule->max_steps);
    if (is_word(line, length, "fair-from"))
        return take_number(reader, rest, &schedule->fair_from);
    if (is_word(line, length, "essential"))
        return take_number(reader, rest, &schedule->essential);
    if (is_word(line, length, "instead"))
        return take_number(reader, rest, &schedule->instead);
    if (is_word(line, length, "build"))
        return take_build(reader, rest);
    if (is_word(line, length, "flags"))
        return take_flags(reader, rest);
    if (is_word(line, length, "armed"))
        return take_armed(reader, rest);
    if (is_word(line, length, "inputs"))
        return take_inputs(reader, rest);
    if (is_word(line, length, "module"))
        return take_module(reader, rest);
    if (is_word(line, length, "aim"))
        return take_aim(reader, rest);
    return fail(reader, "'%.*s' is not known", (int)(length < SHOWN ? length : SHOWN), line);
}

static int take_line(struct reader *reader)
{
    char *line = reader->line;
    size_t length;

    if (!reader->length || *line == '#')
        return 0;
    if (*line == ' ' || *line == '\t') {
        if (!reader->schedule->step_count && line[strspn(line, " \t")])
            return fail(reader, "it goes on with the steps of a thread, but there is none");
        return take_steps(reader, line);
    }
    if (*line == 'T')
        return take_thread(reader, line);
    if (strcmp(line, "end") == 0) {
        reader->ended = true;
        return 0;
    }
    length = strcspn(line, " ");
    return take_named(reader, length, line + length + (line[length] != '\0'));
}

static int read_version(struct reader *reader)
{
    static const char magic[] = "darn schedule ";
    uint64_t version;
    int result = next_line(reader);

    if (result < 0)
        return -1;
    if (!result || !reader->length || strncmp(reader->line, magic, strlen(magic)) != 0 ||
        !darn_number_parse(reader->line + strlen(magic), strlen(reader->line + strlen(magic)),
                           &version))
        return fail(reader, "this is no schedule: it does not begin with '%s%d'", magic,
                    DARN_SCHEDULE_VERSION);
    if (version != DARN_SCHEDULE_VERSION)
        return fail(reader, "version %llu is not known: this darn reads version %d",
                    (unsigned long long)version, DARN_SCHEDULE_VERSION);
    return 0;
}

static int read_all(struct reader *reader)
{
    struct darn_schedule *schedule = reader->schedule;
    int result;

    if (read_version(reader))
        return -1;
    while ((result = next_line(reader)) > 0) {
        if (reader->ended && reader->length)
            return fail(reader, "there is something after 'end'");
        if (take_line(reader))
            return -1;
    }
    if (result < 0)
        return -1;
    if (!reader->ended)
        return fail(reader, "'end' is missing: the file was cut off");
    if (!schedule->program || !*schedule->program)
        return fail(reader, "no line says which program it is");
    return 0;
}

/* Nobody needs to ask whether a list is there. */
static int complete_lists(struct reader *reader)
{
    struct darn_schedule *schedule = reader->schedule;

    if (!schedule->arguments)
        schedule->arguments = calloc(1, sizeof(*schedule->arguments));
    if (!schedule->environment)
        schedule->environment = calloc(1, sizeof(*schedule->environment));
    if (!schedule->arguments || !schedule->environment)
        return fail(reader, "out of memory");
    return 0;
}

struct darn_schedule *darn_schedule_read(FILE *file, char *error, size_t size)
{
    struct reader reader = {.file = file, .error = error, .size = size};

    reader.schedule = calloc(1, sizeof(*reader.schedule));
    if (!reader.schedule) {
        (void)fail(&reader, "out of memory");
        return NULL;
    }
    if (read_all(&reader) || complete_lists(&reader)) {
        darn_schedule_free(reader.schedule);
        reader.schedule = NULL;
    }
    free(reader.line);
    return reader.schedule;
}
