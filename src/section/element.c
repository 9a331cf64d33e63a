#include "section/element.h"

#include <string.h>

#include "section/point.h"

struct element {
    struct darn_scan *scan;
    struct darn_section *section;
    struct darn_problem *problem;
    unsigned given; /* the keys so far, by their number in the table */
    bool dropped;
};

/* Where byte `at` of the string stands in the text, as well as that can be said. */
static size_t offset_in(const struct darn_scan_string *string, size_t at)
{
    return string->is_spelled ? string->at + 1 + at : string->at;
}

/* A string that has to be one. False also when it is something else: that is passed over. */
static bool read_string(struct element *element, struct darn_scan_string *string,
                        const char *expected)
{
    if (darn_scan_peek(element->scan) == '"')
        return darn_scan_string(element->scan, string, expected);
    darn_scan_refuse(element->scan, element->problem, expected);
    return false;
}

/* Each item of a list of strings. */
static void read_list(struct element *element, const char *expected,
                      void (*item)(struct element *, struct darn_scan_string *, uint8_t),
                      uint8_t role)
{
    struct darn_scan *scan = element->scan;
    struct darn_scan_string string;

    if (darn_scan_peek(scan) != '[') {
        darn_scan_refuse(scan, element->problem, "a list in brackets []");
        return;
    }
    scan->at++;
    if (darn_scan_peek(scan) == ']') {
        scan->at++;
        return;
    }
    do {
        if (read_string(element, &string, expected))
            item(element, &string, role);
    } while (!scan->problem.is_set && darn_scan_next(scan, ']', "',' or ']'") > 0);
}

/* The problem of a piece of the string, at its place in the text. */
static void blame(struct element *element, const struct darn_scan_string *string,
                  const struct darn_problem *problem)
{
    if (problem->is_set)
        darn_problem_say(element->problem, offset_in(string, problem->at), "", "", problem->room);
}

static void add_point(struct element *element, struct darn_scan_string *string, uint8_t role)
{
    struct darn_section *section = element->section;
    struct darn_problem problem = {.is_set = false};
    struct darn_point point;

    if (section->count == DARN_SECTION_POINTS)
        darn_problem_say(element->problem, string->at, "a section has at most 64 points", "", "");
    else if (darn_point_read(string->text, role, &point, &problem))
        section->points[section->count++] = point;
    blame(element, string, &problem);
}

static void add_inside(struct element *element, struct darn_scan_string *string, uint8_t role)
{
    const char *name;

    (void)role;
    for (unsigned bit = 0; (name = darn_section_inside_name(bit)); bit++) {
        if (strcmp(name, string->text) == 0) {
            element->section->inside |= (uint16_t)(1u << bit);
            return;
        }
    }
    darn_problem_say(element->problem, offset_in(string, 0), "'", string->text,
                     "' is none of synchronization, calls, unknown-calls, loops and across-calls");
}

static const char *read_text(struct element *element)
{
    struct darn_scan_string string;

    return read_string(element, &string, "a text in quotes") ? string.text : NULL;
}

static void set_variable(struct element *element)
{
    element->section->variable = read_text(element);
}

static void set_type(struct element *element)
{
    element->section->type = read_text(element);
}

static void set_function(struct element *element)
{
    element->section->function = read_text(element);
}

static void set_file(struct element *element)
{
    element->section->file = read_text(element);
}

static void set_kind(struct element *element)
{
    struct darn_scan_string string;

    if (!read_string(element, &string, "the name of a kind"))
        return;
    for (uint8_t kind = 0; kind < DARN_SECTION_KINDS; kind++) {
        if (strcmp(darn_section_kind_name(kind), string.text) == 0) {
            element->section->kind = kind;
            return;
        }
    }
    darn_problem_say(element->problem, offset_in(&string, 0), "'", string.text,
                     "' is no kind: load-and-store, test-and-use, pair, learned, by-hand, race, "
                     "order or together expected");
}

static void set_until(struct element *element)
{
    struct darn_scan_string string;

    if (!read_string(element, &string, "\"done\" or \"gone\""))
        return;
    element->section->until = darn_until_named(string.text);
    if (!element->section->until || element->section->until == DARN_UNTIL_THROUGH)
        darn_problem_say(element->problem, offset_in(&string, 0), "'", string.text,
                         "' is neither done nor gone");
}

static void set_entry(struct element *element)
{
    struct darn_scan_string string;

    if (read_string(element, &string, "a point as \"12:5 read\""))
        add_point(element, &string, DARN_ROLE_ENTRY);
}

static void set_ends(struct element *element)
{
    read_list(element, "a point as \"14:13 write allow=read\"", add_point, DARN_ROLE_END);
}

static void set_calls(struct element *element)
{
    read_list(element, "a place as \"13:3\"", add_point, DARN_ROLE_CALL);
}

static void set_leaves(struct element *element)
{
    read_list(element, "a place as \"16:3\"", add_point, DARN_ROLE_LEAVE);
}

static void set_inside(struct element *element)
{
    read_list(element, "a word as \"calls\"", add_inside, 0);
}

static void set_why(struct element *element)
{
    const char *why = read_text(element);

    if (element->dropped && why)
        element->section->why = why;
}

static void set_lines(struct element *element)
{
    struct darn_problem problem = {.is_set = false};
    struct darn_scan_string string;

    if (!read_string(element, &string, "lines as \"bank.c:120-131 balance\""))
        return;
    darn_lines_read(string.text, element->section, &problem);
    blame(element, &string, &problem);
}

