/*
 * The repository around its sections: first the version, then lists; and the way back into the text
 * after what cannot be read.
 */
#include <string.h>

#include "section/element.h"
#include "section/scan.h"
#include "section/section.h"

struct reading {
    struct darn_scan scan;
    struct darn_section *section;
    const struct darn_repository_reader *reader;
    uint32_t errors;
    bool stopped; /* the callback wants no more */
    /* A place whose line is known: those that are asked for later are not before it. */
    size_t mark, mark_start; /* the byte, and where its line begins */
    uint32_t mark_line;
};

#define NO_REPOSITORY                                                                              \
    "this is no repository of sections: it has to begin with {\"darn-sections\": 1"

static void set_mark(struct reading *reading, size_t at)
{
    if (at >= reading->scan.size)
        return; /* what is missing at the end is told where the text ends, not behind it */
    for (; reading->mark < at; reading->mark++) {
        if (reading->scan.text[reading->mark] != '\n')
            continue;
        reading->mark_line++;
        reading->mark_start = reading->mark + 1;
    }
}

static void locate(const struct reading *reading, size_t at, uint32_t *line, uint32_t *column)
{
    size_t start = reading->mark_start;

    *line = reading->mark_line;
    for (size_t i = reading->mark; i < at; i++) {
        if (reading->scan.text[i] == '\n') {
            ++*line;
            start = i + 1;
        }
    }
    *column = (uint32_t)(at - start) + 1;
}

/* Where the text ends, nothing stands: the place behind its last word is shown. */
static size_t in_text(const struct reading *reading, size_t at)
{
    const struct darn_scan *scan = &reading->scan;

    if (at < scan->size)
        return at;
    at = scan->size;
    while (at > reading->mark && strchr(" \t\r\n", scan->text[at - 1]))
        at--;
    return at;
}

static void tell(struct reading *reading, const struct darn_problem *problem)
{
    struct darn_repository_error error = {.text = problem->room};

    locate(reading, in_text(reading, problem->at), &error.line, &error.column);
    reading->errors++;
    if (reading->reader->error)
        reading->reader->error(reading->reader->context, &error);
}

/* The syntax is wrong: tells it, and makes the scan ready to go on somewhere else. */
static void tell_syntax(struct reading *reading)
{
    tell(reading, &reading->scan.problem);
    reading->scan.problem.is_set = false;
}

/* The first byte of the line that is no blank. */
static size_t line_text(const struct reading *reading, size_t at)
{
    const struct darn_scan *scan = &reading->scan;

    while (at < scan->size && (scan->text[at] == ' ' || scan->text[at] == '\t'))
        at++;
    return at;
}

static size_t next_line(const struct reading *reading, size_t at)
{
    const struct darn_scan *scan = &reading->scan;

    while (at < scan->size && scan->text[at] != '\n')
        at++;
    return at < scan->size ? at + 1 : at;
}

/* "sections" or "dropped" with a colon: a list of the repository begins in this line. */
static bool is_list_key(const struct reading *reading, size_t at)
{
    static const char *const names[] = {"\"sections\"", "\"dropped\""};
    const struct darn_scan *scan = &reading->scan;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t length = strlen(names[i]);

        if (scan->size - at > length && memcmp(scan->text + at, names[i], length) == 0) {
            size_t colon = line_text(reading, at + length);

            return colon < scan->size && scan->text[colon] == ':';
        }
    }
    return false;
}

/* A string with a colon behind it is a key: no section begins there. */
static bool is_key(const struct reading *reading, size_t at)
{
    const struct darn_scan *scan = &reading->scan;

    for (at++; at < scan->size && scan->text[at] != '"' && scan->text[at] != '\n'; at++)
        at += scan->text[at] == '\\';
    at = at < scan->size ? line_text(reading, at + 1) : at;
    return at < scan->size && scan->text[at] == ':';
}

enum way { WAY_ELEMENT, WAY_LIST_END, WAY_MEMBER, WAY_TEXT_END };

/*
 * After a fault within the element that began at the mark: the next line that is indented no deeper
 * than the element's first one and begins a section, ends the list (the bracket is taken), or
 * begins another list. It is looked for behind `from`: the fault may show only where a section is
 * read that is not to blame.
 */
static enum way find_way(struct reading *reading, size_t from)
{
    struct darn_scan *scan = &reading->scan;
    size_t depth = line_text(reading, reading->mark_start) - reading->mark_start;

    for (size_t line = next_line(reading, from); line < scan->size;
         line = next_line(reading, line)) {
        size_t at = line_text(reading, line);

        if (at >= scan->size || at - line > depth)
            continue;
        scan->at = at;
        if (scan->text[at] == '{')
            return WAY_ELEMENT;
        if (scan->text[at] == ']') {
            scan->at++;
            return WAY_LIST_END;
        }
        if (scan->text[at] == '"' && is_list_key(reading, at))
            return WAY_MEMBER;
        if (scan->text[at] == '"' && !is_key(reading, at))
            return WAY_ELEMENT;
    }
    scan->at = scan->size;
    return WAY_TEXT_END;
}

/* Reads one element and hands it on. False: its syntax is wrong. */
static bool read_element(struct reading *reading, bool dropped)
{
    struct darn_problem problem = {.is_set = false};
    struct darn_section *section = reading->section;
    size_t start = reading->scan.at;
    bool fine = darn_element_read(&reading->scan, section, dropped, &problem);

    if (reading->scan.problem.is_set) {
        tell_syntax(reading);
        return false;
    }
    if (problem.is_set)
        tell(reading, &problem);
    if (!fine || (dropped && !reading->reader->with_dropped))
        return true;
    locate(reading, start, &section->position, &section->column);
    reading->stopped = !reading->reader->section(reading->reader->context, section);
    return true;
}

