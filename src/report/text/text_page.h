/*
 * The text form while it is being written: what its parts (text.c, text_value.c, text_title.c,
 * text_step.c, text_misuse.c, text_proof.c, text_violation.c) share.
 */
#ifndef DARN_REPORT_TEXT_PAGE_H
#define DARN_REPORT_TEXT_PAGE_H

#include "report/finding.h"
#include "report/text/ink.h"
#include "report/text/style.h"

struct darn_page {
    struct darn_ink ink;
    const struct darn_finding *finding;
    const struct darn_style *style;
    struct darn_text_pool pool; /* for what is composed on the way */
};

/* `  next: ` */
void darn_page_label(struct darn_page *page, const char *name);

/* Where people look for an access: not in a header of the C++ library, but where the program uses
 * it. The site itself, which tools go by, is in the JSON form. */
struct darn_frame darn_page_place(const struct darn_finding_access *access);

/* `bank.c:12:19: `, or the program when the place is not known. */
void darn_page_position(struct darn_page *page, const struct darn_finding_access *access);

/* The frames, one in a line; those of the C++ library and of the C library in between are folded.
 */
void darn_page_stack(struct darn_page *page, const struct darn_finding_stack *stack);

/* text.c: `thread T1 'teller' writes 8 bytes, holding no lock`. */
void darn_page_access(struct darn_page *page, const struct darn_finding_access *access);

/* text_title.c: `data race on 'x'`, `possible deadlock between T1 and T2`: the first line, without
 * its position. */
void darn_page_title(struct darn_page *page);

/* text_title.c: `[data-race]`, `[data-race, predicted by hybrid]`, `[failure, confirmed]`. */
void darn_page_kind(struct darn_page *page);

/* text_step.c: what a thread does that is no access to memory: `holds mutex 'a' (taken at bank.c:11
 * in transfer) and waits for mutex 'b'`. */
void darn_page_step(struct darn_page *page, const struct darn_finding_access *access);

/* text_step.c: the line `why:` of what is predicted: what makes the engine think so. */
void darn_page_why(struct darn_page *page);

/* text_misuse.c: the first line, a step, the line `why:` and the advice of a misuse: `misuse of
 * mutex 'm': T2 unlocks it while T1 holds it`. */
void darn_page_misuse(struct darn_page *page);
void darn_page_misuse_step(struct darn_page *page, const struct darn_finding_access *access);
void darn_page_misuse_why(struct darn_page *page);
const char *darn_misuse_advice(const struct darn_finding *finding);

/* text_violation.c: the lines `pattern:` and `section:` of an atomicity violation. */
void darn_page_violation(struct darn_page *page);

/* text_violation.c: the line `value:` of one that is whole. */
void darn_page_violation_values(struct darn_page *page);

/* text_proof.c: the first line of a failure: `T1 crashes with SIGSEGV`. */
void darn_page_failure(struct darn_page *page);

/* text_proof.c: the line `proof:` of what is confirmed, with what its runs came to. */
void darn_page_proof(struct darn_page *page);

/* text_value.c: the line `value:`, when something is known about it. */
void darn_page_values(struct darn_page *page);

#endif
