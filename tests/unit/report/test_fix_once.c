/* What is set up by whoever comes first. */
#include "fix_fixture.h"

#define LAZY                                                                                       \
    "#include <pthread.h>\n"                                                                       \
    "static int *table;\n"                                                                         \
    "int *get(void)\n"                                                                             \
    "{\n"                                                                                          \
    "    if (%s) {\n"                                                                              \
    "        table = make();\n"                                                                    \
    "    }\n"                                                                                      \
    "    return table;\n"                                                                          \
    "}\n"

static void expect_once(const char *condition, const char *more, const char *expected)
{
    struct access_at at[2];
    struct darn_finding_access accesses[2];
    struct darn_finding finding = finding_of("data-race", "table", accesses, 2);
    char text[512];

    snprintf(text, sizeof(text), LAZY, condition);
    strcat(text, more);
    write_file(text, ".c");
    accesses[0] = *access_in(&at[0], DARN_OP_WRITE, "get", 6);
    accesses[1] = *access_in(&at[1], DARN_OP_READ, "get", 5);
    if (expected)
        expect_candidate(&finding, "set 'table' up once", expected);
    else
        expect_no_candidate(&finding, "set 'table' up once");
    unlink(path);
}

static void what_the_first_one_sets_up_is_set_up_once(void **state)
{
    (void)state;
    expect_once("!table", "",
                "@@ -1,9 +1,16 @@\n"
                " #include <pthread.h>\n"
                " static int *table;\n"
                "-int *get(void)\n"
                "+static pthread_once_t table_once = PTHREAD_ONCE_INIT;\n"
                "+\n"
                "+static void set_table_up(void)\n"
                " {\n"
                "     if (!table) {\n"
                "         table = make();\n"
                "     }\n"
                "+}\n"
                "+\n"
                "+int *get(void)\n"
                "+{\n"
                "+    pthread_once(&table_once, set_table_up);\n"
                "     return table;\n"
                " }\n");
    expect_once("!table", "void drop(void)\n{\n    table = NULL;\n}\n", NULL);
    expect_once("atomic_load(&table) == NULL", "void drop(void)\n{\n    table = NULL;\n}\n", NULL);
    expect_once("table", "", NULL);
    expect_once("table == other", "", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_first_one_sets_up_is_set_up_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