/* After an element. A missing comma is told, and the next section is read all the same. */
static enum way next_element(struct reading *reading)
{
    struct darn_scan *scan = &reading->scan;
    int next = darn_scan_next(scan, ']', "',' or ']'");
    int c;

    if (next >= 0)
        return next ? WAY_ELEMENT : WAY_LIST_END;
    tell_syntax(reading);
    c = darn_scan_peek(scan);
    return c == '{' || (c == '"' && !is_key(reading, scan->at)) ? WAY_ELEMENT
                                                                : find_way(reading, scan->at);
}

/* The elements of a list, after its bracket. WAY_LIST_END, WAY_MEMBER or WAY_TEXT_END. */
static enum way read_list(struct reading *reading, bool dropped)
{
    struct darn_scan *scan = &reading->scan;
    enum way way = WAY_ELEMENT;

    if (darn_scan_peek(scan) == ']') {
        scan->at++;
        return WAY_LIST_END;
    }
    while (way == WAY_ELEMENT && !reading->stopped) {
        size_t start;

        darn_scan_peek(scan);
        start = scan->at;
        set_mark(reading, start);
        if (read_element(reading, dropped)) {
            way = next_element(reading);
            continue;
        }
        /* A comma too many, and the list ends as it should. */
        if (scan->at == start && darn_scan_peek(scan) == ']') {
            scan->at++;
            return WAY_LIST_END;
        }
        way = find_way(reading, start);
    }
    return way;
}

/* The value of a member. WAY_LIST_END: it ended as it should. */
static enum way read_member(struct reading *reading)
{
    struct darn_scan *scan = &reading->scan;
    struct darn_scan_string key;
    bool dropped;

    scan->room_used = 0;
    darn_scan_peek(scan);
    set_mark(reading, scan->at);
    if (!darn_scan_string(scan, &key, "a key in quotes") ||
        !darn_scan_take(scan, ':', "':' behind the key"))
        return WAY_TEXT_END;
    dropped = strcmp(key.text, "dropped") == 0;
    if (!dropped && strcmp(key.text, "sections") != 0)
        return darn_scan_skip(scan) ? WAY_LIST_END : WAY_TEXT_END;
    if (!darn_scan_take(scan, '[', "a list in brackets []"))
        return WAY_TEXT_END;
    return read_list(reading, dropped);
}

/* Outside of the sections there is little to hold on to: the next list. */
static bool find_list(struct reading *reading)
{
    struct darn_scan *scan = &reading->scan;

    for (size_t line = next_line(reading, scan->at); line < scan->size;
         line = next_line(reading, line)) {
        size_t at = line_text(reading, line);

        if (at < scan->size && is_list_key(reading, at)) {
            scan->at = at;
            return true;
        }
    }
    return false;
}

/* What is after the version, up to the end of the text. */
static void read_members(struct reading *reading)
{
    struct darn_scan *scan = &reading->scan;
    int next = darn_scan_next(scan, '}', "',' or '}'");

    while (!reading->stopped) {
        enum way way = next > 0 ? read_member(reading) : WAY_LIST_END;

        if (reading->stopped)
            return;
        if (way == WAY_MEMBER)
            continue;
        if (way == WAY_LIST_END && next > 0)
            next = darn_scan_next(scan, '}', "',' or '}'");
        if (scan->problem.is_set) {
            tell_syntax(reading);
            if (!find_list(reading))
                return;
            next = 1;
        } else if (way == WAY_TEXT_END) {
            return;
        } else if (next == 0) {
            if (darn_scan_peek(scan) == DARN_SCAN_END)
                return;
            set_mark(reading, scan->at);
            darn_scan_fail(scan, "the end of the text");
            tell_syntax(reading);
            return;
        }
    }
}

/* {"darn-sections": 1 */
static bool read_version(struct reading *reading)
{
    struct darn_scan *scan = &reading->scan;
    struct darn_problem problem = {.is_set = false};
    struct darn_scan_string key;
    uint64_t version = 0;

    if (scan->size >= 3 && memcmp(scan->text, "\xef\xbb\xbf", 3) == 0)
        scan->at = 3; /* the mark that some editors leave */
    if (!darn_scan_take(scan, '{', "") || !darn_scan_string(scan, &key, "") ||
        strcmp(key.text, "darn-sections") != 0 || !darn_scan_take(scan, ':', "")) {
        darn_problem_say(&problem, 0, NO_REPOSITORY, "", "");
    } else if (!darn_scan_number(scan, &version, "the number of the version")) {
        problem = scan->problem;
    } else if (version != DARN_REPOSITORY_VERSION) {
        darn_problem_say(&problem, key.at,
                         "the repository has another version of the format; this darn reads "
                         "version 1: use the darn that wrote it, or a newer one",
                         "", "");
    }
    if (problem.is_set)
        tell(reading, &problem);
    return !problem.is_set;
}

uint32_t darn_repository_read(const char *text, size_t size, struct darn_section *section,
                              const struct darn_repository_reader *reader)
{
    struct reading reading = {
        .scan = {.text = text, .size = size, .room = reader->room, .room_size = reader->room_size},
        .section = section,
        .reader = reader,
        .mark_line = 1,
    };

    if (read_version(&reading))
        read_members(&reading);
    return reading.errors;
}
