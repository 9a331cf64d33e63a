#include "section/point.h"

#include <string.h>

#include "base/number.h"

#define MOST_COLUMN 65535 /* of a site: 16 bits */

static const char *const operations[] = {
    [DARN_SITE_READ] = "read",
    [DARN_SITE_WRITE] = "write",
    [DARN_SITE_UPDATE] = "update",
};

#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

static const char *const sets[] = {
    [0] = "none",
    [DARN_ALLOW_READ] = "read",
    [DARN_ALLOW_WRITE] = "write",
    [DARN_ALLOW_ALL] = "read,write",
};

#define SETS (sizeof(sets) / sizeof(sets[0]))

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(const char *text)
{
    size_t count = 0;

    while (is_digit(text[count]))
        count++;
    return count;
}

static bool read_set(const char *text, uint8_t *set)
{
    if (strcmp(text, "write,read") == 0) {
        *set = DARN_ALLOW_ALL;
        return true;
    }
    for (size_t i = 0; i < SETS; i++) {
        if (strcmp(text, sets[i]) == 0) {
            *set = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static void trim(char *text)
{
    size_t length = strlen(text);

    while (length && text[length - 1] == ' ')
        text[--length] = '\0';
}

static char *last_word(char *text)
{
    char *blank = strrchr(text, ' ');

    return blank ? blank + 1 : text;
}

static const char *after(const char *word, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(word, prefix, length) == 0 ? word + length : NULL;
}

static bool read_number(const char *text, uint64_t most, uint64_t *number)
{
    size_t digits = count_digits(text);

    return digits && !text[digits] && darn_number_parse(text, digits, number) && *number <= most;
}

static void say_no_set(struct darn_problem *problem, size_t at, const char *word)
{
    darn_problem_say(problem, at, "'", word,
                     "' is no set of operations: none, read, write or read,write expected");
}

/* An option of an end: 1 if it is one, 0 if not, -1 for a wrong one. */
static int read_option(const char *text, const char *word, struct darn_point *point,
                       struct darn_problem *problem)
{
    const char *value = after(word, "allow="), *seen = after(word, "seen=");
    const char *number = seen ? seen : after(word, "violated=");
    size_t at = (size_t)(word - text);

    if (!value && !number)
        return 0;
    if (point->role != DARN_ROLE_END) {
        darn_problem_say(problem, at, "'", word, "' is for ends only");
        return -1;
    }
    if (number) {
        if (read_number(number, UINT64_MAX, seen ? &point->seen : &point->violated))
            return 1;
        darn_problem_say(problem, at, "a number expected after '=', not '", number, "'");
        return -1;
    }
    if (read_set(value, &point->allow))
        return 1;
    say_no_set(problem, (size_t)(value - text), value);
    return -1;
}

/* `at LINE`, the last two words. */
static bool cut_at(char *text, char *word, struct darn_point *point)
{
    uint64_t line;

    if (word - text < 4 || strncmp(word - 4, " at ", 4) != 0 ||
        !read_number(word, UINT32_MAX, &line) || !line)
        return false;
    point->at = (uint32_t)line;
    word[-4] = '\0';
    return true;
}

/* What comes last is taken off first: a function's name may have blanks, but ends before. */
static bool cut_options(char *text, struct darn_point *point, struct darn_problem *problem)
{
    for (;;) {
        char *word;
        int found;

        trim(text);
        word = last_word(text);
        found = read_option(text, word, point, problem);
        if (found < 0)
            return false;
        if (found)
            *word = '\0';
        else if (!cut_at(text, word, point))
            return true;
    }
}

/* The first LINE:COLUMN at the beginning or after a colon, before a blank or the end. */
static char *find_place(char *text, char **end)
{
    for (char *at = text;; at++) {
        size_t line = count_digits(at);
        size_t column = line && at[line] == ':' ? count_digits(at + line + 1) : 0;

        *end = at + line + 1 + column;
        if (column && (!**end || **end == ' '))
            return at;
        at = strchr(at, ':');
        if (!at)
            return NULL;
    }
}

static bool read_place(char *text, char *place, struct darn_point *point,
                       struct darn_problem *problem)
{
    size_t at = (size_t)(place - text), digits = count_digits(place);
    uint64_t line, column;

    if (!darn_number_parse(place, digits, &line) || line > UINT32_MAX) {
        darn_problem_say(problem, at, "there is no line as large as this", "", "");
        return false;
    }
    /* A way that the compiler has made up has no line; an access has one. */
    if (!line && point->role != DARN_ROLE_LEAVE && point->role != DARN_ROLE_CALL) {
        darn_problem_say(problem, at, "there is no line 0", "", "");
        return false;
    }
    if (!darn_number_parse(place + digits + 1, count_digits(place + digits + 1), &column) ||
        column > MOST_COLUMN) {
        darn_problem_say(problem, at + digits + 1, "a column is at most 65535", "", "");
        return false;
    }
    point->line = (uint32_t)line;
    point->column = (uint32_t)column;
    if (place == text)
        return true;
    place[-1] = '\0';
    point->file = text;
    if (!*text) {
        darn_problem_say(problem, 0, "a name of a file expected before ':'", "", "");
        return false;
    }
    return true;
}

/* The operation of an access; the word is cut off. */
static bool read_operation(const char *text, char **rest, struct darn_point *point,
                           struct darn_problem *problem)
{
    size_t length = strcspn(*rest, " ");
    char *word = *rest, end = word[length];

    word[length] = '\0';
    for (size_t i = 0; i < OPERATIONS; i++) {
        if (strcmp(word, operations[i]) == 0) {
            point->kind = (uint8_t)i;
            *rest = word + length + (end == ' ');
            return true;
        }
    }
    darn_problem_say(
        problem, (size_t)(word - text), *word ? "'" : "an operation expected here: ", word,
        *word ? "' is no operation: read, write or update expected" : "read, write or update");
    return false;
}

static char *skip_blanks(char *text)
{
    while (*text == ' ')
        text++;
    return text;
}

bool darn_point_read(char *text, uint8_t role, struct darn_point *point,
                     struct darn_problem *problem)
{
    bool is_access = role == DARN_ROLE_ENTRY || role == DARN_ROLE_END;
    char *place, *rest;

    *point = (struct darn_point){.role = role, .allow = DARN_POINT_NO_ALLOW};
    point->kind = role == DARN_ROLE_LEAVE ? DARN_SITE_LEAVE : DARN_SITE_CALL;
    if (!cut_options(text, point, problem))
        return false;
    place = find_place(text, &rest);
    if (!place) {
        darn_problem_say(problem, 0, "a place as 12:5 expected, not '", text, "'");
        return false;
    }
    if (!read_place(text, place, point, problem))
        return false;
    rest = skip_blanks(rest);
    if (is_access && !read_operation(text, &rest, point, problem))
        return false;
    rest = skip_blanks(rest);
    if (strncmp(rest, "in ", 3) == 0 && *skip_blanks(rest + 3)) {
        point->function = skip_blanks(rest + 3);
    } else if (*rest) {
        darn_problem_say(problem, (size_t)(rest - text), "'", rest,
                         is_access ? "' is not understood here"
                                   : "' is too much: a way has no more "
                                     "than its place");
        return false;
    }
    if (!point->at)
        point->at = point->line;
    return true;
}

/* FILE:FIRST[-LAST] with a blank behind it: the colon. */
static char *find_range(char *text)
{
    for (char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        size_t first = count_digits(colon + 1), last = 0;
        const char *end = colon + 1 + first;

        if (*end == '-') {
            last = count_digits(end + 1);
            end = last ? end + 1 + last : end;
        }
        if (first && colon > text && (*end == ' ' || !*end))
            return colon;
    }
    return NULL;
}

static bool read_range(char *text, char *range, struct darn_section *section,
                       struct darn_problem *problem)
{
    size_t digits = count_digits(range), at = (size_t)(range - text);
    bool has_last = range[digits] == '-';
    const char *second = range + digits + 1;
    uint64_t first, last;

    if (!darn_number_parse(range, digits, &first))
        first = UINT64_MAX;
    last = first;
    if (has_last && !darn_number_parse(second, count_digits(second), &last))
        last = UINT64_MAX;
    if (!first)
        darn_problem_say(problem, at, "there is no line 0", "", "");
    else if (first > UINT32_MAX || last > UINT32_MAX)
        darn_problem_say(problem, at, "there is no line as large as this", "", "");
    else if (last < first)
        darn_problem_say(problem, at, "the last line comes before the first", "", "");
    section->first = (uint32_t)first;
    section->last = (uint32_t)last;
    return !problem->is_set;
}

bool darn_lines_read(char *text, struct darn_section *section, struct darn_problem *problem)
{
    char *colon, *rest, *word;

    trim(text);
    colon = find_range(text);
    if (!colon) {
        darn_problem_say(problem, 0,
                         "lines and a variable as bank.c:120-131 balance expected, not '", text,
                         "'");
        return false;
    }
    if (!read_range(text, colon + 1, section, problem))
        return false;
    rest = skip_blanks(colon + 1 + strcspn(colon + 1, " "));
    *colon = '\0';
    word = last_word(rest);
    if (after(word, "allow=")) {
        if (!read_set(after(word, "allow="), &section->allow)) {
            say_no_set(problem, (size_t)(word - text) + strlen("allow="), after(word, "allow="));
            return false;
        }
        section->has_allow = true;
        *word = '\0';
        trim(rest);
    }
    if (!*rest) {
        darn_problem_say(problem, (size_t)(rest - text),
                         "the name of a variable expected behind "
                         "the lines",
                         "", "");
        return false;
    }
    section->file = text;
    section->function = "";
    section->variable = rest;
    section->kind = DARN_SECTION_HAND;
    return true;
}

static void put_number(struct darn_text *text, const char *before, uint64_t number)
{
    darn_text_add(text, before);
    darn_text_number(text, number);
}

void darn_point_write(struct darn_text *text, const struct darn_section *section,
                      const struct darn_point *point)
{
    if (strcmp(point->file, section->file) != 0) {
        darn_text_add(text, point->file);
        darn_text_char(text, ':');
    }
    put_number(text, "", point->line);
    put_number(text, ":", point->column);
    if (point->kind < OPERATIONS) {
        darn_text_char(text, ' ');
        darn_text_add(text, operations[point->kind]);
    }
    if (strcmp(point->function, section->function) != 0) {
        darn_text_add(text, " in ");
        darn_text_add(text, point->function);
    }
    if (point->at != point->line)
        put_number(text, " at ", point->at);
    if (point->role != DARN_ROLE_END)
        return;
    darn_text_add(text, " allow=");
    darn_text_add(text, sets[point->allow & DARN_ALLOW_ALL]);
    if (point->seen)
        put_number(text, " seen=", point->seen);
    if (point->violated)
        put_number(text, " violated=", point->violated);
}

void darn_lines_write(struct darn_text *text, const struct darn_section *section)
{
    darn_text_add(text, section->file);
    put_number(text, ":", section->first);
    if (section->last != section->first)
        put_number(text, "-", section->last);
    darn_text_char(text, ' ');
    darn_text_add(text, section->variable);
    if (section->has_allow) {
        darn_text_add(text, " allow=");
        darn_text_add(text, sets[section->allow & DARN_ALLOW_ALL]);
    }
}
