/*
 * Completes a finding with what the debug information of its modules knows.
 */
#ifndef DARN_REPORT_RESOLVE_H
#define DARN_REPORT_RESOLVE_H

#include "report/finding.h"
#include "report/symbol/module.h"

/* Names functions, lines, locks and globals; expands inlined functions into frames of their own;
 * leaves out the frames that frames.h says; calls darn_identify. What cannot be found stays as it
 * is. */
void darn_resolve(struct darn_finding *finding);

/* The same with modules that stay open for the next finding. */
void darn_resolve_in(struct darn_finding *finding, struct darn_modules *modules);

#endif
