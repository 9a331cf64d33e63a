/*
 * An explanation while it is being written: what its parts (explain_print.c, explain_words.c,
 * explain_movers.c) share.
 */
#ifndef DARN_REPORT_EXPLAIN_PRIVATE_H
#define DARN_REPORT_EXPLAIN_PRIVATE_H

#include "report/explain/explain_finding.h"
#include "report/finding.h"
#include "report/text/text_page.h"

struct darn_explain_printer {
    const struct darn_explain_job *job;
    const struct darn_style *style;
    const struct darn_prediction *prediction;
    const struct darn_finding *steps; /* the steps, with the names of all variables */
    FILE *out;
};

/* A finding that is made of the events, for the names and places in it. The caller frees it. */
struct darn_finding *darn_explain_carry(const struct darn_explain_printer *printer,
                                        const struct darn_prediction_step *steps, size_t count);

struct darn_page darn_explain_page(const struct darn_explain_printer *printer,
                                   const struct darn_finding *finding);

/* `takes mutex 'm' at bank.c:12:5`; `kind` is that of the event. */
void darn_explain_event(struct darn_page *page, const struct darn_finding_access *access,
                        uint8_t kind);

/* `holding mutex 'm' (taken at bank.c:11:5)` */
void darn_explain_locks(struct darn_page *page, const struct darn_finding_access *access);

/* explain_movers.c: 5.6 of Wang & Stoller: the pattern of a transaction, and which of its
 * operations break the form of theorem 2. Nothing if the engine knows none. */
void darn_explain_movers(const struct darn_explain_printer *printer);

#endif
