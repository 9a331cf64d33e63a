/*
 * Which frames of a stack are nobody's business: policy, apart from how stacks are made.
 */
#ifndef DARN_REPORT_FRAMES_H
#define DARN_REPORT_FRAMES_H

#include "report/finding.h"

/* Whether the frame belongs to the C library or to the dynamic linker. */
bool darn_frame_is_libc(const struct darn_frame *frame);

/* Whether the frame belongs to darn's runtime. */
bool darn_frame_is_runtime(const struct darn_frame *frame);

/* A header of the C++ library: std::mutex is locked there, but the program is what people know. */
bool darn_frame_is_library(const struct darn_frame *frame);

/* Whether it is between the program and what it uses: a header or the code of the C++ library, or
 * the C library. Text reports fold such frames. A specialization, like std::hash<Account>, that
 * stands in a file of the program is the program's. */
bool darn_frame_is_plumbing(const struct darn_frame *frame);

/* Whether the frame lies outside of main or of a thread's function when no other frame does: what
 * calls those. */
bool darn_frame_is_outside(const struct darn_frame *frame);

/* The frame that people look for: a call of the C library, like free, is shown where the program
 * made it. NULL when there is none that is known. */
const struct darn_frame *darn_frames_telling(const struct darn_finding_stack *stack);

/* Cuts off what lies outside of main and of a thread's function, and drops the frames of the
 * runtime wherever they are: an interceptor of pthread_once, the handler that calls the program's
 * own. A stack of nothing else stays as it is. As in TSan this happens before suppressions are
 * matched: otherwise `race:libc.so` would match every thread. */
void darn_frames_trim(struct darn_finding_stack *stack);

#endif
