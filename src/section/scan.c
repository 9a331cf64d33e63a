#include "section/scan.h"

#include <string.h>

#include "base/number.h"

#define DEPTH 64 /* of lists and objects in each other that are passed over */
#define SHOWN 24 /* bytes of what stands in the wrong place */

/* Begins the sentence that goes on with darn_text_add; NULL when there is one already. */
static struct darn_text *start_problem(struct darn_problem *problem, size_t at)
{
    if (problem->is_set)
        return NULL;
    problem->is_set = true;
    problem->at = at;
    darn_text_start(&problem->text, problem->room, sizeof(problem->room));
    return &problem->text;
}

/* A piece of what somebody wrote: nothing that would break the line, and not all of a long one. */
static void show(struct darn_text *text, const char *from, size_t length)
{
    bool cut = length > SHOWN;

    for (size_t i = 0; i < (cut ? SHOWN : length); i++) {
        unsigned char c = (unsigned char)from[i];

        darn_text_char(text, c < 0x20 || c == 0x7f ? '?' : (char)c);
    }
    if (cut)
        darn_text_add(text, "...");
}

void darn_problem_say(struct darn_problem *problem, size_t at, const char *before, const char *name,
                      const char *after)
{
    struct darn_text *text = start_problem(problem, at);

    if (!text)
        return;
    darn_text_add(text, before);
    show(text, name, strlen(name));
    darn_text_add(text, after);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '+' || c == '.';
}

int darn_scan_peek(struct darn_scan *scan)
{
    while (scan->at < scan->size && is_blank(scan->text[scan->at]))
        scan->at++;
    return scan->at < scan->size ? (unsigned char)scan->text[scan->at] : DARN_SCAN_END;
}

/* How many bytes belong to the word, string or character that stands here. */
static size_t word_length(const struct darn_scan *scan)
{
    const char *from = scan->text + scan->at;
    size_t left = scan->size - scan->at, length = 1;

    if (*from == '"') {
        while (length < left && from[length] != '"' && from[length] != '\n')
            length++;
        return length < left && from[length] == '"' ? length + 1 : length;
    }
    if (!is_word(*from))
        return 1;
    while (length < left && is_word(from[length]))
        length++;
    return length;
}

/* "EXPECTED expected, not 'x'" where the scan is, told as a problem of meaning. */
static void dislike(struct darn_scan *scan, struct darn_problem *problem, const char *expected)
{
    bool ends = darn_scan_peek(scan) == DARN_SCAN_END;
    struct darn_text *text = start_problem(problem, scan->at);

    if (!text)
        return;
    darn_text_add(text, expected);
    darn_text_add(text, " expected, ");
    if (ends) {
        darn_text_add(text, "but the text ends here");
        return;
    }
    darn_text_add(text, "not ");
    if (scan->text[scan->at] != '"')
        darn_text_char(text, '\'');
    show(text, scan->text + scan->at, word_length(scan));
    if (scan->text[scan->at] != '"')
        darn_text_char(text, '\'');
}

void darn_scan_fail(struct darn_scan *scan, const char *expected)
{
    dislike(scan, &scan->problem, expected);
}

bool darn_scan_take(struct darn_scan *scan, char c, const char *expected)
{
    if (darn_scan_peek(scan) != (unsigned char)c) {
        darn_scan_fail(scan, expected);
        return false;
    }
    scan->at++;
    return true;
}

int darn_scan_next(struct darn_scan *scan, char close, const char *expected)
{
    int c = darn_scan_peek(scan);

    if (c == ',' || c == (unsigned char)close) {
        scan->at++;
        return c == ',';
    }
    darn_scan_fail(scan, expected);
    return -1;
}

static bool put(struct darn_scan *scan, char c, bool keep)
{
    if (!keep)
        return true;
    if (scan->room_used + 1 >= scan->room_size) {
        darn_problem_say(&scan->problem, scan->at, "the text of this section is too long", "", "");
        return false;
    }
    scan->room[scan->room_used++] = c;
    return true;
}

static bool put_code(struct darn_scan *scan, uint32_t code, bool keep)
{
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    int count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    if (count == 1)
        return put(scan, (char)code, keep);
    if (!put(scan, (char)(first[count] | code >> 6 * (count - 1)), keep))
        return false;
    for (int i = count - 2; i >= 0; i--) {
        if (!put(scan, (char)(0x80 | (code >> 6 * i & 0x3f)), keep))
            return false;
    }
    return true;
}

/* Four digits, after \u. */
static bool read_unit(struct darn_scan *scan, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        unsigned digit =
            scan->at < scan->size ? (unsigned)darn_digit_value(scan->text[scan->at]) : 16;

        if (digit > 15)
            return false;
        *unit = *unit << 4 | digit;
        scan->at++;
    }
    return true;
}

