/* The sections of a repository that are watched (`sections=FILE`), and which of the program's they
 * are. */
#ifndef DARN_RUNTIME_OBEYED_H
#define DARN_RUNTIME_OBEYED_H

#include "runtime/section/section_module.h"

/* Reads the repository: 0, -ENOMEM, or -EINVAL when it cannot be read. Mistakes in it are said; the
 * rest is used. */
int darn_obeyed_load(const char *path);

/* What it means in a module becomes rules. darn_rules_lock is held. */
void darn_obeyed_resolve(const struct darn_section_module *module);

/* Says at the end what the program does not have. */
void darn_obeyed_say_missing(void);

#endif