enum { VARIABLE, FUNCTION, FILE_NAME, KIND, ENTRY, ENDS, CALLS, LEAVES, INSIDE, WHY, LINES, TYPE, UNTIL };

static const struct {
    const char *name;
    void (*set)(struct element *element);
} keys[] = {
    [VARIABLE] = {"variable", set_variable}, [FUNCTION] = {"function", set_function},
    [FILE_NAME] = {"file", set_file},        [KIND] = {"kind", set_kind},
    [ENTRY] = {"entry", set_entry},          [ENDS] = {"ends", set_ends},
    [CALLS] = {"calls", set_calls},          [LEAVES] = {"leaves", set_leaves},
    [INSIDE] = {"inside", set_inside},       [WHY] = {"why", set_why},
    [LINES] = {"lines", set_lines},          [TYPE] = {"type", set_type},
    [UNTIL] = {"until", set_until},
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

static void read_value(struct element *element, const struct darn_scan_string *key)
{
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].name, key->text) != 0)
            continue;
        if (element->given >> i & 1)
            darn_problem_say(element->problem, key->at, "\"", key->text,
                             "\" stands here for the second time");
        element->given |= 1u << i;
        keys[i].set(element);
        return;
    }
    darn_scan_skip(element->scan);
}

static void read_members(struct element *element)
{
    struct darn_scan *scan = element->scan;
    struct darn_scan_string key;

    scan->at++;
    if (darn_scan_peek(scan) == '}') {
        scan->at++;
        return;
    }
    do {
        if (!darn_scan_string(scan, &key, "a key in quotes") ||
            !darn_scan_take(scan, ':', "':' behind the key"))
            return;
        read_value(element, &key);
    } while (!scan->problem.is_set && darn_scan_next(scan, '}', "',' or '}'") > 0);
}

/* In which order points stand: the entry, then calls, ends, leaves. */
static int rank(const struct darn_point *point)
{
    static const int ranks[] = {
        [DARN_ROLE_ENTRY] = 0, [DARN_ROLE_CALL] = 1, [DARN_ROLE_END] = 2, [DARN_ROLE_LEAVE] = 3};

    return ranks[point->role];
}

static void sort_points(struct darn_section *section)
{
    for (uint32_t i = 1; i < section->count; i++) {
        struct darn_point point = section->points[i];
        uint32_t to = i;

        for (; to && rank(&section->points[to - 1]) > rank(&point); to--)
            section->points[to] = section->points[to - 1];
        section->points[to] = point;
    }
}

/* Once all is known, what the points leave out is filled in. */
static void complete(struct darn_section *section)
{
    sort_points(section);
    for (uint32_t i = 0; i < section->count; i++) {
        struct darn_point *point = &section->points[i];

        if (!point->file)
            point->file = section->file;
        if (!point->function)
            point->function = section->function;
        if (point->role != DARN_ROLE_END)
            point->allow = 0;
        else if (point->allow == DARN_POINT_NO_ALLOW)
            point->allow = darn_section_default(section->kind, section->points[0].kind, point->kind);
    }
}

static bool has_end(const struct darn_section *section)
{
    for (uint32_t i = 0; i < section->count; i++) {
        if (section->points[i].role == DARN_ROLE_END)
            return true;
    }
    return false;
}

/* Whether all is there that a section needs; `start` is where it begins. */
static void check(const struct element *element, size_t start)
{
    static const int needed[] = {VARIABLE, FUNCTION, FILE_NAME, ENTRY, ENDS};
    struct darn_problem *problem = element->problem;
    bool one = element->section->kind == DARN_SECTION_RACE;

    if (element->given >> LINES & 1) {
        if (element->given >> ENTRY & 1 || element->given >> ENDS & 1)
            darn_problem_say(problem, start, "\"lines\" and points exclude each other", "", "");
        return;
    }
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        if (!(element->given >> needed[i] & 1) && !(one && needed[i] == ENDS))
            darn_problem_say(problem, start, "the section has no \"", keys[needed[i]].name, "\"");
    }
    if (problem->is_set)
        return;
    if (!*element->section->file)
        darn_problem_say(problem, start, "the name of the file is empty", "", "");
    else if (one == has_end(element->section))
        darn_problem_say(problem, start,
                         one ? "a race has an entry and no ends" : "the section has no end", "",
                         "");
    else if ((element->section->kind == DARN_SECTION_ORDER) != (element->section->until != 0))
        darn_problem_say(problem, start, "an order has \"until\", and nothing else has", "", "");
}

static void read_object(struct element *element)
{
    size_t start = element->scan->at;

    read_members(element);
    if (element->scan->problem.is_set)
        return;
    check(element, start);
    if (!element->problem->is_set)
        complete(element->section);
}

bool darn_element_read(struct darn_scan *scan, struct darn_section *section, bool dropped,
                       struct darn_problem *problem)
{
    struct element element = {scan, section, problem, 0, dropped};
    int c = darn_scan_peek(scan);

    memset(section, 0, offsetof(struct darn_section, points));
    section->kind = DARN_SECTION_HAND;
    section->why = dropped ? "" : NULL;
    scan->room_used = 0;
    if (c == '{')
        read_object(&element);
    else if (c == '"')
        set_lines(&element);
    else
        darn_scan_refuse(scan, problem, "a section in braces {}");
    return !scan->problem.is_set && !problem->is_set;
}
