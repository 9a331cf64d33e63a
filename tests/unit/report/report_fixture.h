/* What the tests of reports share: a finding to start from, a directory, a text that was printed.
 */
#ifndef DARN_TESTS_REPORT_FIXTURE_H
#define DARN_TESTS_REPORT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "report/finding.h"
#include "report/report_format.h"

/* T1 writes bank.c:4, T2 reads bank.c:9. The program is not there: nothing can be symbolized. */
#define RAW_FINDING                                                                                \
    "{\"raw\":1,\"pid\":4711,\"program\":\"/nowhere/bank\",\"id\":\"8f3c0a1b2c3d4e5f\","           \
    "\"kind\":\"data-race\",\"certainty\":\"observed\",\"engine\":\"atomrace\",\"count\":1,"       \
    "\"variable\":\"acct->balance\",\"address\":\"0x55550008\",\"size\":8,"                        \
    "\"before\":\"0x64\",\"after\":\"0x6e\",\"same_value\":false,\"accesses\":["                   \
    "{\"op\":\"write\",\"atomic\":false,\"volatile\":false,\"size\":8,\"value\":\"0x78\","         \
    "\"thread\":\"T1\",\"thread_name\":\"teller\",\"tid\":4712,\"file\":\"bank.c\","               \
    "\"dir\":\"/nowhere\",\"line\":4,\"column\":19,\"function\":\"deposit\","                      \
    "\"stack\":[{\"pc\":\"0x401234\",\"module\":\"/nowhere/bank\",\"offset\":\"0x1234\"},"         \
    "{\"pc\":\"0x401300\",\"module\":\"/nowhere/bank\",\"offset\":\"0x1300\"}],\"locks\":[]},"     \
    "{\"op\":\"read\",\"atomic\":false,\"volatile\":false,\"size\":8,\"thread\":\"T2\","           \
    "\"thread_name\":\"audit\",\"tid\":4713,\"file\":\"bank.c\",\"dir\":\"/nowhere\","             \
    "\"line\":9,\"column\":26,\"function\":\"audit\","                                             \
    "\"stack\":[{\"pc\":\"0x401400\",\"module\":\"/nowhere/bank\",\"offset\":\"0x1400\"}],"        \
    "\"locks\":[{\"address\":\"0x404040\",\"kind\":\"mutex\"}]}],"                                 \
    "\"place\":{\"kind\":\"heap\",\"address\":\"0x55550000\",\"size\":32,\"thread\":\"T0\","       \
    "\"stack\":[{\"pc\":\"0x401500\",\"module\":\"/nowhere/bank\",\"offset\":\"0x1500\"}]},"       \
    "\"threads\":[{\"thread\":\"T1\",\"name\":\"teller\",\"tid\":4712,\"parent\":\"T0\","          \
    "\"stack\":[{\"pc\":\"0x401600\",\"module\":\"/nowhere/bank\",\"offset\":\"0x1600\"}]},"       \
    "{\"thread\":\"T2\",\"name\":\"audit\",\"tid\":4713,\"parent\":\"T0\",\"stack\":[]}]}"

/* What its source would be. */
#define BANK_C                                                                                     \
    "struct account { long id; long balance; };\n"                                                 \
    "static void deposit(struct account *acct, long amount)\n"                                     \
    "{\n"                                                                                          \
    "    acct->balance += amount;\n"                                                               \
    "}\n"                                                                                          \
    "\n"                                                                                           \
    "static void *audit(void *acct)\n"                                                             \
    "{\n"                                                                                          \
    "\tlong total = of(acct)->balance;\n"                                                          \
    "}\n"

static inline struct darn_finding *read_finding(const char *json)
{
    char error[512] = "";
    struct darn_finding *finding = darn_finding_read(json, strlen(json), error, sizeof(error));

    if (!finding)
        fail_msg("%s", error);
    return finding;
}

static inline void set_frame(struct darn_finding_stack *stack, size_t index, const char *function,
                             const char *file, unsigned line, unsigned column)
{
    assert_true(index < stack->count);
    stack->frames[index].function = function;
    stack->frames[index].file = file;
    stack->frames[index].line = line;
    stack->frames[index].column = column;
}

/* RAW_FINDING as it is when the program is there. */
static inline struct darn_finding *bank_finding(const char *dir)
{
    struct darn_finding *finding = read_finding(RAW_FINDING);

    finding->accesses[0].dir = finding->accesses[1].dir = dir;
    set_frame(&finding->accesses[0].stack, 0, "deposit", "bank.c", 4, 19);
    set_frame(&finding->accesses[0].stack, 1, "teller_thread", "bank.c", 31, 9);
    set_frame(&finding->accesses[1].stack, 0, "audit", "bank.c", 9, 26);
    finding->accesses[1].locks[0].symbol = (struct darn_symbol){.name = "audit_lock"};
    set_frame(&finding->location.stack, 0, "open_account", "bank.c", 40, 17);
    set_frame(&finding->threads[0].stack, 0, "main", "bank.c", 55, 9);
    return finding;
}

/* The caller frees it. */
static inline char *print_finding(const char *format, const struct darn_finding *finding,
                                  const struct darn_style *style)
{
    static const struct darn_style plain;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    assert_non_null(out);
    darn_format_find(format)->finding(out, finding, style ? style : &plain);
    fclose(out);
    return text;
}

static inline void expect_part(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is missing in:\n%s", part, text);
}

static inline void expect_no_part(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' must not be in:\n%s", part, text);
}

/* A new directory; *state of a test with `make_dir` and `remove_dir` as its fixture. */
static inline int make_dir(void **state)
{
    char *dir = strdup("/tmp/darn-report-XXXXXX");

    *state = dir;
    return dir && mkdtemp(dir) ? 0 : -1;
}

static inline int remove_dir(void **state)
{
    char command[256];

    snprintf(command, sizeof(command), "rm -rf %s", (char *)*state);
    free(*state);
    return system(command);
}

/* The path of a file in the directory; valid until the next call. */
static inline const char *path_in(const char *dir, const char *name)
{
    static char path[512];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

/* Writes a file; the path as above. */
static inline const char *write_file(const char *dir, const char *name, const char *content)
{
    const char *path = path_in(dir, name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* The caller frees it. */
static inline char *read_file(const char *path)
{
    char *content = calloc(1, 1 << 20);
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    (void)!fread(content, 1, (1 << 20) - 1, file);
    fclose(file);
    return content;
}

#endif
