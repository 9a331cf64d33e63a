/* One pass over the bytes of a unit finds what going through its tree with libdw finds: in this
 * test's own debug information, and in that of the libraries that it is linked with. */
#include "report_fixture.h"

#include <dwarf.h>

#include "report/symbol/entries.h"
#include "report/unit.h"

struct wanted {
    unsigned tag, attribute, other_attribute;
};

struct list {
    Dwarf_Off offsets[100000];
    size_t count;
};

static struct list expected, found;

static void add(struct list *list, Dwarf_Die *entry)
{
    assert_true(list->count < sizeof(list->offsets) / sizeof(list->offsets[0]));
    list->offsets[list->count++] = dwarf_dieoffset(entry);
}

static void go_through(const struct wanted *wanted, Dwarf_Die *parent)
{
    Dwarf_Die child;

    if (dwarf_child(parent, &child))
        return;
    do {
        if ((unsigned)dwarf_tag(&child) == wanted->tag &&
            (dwarf_hasattr(&child, wanted->attribute) ||
             dwarf_hasattr(&child, wanted->other_attribute)))
            add(&expected, &child);
        if (dwarf_tag(&child) != DW_TAG_subprogram)
            go_through(wanted, &child);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void pass(const struct wanted *wanted, Dwarf_Die *unit)
{
    struct darn_entries entries = {.tag = wanted->tag,
                                   .attribute = wanted->attribute,
                                   .other_attribute = wanted->other_attribute};
    Dwarf_Die entry;

    darn_entries_start(&entries, unit);
    while (darn_entries_next(&entries, &entry))
        add(&found, &entry);
    darn_entries_end(&entries);
}

static int compare_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
                          void *argument)
{
    size_t *units = argument;
    struct darn_debug_unit unit;
    Dwarf_Die *position = NULL;

    (void)data;
    (void)name;
    (void)start;
    for (size_t i = 0; i < 100 && darn_unit_next(module, &position, &unit); i++) {
        static const struct wanted wanted[] = {
            {DW_TAG_subprogram, DW_AT_low_pc, DW_AT_ranges},
            {DW_TAG_variable, DW_AT_location, DW_AT_location},
            {DW_TAG_member, DW_AT_name, DW_AT_name},
        };

        for (size_t j = 0; j < sizeof(wanted) / sizeof(wanted[0]); j++) {
            expected.count = found.count = 0;
            go_through(&wanted[j], &unit.tree);
            pass(&wanted[j], &unit.tree);
            assert_int_equal(found.count, expected.count);
            assert_memory_equal(found.offsets, expected.offsets,
                                found.count * sizeof(found.offsets[0]));
            *units += found.count > 0;
        }
    }
    return DWARF_CB_OK;
}

static void one_pass_finds_what_the_tree_has(void **state)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo};
    Dwfl *dwfl = dwfl_begin(&callbacks);
    size_t units = 0;

    (void)state;
    assert_non_null(dwfl);
    assert_int_equal(dwfl_linux_proc_report(dwfl, getpid()), 0);
    assert_int_equal(dwfl_report_end(dwfl, NULL, NULL), 0);
    dwfl_getmodules(dwfl, compare_module, &units, 0);
    assert_true(units > 10);
    dwfl_end(dwfl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pass_finds_what_the_tree_has),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
