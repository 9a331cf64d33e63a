/* A repository reads back as it was written; and whatever is done to its text, the reader comes to
 * an end, and tells what is wrong at a place of the text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "section/section.h"

static const char sample[] =
    "{\"darn-sections\": 1,\n"
    " \"sections\": [\n"
    "  {\"variable\": \"acct->balance\", \"function\": \"deposit\", \"file\": \"bank.c\",\n"
    "   \"kind\": \"load-and-store\", \"entry\": \"12:5 read\",\n"
    "   \"ends\": [\"14:13 write allow=read seen=3\", \"x.h:7:1 read in f at 15 allow=none\"],\n"
    "   \"leaves\": [\"16:3\"], \"inside\": [\"calls\", \"loops\"], \"new\": {\"a\": [1, null]}},\n"
    "  \"bank.c:120-131 b\\u00e9\\\"\\\\ allow=read\"\n"
    " ],\n"
    " \"dropped\": [\n"
    "  {\"lines\": \"bank.c:1-2 x\", \"why\": \"violated in a correct run\"}\n"
    " ]}\n";

struct told {
    const char *text;
    size_t size;
    size_t sections, errors;
    char *written; /* NULL, or where all sections are written to */
    struct darn_json to;
};

/* Whether the place is one of the text, or right behind a line of it. */
static bool is_in(const struct told *told, uint32_t line, uint32_t column)
{
    size_t at = 0, length = 0;

    for (; line > 1 && at < told->size; at++)
        line -= told->text[at] == '\n';
    if (line != 1)
        return false;
    while (at + length < told->size && told->text[at + length] != '\n')
        length++;
    return column >= 1 && column <= length + 1;
}

static bool take(void *context, const struct darn_section *section)
{
    struct told *told = context;

    told->sections++;
    assert_true(is_in(told, section->position, section->column));
    assert_non_null(section->variable);
    assert_non_null(section->file);
    assert_non_null(section->function);
    assert_true(section->kind < DARN_SECTION_KINDS);
    assert_true(section->first ? section->last >= section->first : section->count >= 2);
    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *point = &section->points[i];

        assert_true(point->role < DARN_ROLES && (point->role == DARN_ROLE_ENTRY) == (i == 0));
        assert_true(point->line || point->role == DARN_ROLE_LEAVE || point->role == DARN_ROLE_CALL);
        assert_true(point->allow <= DARN_ALLOW_ALL);
        assert_true(strlen(point->file) + strlen(point->function) < 4096);
    }
    if (told->written) {
        darn_section_write(&told->to, section);
    }
    return true;
}

static void take_error(void *context, const struct darn_repository_error *error)
{
    struct told *told = context;

    told->errors++;
    if (!is_in(told, error->line, error->column))
        fail_msg("%u:%u is not in the text: %s\n%.*s", error->line, error->column, error->text,
                 (int)told->size, told->text);
}

/* The text is copied, so that sanitizers see any look behind its end. */
static void read_text(struct told *told, const char *text, size_t size, size_t room_size)
{
    static struct darn_section section;
    char *copy = malloc(size ? size : 1), *room = malloc(room_size);
    struct darn_repository_reader reader = {take, take_error, true, told, room, room_size};

    assert_non_null(copy);
    assert_non_null(room);
    memcpy(copy, text, size);
    told->text = copy;
    told->size = size;
    told->sections = told->errors = 0;
    assert_int_equal(darn_repository_read(copy, size, &section, &reader), told->errors);
    free(copy);
    free(room);
}

static void the_sample_is_fine(void **state)
{
    struct told told = {0};

    (void)state;
    read_text(&told, sample, strlen(sample), 65536);
    assert_int_equal(told.errors, 0);
    assert_int_equal(told.sections, 3);
}

static void any_byte_may_be_missing(void **state)
{
    char text[sizeof(sample)];
    struct told told = {0};

    (void)state;
    for (size_t i = 0; i < strlen(sample); i++) {
        memcpy(text, sample, i);
        memcpy(text + i, sample + i + 1, strlen(sample) - i);
        read_text(&told, text, strlen(sample) - 1, 65536);
        /* Of three sections, what is done to one leaves the others. */
        if (i > 40 && sample[i] != '\n' && told.sections < 2)
            fail_msg("without byte %zu there are %zu sections:\n%s", i, told.sections, text);
    }
}

static void any_byte_may_be_another(void **state)
{
    static const char others[] = "\"{}[]:,\\ \n0a\x80\xff\x01";
    char text[sizeof(sample)];
    struct told told = {0};

    (void)state;
    for (size_t i = 0; i < strlen(sample); i++) {
        memcpy(text, sample, sizeof(sample));
        for (size_t k = 0; k < sizeof(others); k++) { /* with the NUL */
            text[i] = others[k];
            read_text(&told, text, strlen(sample), 65536);
        }
    }
}

