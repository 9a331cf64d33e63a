/* A source, a finding in it, and the candidate that is expected. */
#ifndef DARN_TESTS_FIX_FIXTURE_H
#define DARN_TESTS_FIX_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "report/fix/patch.h"

static char path[64];

static inline void write_file(const char *text, const char *suffix)
{
    int fd;

    strcpy(path, "/tmp/darn-test-XXXXXX");
    strcat(path, suffix);
    fd = mkstemps(path, (int)strlen(suffix));
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* An access in a function of the file. */
struct access_at {
    struct darn_frame frame;
    struct darn_finding_access access;
};

static inline struct darn_finding_access *access_in(struct access_at *at, enum darn_op op,
                                                    const char *function, unsigned line)
{
    at->frame = (struct darn_frame){.function = function, .file = path, .line = line};
    at->access = (struct darn_finding_access){
        .op = op, .file = path, .function = function, .line = line, .stack = {&at->frame, 1}};
    return &at->access;
}

static inline struct darn_finding finding_of(const char *kind, const char *variable,
                                             struct darn_finding_access *accesses, size_t count)
{
    return (struct darn_finding){
        .kind = kind, .variable = variable, .accesses = accesses, .access_count = count};
}

/* The candidate of these words, without the two lines that name the file. */
static inline void expect_candidate(const struct darn_finding *finding, const char *what,
                                    const char *expected)
{
    struct darn_patches patches = {.count = 0};
    const char *found = NULL;

    darn_patches_make(&patches, finding, NULL);
    for (size_t i = 0; i < patches.count; i++)
        if (strcmp(patches.list[i]->what, what) == 0)
            found = strstr(patches.list[i]->diff, "@@");
    if (expected)
        assert_non_null(found);
    if (found)
        assert_string_equal(found, expected ? expected : "");
    darn_patches_free(&patches);
    unlink(path);
}

static inline void expect_no_candidate(const struct darn_finding *finding, const char *what)
{
    struct darn_patches patches = {.count = 0};

    darn_patches_make(&patches, finding, NULL);
    for (size_t i = 0; i < patches.count; i++)
        assert_string_not_equal(patches.list[i]->what, what);
    darn_patches_free(&patches);
}

#endif
