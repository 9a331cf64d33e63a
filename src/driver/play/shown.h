/*
 * Findings for a browser, and the steps of one for a trace viewer: reads what hunts and runs have
 * left, and hands it to report/html and report/perfetto.
 */
#ifndef DARN_DRIVER_SHOWN_H
#define DARN_DRIVER_SHOWN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "driver/process/listener.h"

struct darn_shown {
    const char *html, *perfetto; /* files to be written; NULL: not wanted */
    const char *strip_path_prefix;
    const char *about;      /* what is shown; NULL: the paths say it */
    const json_t *more;     /* findings, an array of objects of JSON Lines; NULL: none */
    const json_t *campaign; /* what a campaign has come to, for the page; NULL: there is none */
    bool (*keeps)(void *context, const char *id); /* which are shown; NULL: all */
    void *context;
    bool findings; /* set when there are some, other than what a hunt could not confirm */
};

/* Each path is the directory of a hunt, that of one of its findings, or a file of JSON Lines. 0 or
 * DARN_REFUSED. */
int darn_show(struct darn_shown *shown, struct darn_listener *listener, char *const *paths,
              size_t count);

#endif
