/* Runs `darn report` beside the program. */
#ifndef DARN_RUNTIME_HELPER_H
#define DARN_RUNTIME_HELPER_H

#include <stddef.h>

/* Copies what is needed of the environment, which the program may overwrite later. */
void darn_helper_init(void);

/* The command, as the program's build knew it; the first one that is given is kept. Where it is not
 * there, that of DARN_COMMAND_VARIABLE is started. */
void darn_helper_command(const char *path);

/* The path of the program. */
const char *darn_helper_program(void);

/* Its exit status, DARN_OS_NOT_STARTED or DARN_OS_LOST. `flag` may be NULL. */
int darn_helper_run(const char *flag, const char *input, size_t length);

#endif