static void the_text_may_end_anywhere(void **state)
{
    struct told told = {0};

    (void)state;
    for (size_t i = 0; i < strlen(sample) - 2; i++) {
        read_text(&told, sample, i, 65536);
        if (!told.errors)
            fail_msg("%zu bytes are no repository, and nothing is said", i);
    }
}

static void lines_may_be_lost_doubled_and_exchanged(void **state)
{
    const char *lines[16];
    size_t lengths[16], count = 0;
    struct told told = {0};
    uint32_t random = 1;

    (void)state;
    for (const char *at = sample; *at; at += lengths[count++]) {
        lines[count] = at;
        lengths[count] = strcspn(at, "\n") + 1;
    }
    for (int round = 0; round < 3000; round++) {
        char text[64 * sizeof(sample)];
        size_t size = 0;

        for (size_t i = 0; i < count + 2; i++) {
            size_t line;

            random = random * 1664525 + 1013904223;
            line = (random >> 16) % 3 ? i % count : (random >> 20) % count;
            memcpy(text + size, lines[line], lengths[line]);
            size += lengths[line];
        }
        read_text(&told, text, size, 65536);
    }
}

static void any_room_is_enough_to_say_that_it_is_too_small(void **state)
{
    struct told told = {0};

    (void)state;
    for (size_t size = 1; size < 200; size++)
        read_text(&told, sample, strlen(sample), size);
}

/* A section with all that there is, and more than a line of it. */
static void fill(struct darn_section *section, uint32_t points)
{
    *section = (struct darn_section){
        .variable = "tab[].n\"e\\x\nt",
        .file = "dir/a b:c\x80.c",
        .function = "ns::f(int, char const*)",
        .kind = DARN_SECTION_TEST_USE,
        .inside = 0x1f,
        .count = points,
    };
    for (uint32_t i = 0; i < points; i++) {
        section->points[i] = (struct darn_point){
            .file = i % 3 ? section->file : "other.h",
            .function = i % 4 ? section->function : "g at h",
            .line = i + 1,
            .column = i * 1000,
            .at = i % 5 ? i + 1 : 9999,
            .role = !i      ? DARN_ROLE_ENTRY
                    : i < 3 ? DARN_ROLE_END
                            : DARN_ROLE_LEAVE,
            .kind = !i      ? DARN_SITE_UPDATE
                    : i < 3 ? (uint8_t)(i - 1)
                            : DARN_SITE_LEAVE,
        };
        if (section->points[i].role != DARN_ROLE_END)
            continue;
        section->points[i].allow = (uint8_t)(i & 3);
        section->points[i].seen = i - 1;
        section->points[i].violated = i == 2 ? UINT64_MAX : 0;
    }
}

static void write_file(struct darn_json *json, const struct darn_section *section)
{
    darn_repository_open(json);
    darn_json_open(json, "sections", '[');
    darn_section_write(json, section);
    darn_json_close(json, ']');
    darn_json_close(json, '}');
}

static void what_is_written_reads_back_as_it_was(void **state)
{
    static struct darn_section section;
    static char file[65536], again[65536], once[65536];
    struct darn_json json;

    (void)state;
    for (uint32_t points = 2; points <= DARN_SECTION_POINTS; points++) {
        struct told told = {.written = again};

        fill(&section, points);
        darn_json_start(&json, once, sizeof(once));
        darn_repository_style(&json);
        darn_section_write(&json, &section);
        darn_json_start(&json, file, sizeof(file));
        write_file(&json, &section);
        assert_false(json.text.cut);
        darn_json_start(&told.to, again, sizeof(again));
        darn_repository_style(&told.to);
        read_text(&told, file, json.text.used, 65536);
        assert_int_equal(told.errors, 0);
        assert_string_equal(again, once);
        for (const char *line = file; *line; line += strcspn(line, "\n") + 1)
            assert_true(strcspn(line, "\n") <= 100);
    }
}

static void a_text_without_room_is_cut_and_says_so(void **state)
{
    static struct darn_section section;
    char to[2048];
    struct darn_json json;
    size_t needed;

    (void)state;
    fill(&section, 6);
    darn_json_start(&json, to, sizeof(to));
    darn_repository_style(&json);
    darn_section_write(&json, &section);
    assert_false(json.text.cut);
    needed = json.text.used + 1;
    for (size_t size = 1; size < needed; size++) {
        char *small = malloc(size);

        darn_json_start(&json, small, size);
        darn_repository_style(&json);
        darn_section_write(&json, &section);
        assert_true(json.text.cut && json.text.used < size && small[json.text.used] == '\0');
        free(small);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_is_fine),
        cmocka_unit_test(any_byte_may_be_missing),
        cmocka_unit_test(any_byte_may_be_another),
        cmocka_unit_test(the_text_may_end_anywhere),
        cmocka_unit_test(lines_may_be_lost_doubled_and_exchanged),
        cmocka_unit_test(any_room_is_enough_to_say_that_it_is_too_small),
        cmocka_unit_test(what_is_written_reads_back_as_it_was),
        cmocka_unit_test(a_text_without_room_is_cut_and_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
