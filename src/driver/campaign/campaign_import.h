/*
 * Where the tests of a campaign come from: a command, a folder of programs, and the lists of CTest,
 * Meson and Automake. Each is tried once.
 */
#ifndef DARN_DRIVER_CAMPAIGN_IMPORT_H
#define DARN_DRIVER_CAMPAIGN_IMPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/words.h"
#include "driver/process/listener.h"

/* A field of tests that have not been tried yet: the exit status that says "I cannot be run here".
 */
#define DARN_CAMPAIGN_SKIP "skip-status"

struct darn_campaign_import {
    const struct darn_words *commands;   /* shell words: "./t1 {size}" */
    const struct darn_words *parameters; /* "size=10..1000", of all commands */
    const char *folder, *ctest, *meson, *automake;
    const char *only;    /* parts of the names that are taken: ONE|ANOTHER; NULL: all */
    bool untried;        /* they are not run */
    uint32_t timeout_ms; /* of tests that have none of their own; 0: by how long they take */
};

/* An array of tests as the file has them, or NULL after a refusal. */
json_t *darn_campaign_import(struct darn_listener *listener,
                             const struct darn_campaign_import *import);

/* Runs each test once, sets `compiled` and `timeout` by what is seen, and tells of it. One that
 * says that it cannot be run here is taken out. How many passed. */
size_t darn_campaign_try(struct darn_listener *listener, json_t *tests);

/* Writes the file. 0 or a negative errno. */
int darn_campaign_write(const char *path, json_t *tests);

#endif
