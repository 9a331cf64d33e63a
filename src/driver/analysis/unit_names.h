/*
 * Which functions are transactions, as the command line says it: names, `!name` for the opposite,
 * and `@FILE` for those in a file. There, too, names are separated by blanks, commas or ends of
 * lines; # begins a comment.
 */
#ifndef DARN_DRIVER_UNIT_NAMES_H
#define DARN_DRIVER_UNIT_NAMES_H

#include <stddef.h>

#include "engine/atomicity/transactions.h"

struct darn_unit_names {
    char *include, *exclude; /* separated by blanks */
};

/* The values of --transactions and --no-transactions, either of which may be NULL. 0, or -EINVAL
 * with a message. To be freed in either case. */
int darn_unit_names_read(struct darn_unit_names *names, const char *transactions,
                         const char *no_transactions, char *error, size_t error_size);
void darn_unit_names_free(struct darn_unit_names *names);

struct darn_unit_rules darn_unit_names_rules(const struct darn_unit_names *names);

#endif
