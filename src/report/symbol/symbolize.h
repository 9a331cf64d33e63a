/*
 * From addresses in ELF files to functions, lines and variables, by libdw.
 */
#ifndef DARN_REPORT_SYMBOLIZE_H
#define DARN_REPORT_SYMBOLIZE_H

#include "report/finding.h"
#include "report/symbol/module.h"

/* The most functions that are inlined into each other at one address and shown. */
#define DARN_SYMBOLIZE_DEPTH 32

/* The frames at one address of code: the function that was inlined last first, the one that has the
 * code of its own last. `frames` has room for DARN_SYMBOLIZE_DEPTH; module and offset are set in
 * each. Returns how many there are, at least 1: what is not known stays NULL or 0. */
size_t darn_symbolize_code(struct darn_modules *modules, struct darn_text_pool *pool,
                           const char *module, uint64_t offset, struct darn_frame *frames);

/* Finds the name of symbol->module + symbol->offset, a variable; leaves it when there is none. */
void darn_symbolize_data(struct darn_modules *modules, struct darn_text_pool *pool,
                         struct darn_symbol *symbol);

/* `savings.lock`, `forks[1]`: the lock, condition variable or the like that begins there, as a part
 * of the variable whose name was found. NULL when none does. */
const char *darn_symbolize_part(struct darn_modules *modules, struct darn_text_pool *pool,
                                const struct darn_symbol *symbol);

/* The same for data of so many bytes: `stats.total`, `cache[240]`. NULL: debug info does not say.
 */
const char *darn_symbolize_member(struct darn_modules *modules, struct darn_text_pool *pool,
                                  const struct darn_symbol *symbol, uint64_t size);

#endif
