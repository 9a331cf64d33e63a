/*
 * A campaign (Letko, section 4.3): a set of tests, what their parameters and the noise may be, and
 * a search that chooses among them. Here is the file that describes it (night.json); what came of
 * the rounds is in the database beside it (campaign_store.h).
 */
#ifndef DARN_DRIVER_CAMPAIGN_H
#define DARN_DRIVER_CAMPAIGN_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"
#include "driver/process/listener.h"
#include "search/tuning/tuner.h"

#define DARN_CAMPAIGN_VERSION 1 /* of the file */

/* What a round does with its test. */
enum darn_campaign_mode {
    DARN_CAMPAIGN_RUN,     /* one run, with noise */
    DARN_CAMPAIGN_HUNT,    /* darn hunt */
    DARN_CAMPAIGN_EXPLORE, /* darn explore */
    DARN_CAMPAIGN_PLAIN,   /* one run without noise: does it fail by itself? */
    DARN_CAMPAIGN_MODES,
};

const char *darn_campaign_mode_name(enum darn_campaign_mode mode);
enum darn_campaign_mode darn_campaign_mode_of(const char *name); /* DARN_CAMPAIGN_MODES: none */

/* Something that has one of several values: "sleep|yield|busy", or numbers: "10..1000", of which
 * a few are tried that lie evenly on a scale of logarithms. */
struct darn_campaign_variable {
    char *name, *text;
    struct darn_words values;
    bool is_ordered;
};

struct darn_campaign_variables {
    struct darn_campaign_variable *items;
    unsigned count;
};

struct darn_campaign_test {
    char *name;
    struct darn_words command;     /* {NAME} stands for the value of the parameter NAME */
    char *directory;               /* absolute */
    struct darn_words environment; /* NAME=VALUE */
    char *oracle, *reset;          /* shell commands; NULL: none */
    uint32_t timeout_ms;
    bool compiled; /* by darn, so that it can be hunted and explored */
    struct darn_campaign_variables parameters;
    unsigned modes; /* a bit for each */
};

struct darn_campaign {
    char path[PATH_MAX]; /* of the file, absolute */
    uint64_t seed;
    enum darn_tuner_kind search;
    uint32_t file_size_mb; /* that a file of a test may have */
    struct darn_campaign_variables vary;
    struct darn_campaign_test *tests;
    unsigned count;
};

/* Reads the file. 0 or DARN_REFUSED. */
int darn_campaign_read(struct darn_campaign *campaign, struct darn_listener *listener,
                       const char *path);
void darn_campaign_free(struct darn_campaign *campaign);

/* The variable of this name, or NULL. */
const struct darn_campaign_variable *
darn_campaign_variable(const struct darn_campaign_variables *variables, const char *name);

/* What may vary if the file does not say: its name; NULL: there is no other. */
const char *darn_campaign_default(unsigned index, const char **values);

/* Reads "10..1000" or "a|b|c". False: it is neither. */
bool darn_campaign_values(struct darn_campaign_variable *variable, const char *text);

#endif