/* After \u; what is beyond 16 bits comes in two halves. */
static bool read_code(struct darn_scan *scan, uint32_t *code)
{
    uint32_t low;

    if (!read_unit(scan, code) || !*code || (*code >= 0xdc00 && *code < 0xe000))
        return false;
    if (*code < 0xd800 || *code >= 0xe000)
        return true;
    if (scan->size - scan->at < 2 || scan->text[scan->at] != '\\' ||
        scan->text[scan->at + 1] != 'u')
        return false;
    scan->at += 2;
    if (!read_unit(scan, &low) || low < 0xdc00 || low >= 0xe000)
        return false;
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

/* After the backslash. */
static bool read_escape(struct darn_scan *scan, bool keep)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    size_t start = scan->at - 1;
    char c = scan->at < scan->size ? scan->text[scan->at] : '\0';
    const char *name = c ? strchr(names, c) : NULL;
    uint32_t code;

    scan->at++;
    if (name)
        return put(scan, meanings[name - names], keep);
    if (c == 'u' && read_code(scan, &code))
        return put_code(scan, code, keep);
    darn_problem_say(&scan->problem, start,
                     "this is no character: after \\ stands one of \"\\/bfnrt, or u and "
                     "four digits of a character that is not 0",
                     "", "");
    return false;
}

static bool read_string(struct darn_scan *scan, struct darn_scan_string *string, bool keep)
{
    *string = (struct darn_scan_string){scan->room + scan->room_used, scan->at, true};
    scan->at++;
    while (scan->at < scan->size && scan->text[scan->at] != '"') {
        unsigned char c = (unsigned char)scan->text[scan->at];

        if (c == '\n' || c == '\r')
            break;
        if (c < 0x20) {
            darn_problem_say(&scan->problem, scan->at, "a control character within a string", "",
                             "");
            return false;
        }
        if (c == '\\') {
            string->is_spelled = false;
            scan->at++;
            if (!read_escape(scan, keep))
                return false;
        } else if (!put(scan, (char)c, keep)) {
            return false;
        } else {
            scan->at++;
        }
    }
    if (scan->at >= scan->size || scan->text[scan->at] != '"') {
        darn_problem_say(&scan->problem, string->at,
                         "the string that begins here has no second quote in its line", "", "");
        return false;
    }
    scan->at++;
    return put(scan, '\0', keep);
}

bool darn_scan_string(struct darn_scan *scan, struct darn_scan_string *string, const char *expected)
{
    if (darn_scan_peek(scan) != '"') {
        darn_scan_fail(scan, expected);
        return false;
    }
    return read_string(scan, string, true);
}

bool darn_scan_number(struct darn_scan *scan, uint64_t *number, const char *expected)
{
    int c = darn_scan_peek(scan);
    size_t length = c == DARN_SCAN_END ? 0 : word_length(scan);

    for (size_t i = 0; i < length; i++) {
        if (scan->text[scan->at + i] < '0' || scan->text[scan->at + i] > '9')
            length = 0;
    }
    if (!length) {
        darn_scan_fail(scan, expected);
        return false;
    }
    if (!darn_number_parse(scan->text + scan->at, length, number))
        *number = UINT64_MAX;
    scan->at += length;
    return true;
}

/* true, false, null or a number. What is none of them is told. */
static bool skip_word(struct darn_scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};
    int c = darn_scan_peek(scan);
    size_t length = c == DARN_SCAN_END ? 0 : word_length(scan);

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (length == strlen(words[i]) && memcmp(scan->text + scan->at, words[i], length) == 0) {
            scan->at += length;
            return true;
        }
    }
    if (!length || !(c == '-' || (c >= '0' && c <= '9'))) {
        darn_scan_fail(scan, "a value");
        return false;
    }
    scan->at += length;
    return true;
}

/* A value that is no list and no object. */
static bool skip_plain(struct darn_scan *scan)
{
    struct darn_scan_string string;

    return darn_scan_peek(scan) == '"' ? read_string(scan, &string, false) : skip_word(scan);
}

/* A key and its colon. */
static bool skip_key(struct darn_scan *scan)
{
    struct darn_scan_string string;

    if (darn_scan_peek(scan) != '"') {
        darn_scan_fail(scan, "a key in quotes");
        return false;
    }
    return read_string(scan, &string, false) && darn_scan_take(scan, ':', "':'");
}

/* Without recursion: the brackets that are open are a stack. */
bool darn_scan_skip(struct darn_scan *scan)
{
    char close[DEPTH];
    int depth = 0, next;

    for (;;) {
        int c = darn_scan_peek(scan);

        if ((c == '[' || c == '{') && depth == DEPTH) {
            darn_problem_say(&scan->problem, scan->at, "too many lists and objects in each other",
                             "", "");
            return false;
        }
        if (c == '[' || c == '{') {
            close[depth++] = c == '[' ? ']' : '}';
            scan->at++;
            if (darn_scan_peek(scan) != close[depth - 1]) {
                if (c == '{' && !skip_key(scan))
                    return false;
                continue;
            }
            scan->at++;
            depth--;
        } else if (!skip_plain(scan)) {
            return false;
        }
        do {
            if (!depth)
                return true;
            next = darn_scan_next(scan, close[depth - 1],
                                  close[depth - 1] == ']' ? "',' or ']'" : "',' or '}'");
            depth -= next == 0;
        } while (next == 0);
        if (next < 0 || (close[depth - 1] == '}' && !skip_key(scan)))
            return false;
    }
}

void darn_scan_refuse(struct darn_scan *scan, struct darn_problem *problem, const char *expected)
{
    size_t start;

    dislike(scan, problem, expected);
    start = scan->at;
    if (darn_scan_skip(scan) || scan->problem.at != start)
        return;
    /* No value at all: what is expected says more than that. */
    scan->at = start;
    scan->problem.is_set = false;
    darn_scan_fail(scan, expected);
}
