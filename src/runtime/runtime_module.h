/* The announcement of a table of sites; called by code that the plugin makes. */
#ifndef DARN_RUNTIME_MODULE_H
#define DARN_RUNTIME_MODULE_H

#include "site/site.h"

void darn_module_init(const struct darn_site *start, const struct darn_site *stop,
                      const char *command) __asm__(DARN_MODULE_INIT);

/* What loads and unloads modules: whoever closes one sends, under this address. */
extern const char darn_loader;

#endif
