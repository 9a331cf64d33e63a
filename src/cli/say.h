/*
 * What commands say to the user.
 */
#ifndef DARN_CLI_SAY_H
#define DARN_CLI_SAY_H

#include <jansson.h>
#include <stdio.h>

#include "base/options_print.h"
#include "driver/process/listener.h"
#include "report/text/style.h"

#define DARN_EXIT_FINDINGS 66 /* there are findings */
#define DARN_EXIT_USAGE    2  /* wrong use of darn: one line on stderr, nothing was changed */

/* Prints the one line "darn COMMAND: …" on stderr and returns the exit status for wrong use.
 * Characters that would break the line are shown as '?'. */
__attribute__((format(printf, 2, 3))) int darn_refuse(const char *command, const char *format, ...);

/* Prints "darn COMMAND: warning: …". */
__attribute__((format(printf, 2, 3))) void darn_warn(const char *command, const char *format, ...);

/* The same for something that the user asked for and does not get: the exit status of the command
 * is not 0 then. */
__attribute__((format(printf, 2, 3))) void darn_lost(const char *command, const char *format, ...);

/* Refuses a file that cannot be written, if `result`, a negative errno, says so; `what` stands
 * before its name: "json: ". 0 or an exit status. */
int darn_refuse_output(const char *command, const char *what, const char *path, int result);

/* Appends to the file that --json names, - being stdout. 0, or 1 when it was lost, after a line that says so. */
int darn_append_json(const char *command, const char *file, const char *text, size_t length);

/* The file that --sarif names, and the one of --baseline, before anything is done: the first is
 * begun, the second can be read. NULL or "": none. 0 or an exit status. */
int darn_begin_sarif(const char *command, const char *file, const char *strip);
int darn_check_baseline(const char *command, const char *file);

/* Says that a finding did not come into that file, if `result`, a negative errno, says so; then 1.
 */
int darn_lose_sarif(const char *command, const char *file, int result);

/* The listener of the command: says on stderr what it hears, in the name of the command that was
 * given last. Not for threads at the same time. */
struct darn_listener *darn_speaker(const char *command);

/* How reports of findings look that the driver tells of. */
void darn_speaker_style(const struct darn_style *style);

/* The progress that stands on the terminal, if any, goes. */
void darn_clear_progress(void);

/* Before the first line on stderr, and after the last: the exit status, which is 1 instead of 0
 * when something was lost, output included. */
void darn_begin_errors(void);
int darn_end_errors(int status);

/* A darn_options_write to a FILE. */
void darn_write_file(void *file, const char *text, size_t length);

/* After the last output on stdout: 0, or 1 when there is a line on stderr that it could not be
 * written, or that it lacks what a file would have told (report/unread.h). */
int darn_finish_output(void);

struct darn_index;

/* What is wanted of the index of a hunt. */
struct darn_index_wanted {
    const char *name;   /* the directory, as people call it */
    const json_t *told; /* ids of the proofs whose reports they have read; NULL: none */
    bool all;           /* variants as well, at length */
};

/* index_print.c: what people read of the index of a hunt: the reports of the proofs, a line for each
 * prediction that was not confirmed, and a summary. Who has the same cause must be known
 * (darn_index_group). */
void darn_index_print(const struct darn_index *index, const struct darn_index_wanted *wanted,
                      FILE *out, const struct darn_style *style);

/* The report of one of the proofs, with its story. */
void darn_index_print_proof(const struct darn_index *index, const json_t *entry, FILE *out);

/* A file as it is, or in a line why it cannot be read. */
void darn_print_file(const char *path, FILE *out);

#endif
