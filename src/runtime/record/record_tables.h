/*
 * What the events of a trace name by number: sites, stacks, and where an event happened, which is
 * one of each. Every new one is written into the trace's tables at once.
 */
#ifndef DARN_RUNTIME_RECORD_TABLES_H
#define DARN_RUNTIME_RECORD_TABLES_H

#include <stdint.h>

#include "runtime/thread/stack.h"
#include "runtime/thread/thread.h"
#include "site/site.h"

/* The first records: the program and what is mapped. 0, or negative when there is no room. */
int darn_tables_open(void);

/* The number of this site with this stack; 0 when there is no room. `site` may be NULL. Slow: the
 * caller remembers what it has asked for. */
uint32_t darn_tables_where(const struct darn_site *site, const struct darn_stack *stack);

void darn_tables_thread(const struct darn_thread *thread, const char *name);

/* The read at the first site spins for the store at the second: said once. */
void darn_tables_sync(const struct darn_site *reader, const struct darn_site *writer);

void darn_tables_counter(uint32_t id, uint64_t value, const char *text);

#endif
