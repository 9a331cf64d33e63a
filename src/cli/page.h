/*
 * What is made from the tables of the commands: help, manual pages, and the completion of shells.
 */
#ifndef DARN_CLI_PAGE_H
#define DARN_CLI_PAGE_H

#include <stdio.h>

#include "cli/command.h"

/* What `darn help COMMAND` prints. */
void darn_page_help(const struct darn_command *command, FILE *out);

/* The list of the commands, which `darn help` prints. */
void darn_page_list(FILE *out);

/* The manual page of a command, for man(1). `also` is another command that has the same name, as
 * `sections infer` with and without --runs; or NULL. */
void darn_page_manual(const struct darn_command *command, const struct darn_command *also,
                      FILE *out);

/* That of darn itself. */
void darn_page_manual_list(FILE *out);

/* What shells read to complete the lines of all commands. */
void darn_page_bash(FILE *out);
void darn_page_zsh(FILE *out);

#endif
