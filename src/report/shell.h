/*
 * Command lines as they are typed.
 */
#ifndef DARN_REPORT_SHELL_H
#define DARN_REPORT_SHELL_H

#include <stdint.h>

#include "report/text_pool.h"

/* The text as one word of a shell: quoted where it must be. It lives as long as the pool. */
const char *darn_shell_word(struct darn_text_pool *pool, const char *text);

/* The arguments that the process was started with, each after a blank, quoted. NULL when it is not
 * running, is not this program, or when they are too long to be shown. */
const char *darn_shell_arguments(struct darn_text_pool *pool, int64_t pid, const char *program);

#endif
