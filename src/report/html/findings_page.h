/*
 * One page of HTML for many findings: self-contained, to be opened from disk.
 *
 * The page is the same for all (page.html, page.css, *.js); the findings are JSON in it, which its
 * script reads. Nothing that comes from a program becomes markup: in the JSON every '<' is written
 * as an escape, and the script makes texts of it. A Content-Security-Policy lets nothing run but
 * that script.
 */
#ifndef DARN_REPORT_FINDINGS_PAGE_H
#define DARN_REPORT_FINDINGS_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct darn_page_item {
    const json_t *finding; /* an object of JSON Lines */
    char *directory;       /* with story.json and report.txt, if they are there; NULL: none */
    int64_t found;         /* when, in seconds: sources that are younger may be others */
    bool is_of_hunt;       /* which has tried to confirm it */
};

struct darn_findings_page {
    const char *about;             /* what is in it, in a few words */
    const char *strip_path_prefix; /* NULL: none */
    const struct darn_page_item *items;
    size_t count;
    const json_t *campaign; /* what a campaign has come to, for campaign.js; NULL: there is none */
};

void darn_page_write(const struct darn_findings_page *page, FILE *out);

#endif
