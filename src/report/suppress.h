/*
 * Suppressions: TSan's files, unchanged, plus our kinds.
 *
 *   # a comment
 *   race:deposit            any frame of any stack of the finding: function, file or module; or
 *                           the name or module of the global variable
 *   race_top:^get_*_fast$   the first frame of an access only
 *   deadlock:transfer       any frame of a stack, also where a lock was taken; or the name or
 *                           module of a global lock that a thread waits for
 *   notification:consume    the same for a condition variable
 *   mutex:close_session     the same for a lock or another object that is misused
 *   failure:parse           any frame of a stack of a run that failed under a schedule
 *
 * Patterns are those of pattern.h. Kinds of findings that TSan has and darn has not are accepted,
 * and match nothing.
 */
#ifndef DARN_REPORT_SUPPRESS_H
#define DARN_REPORT_SUPPRESS_H

#include "report/finding.h"

struct darn_suppressions;

/* Reads a file. `program` may be NULL; otherwise a relative path that is not found here is also
 * looked for in the directory of the program, as TSan does. NULL with one line in `error`, which
 * names the file and the line. */
struct darn_suppressions *darn_suppressions_read(const char *path, const char *program, char *error,
                                                 size_t error_size);
void darn_suppressions_free(struct darn_suppressions *suppressions);

/* The line of the file ("race:deposit") that suppresses the finding, or NULL. */
const char *darn_suppressions_match(struct darn_suppressions *suppressions,
                                    const struct darn_finding *finding);

/* Tells each that has matched nothing so far, with the number of its line. Returns how many. */
size_t darn_suppressions_unused(const struct darn_suppressions *suppressions,
                                void (*tell)(void *context, unsigned number, const char *line),
                                void *context);

/* A line that would suppress this finding; NULL when nothing about it can be named, or when no kind
 * of suppression concerns it. It lives as long as the pool. */
const char *darn_suppression_for(const struct darn_finding *finding, struct darn_text_pool *pool);

#endif
