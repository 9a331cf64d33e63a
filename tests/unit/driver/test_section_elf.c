/* What darn cc leaves in a program is read from its file: this program has records of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "driver/section/section_elf.h"
#include "driver/section/section_merge.h"

/* darn_site_key of the four sites below, checked by a test. */
#define READ_KEY  "0x8ac2aed4d5892c21"
#define WRITE_KEY "0xc2cb96dcf0def8ae"
#define LEAVE_KEY "0x62494da01fe2d459"
#define UTIL_KEY  "0x91c1bf139e302945"

/* clang-format off */
#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
#define STRING(label) ".long " #label " - .\n"
#define PLACE(label)  ".long " #label " - t_texts\n"
#define HEAD                                                                                       \
    ".long 0\n" STRING(t_texts) STRING(t_armed) ".long 0, 0\n.byte 8, " TEXT(DARN_SITE_VERSION)    \
    ", 0, 0\n"
#define SITE(place, scope, variable, line, column, kind)                                           \
    ".long " #place "\n" PLACE(scope) PLACE(variable) ".long " #line "\n.short " #column            \
    "\n.short 8\n.byte " #kind "\n.byte " TEXT(DARN_SITE_VERSION) "\n.short 0\n"
#define SCOPE(file, function) PLACE(file) PLACE(t_dir) PLACE(function) ".long 0, 0\n"
#define RECORD(size, version, kind, inside, count)                                                 \
    ".long " #size "\n.byte " #version "\n.byte " #kind "\n.short " #inside "\n"                   \
    STRING(t_bank) STRING(t_deposit) STRING(t_balance) STRING(t_account) ".long " #count           \
    "\n.long 0\n"
#define POINT(key, line, role, kind, allow)                                                        \
    ".quad " key "\n.long " #line "\n.byte " #role "\n.byte " #kind "\n.byte " #allow "\n.byte 0\n"

__asm__(".pushsection .rodata\n.balign 4\n"
        "t_texts:\n"
        "t_in_deposit: " SCOPE(t_bank, t_deposit)
        "t_in_get: " SCOPE(t_util, t_get)
        "t_bank: .string \"bank.c\"\n"
        "t_util: .string \"util.h\"\n"
        "t_dir: .string \"/src\"\n"
        "t_deposit: .string \"deposit\"\n"
        "t_get: .string \"get\"\n"
        "t_balance: .string \"acct->balance\"\n"
        "t_account: .string \"account\"\n"
        "t_armed: .zero 6\n"
        ".popsection\n"
        ".pushsection darn_sites, \"a\"\n.balign 8\n"
        HEAD
        SITE(1, t_in_deposit, t_balance, 12, 5, 0)
        SITE(2, t_in_deposit, t_balance, 12, 19, 1)
        SITE(3, t_in_deposit, t_balance, 16, 3, 6)
        SITE(4, t_in_get, t_balance, 3, 9, 0)
        SITE(5, t_in_deposit, t_balance, 12, 5, 0) /* inlined a second time */
        ".popsection\n"
        ".pushsection darn_sections, \"a\"\n.balign 8\n"
        /* A pair that the next one covers. */
        RECORD(64, 2, 2, 0, 2) POINT(READ_KEY, 12, 0, 0, 0) POINT(WRITE_KEY, 12, 1, 1, 1)
        RECORD(96, 2, 0, 2, 4) POINT(READ_KEY, 12, 0, 0, 0) POINT(WRITE_KEY, 12, 1, 1, 1)
        POINT(LEAVE_KEY, 16, 2, 6, 0) POINT("78", 17, 2, 6, 0) /* a way that is not there */
        /* The same in another place, with another end. */
        RECORD(80, 2, 0, 8, 3) POINT(READ_KEY, 12, 0, 0, 0) POINT(WRITE_KEY, 12, 1, 1, 1)
        POINT(UTIL_KEY, 14, 1, 0, 1)
        ".quad 0\n"
        RECORD(64, 2, 0, 0, 2) POINT("77", 12, 0, 0, 0) POINT(WRITE_KEY, 12, 1, 1, 1)
        RECORD(64, 9, 0, 0, 2) POINT(READ_KEY, 12, 0, 0, 0) POINT(WRITE_KEY, 12, 1, 1, 1)
        /* No end. */
        RECORD(48, 2, 0, 0, 1) POINT(READ_KEY, 12, 0, 0, 0)
        /* Longer than there is room for. */
        RECORD(4096, 2, 0, 0, 200)
        ".popsection\n");
/* clang-format on */

static struct darn_section_elf elf;

static int read_self(void **state)
{
    (void)state;
    return darn_section_elf_read(&elf, NULL, "/proc/self/exe", false);
}

static int forget(void **state)
{
    (void)state;
    darn_section_elf_free(&elf);
    return 0;
}

static void sites_are_found_by_their_keys(void **state)
{
    static const uint64_t keys[] = {0x8ac2aed4d5892c21, 0xc2cb96dcf0def8ae, 0x62494da01fe2d459,
                                    0x91c1bf139e302945};
    const struct darn_image_site *site;

    (void)state;
    assert_int_equal(elf.site_count, 4);
    for (size_t i = 0; i < 4; i++) {
        site = darn_section_elf_site(&elf, keys[i]);
        assert_non_null(site);
        assert_true(darn_site_key_of(&site->record, site->file, site->function) == keys[i]);
        assert_string_equal(site->dir, "/src");
    }
    assert_null(darn_section_elf_site(&elf, 77));
}

static void records_of_one_section_become_one(void **state)
{
    const struct darn_section *section = elf.sections.list[0];
    const struct darn_point *points = section->points;

    (void)state;
    assert_int_equal(elf.sections.count, 2);
    assert_int_equal(section->kind, DARN_SECTION_LOAD_STORE);
    assert_int_equal(elf.sections.list[1]->kind, DARN_SECTION_PAIR);
    assert_string_equal(section->file, "bank.c");
    assert_string_equal(section->function, "deposit");
    assert_string_equal(section->variable, "acct->balance");
    assert_string_equal(section->type, "account");
    assert_int_equal(section->inside, DARN_SECTION_CALLS | DARN_SECTION_LOOPS);
    assert_int_equal(section->count, 4);
    assert_int_equal(points[0].role, DARN_ROLE_ENTRY);
    assert_true(points[0].line == 12 && points[0].column == 5);
    assert_true(points[1].role == DARN_ROLE_END && points[2].role == DARN_ROLE_END);
    assert_true(points[1].column == 19 && points[1].allow == DARN_ALLOW_READ);
    assert_string_equal(points[2].file, "util.h");
    assert_string_equal(points[2].function, "get");
    assert_true(points[2].line == 3 && points[2].at == 14);
    assert_int_equal(points[3].kind, DARN_SITE_LEAVE);
}

static void what_is_no_record_is_counted(void **state)
{
    (void)state;
    assert_int_equal(elf.lost, 2);
    assert_int_equal(elf.unknown, 2);
    assert_int_equal(elf.large, 0);
}

static void a_pair_within_another_section_is_covered(void **state)
{
    (void)state;
    darn_sections_drop_covered(&elf.sections);
    assert_int_equal(elf.sections.count, 1);
    assert_int_equal(elf.sections.list[0]->kind, DARN_SECTION_LOAD_STORE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sites_are_found_by_their_keys, read_self, forget),
        cmocka_unit_test_setup_teardown(records_of_one_section_become_one, read_self, forget),
        cmocka_unit_test_setup_teardown(what_is_no_record_is_counted, read_self, forget),
        cmocka_unit_test_setup_teardown(a_pair_within_another_section_is_covered, read_self,
                                        forget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
