/*
 * darn sections: which code should be atomic. One entry for each word after it; argv[0] is the
 * word.
 */
#ifndef DARN_CLI_SECTIONS_H
#define DARN_CLI_SECTIONS_H

#include <stdio.h>

#include "cli/line.h"
#include "cli/say.h"
#include "driver/section/section_elf.h"
#include "driver/section/section_file.h"

/* Each ends with a name that is NULL. */
extern const struct darn_cli_option darn_sections_infer_options[];
extern const struct darn_cli_option darn_sections_show_options[];
extern const struct darn_cli_option darn_sections_check_options[];
extern const struct darn_cli_option darn_sections_shared_options[];

void darn_help_sections_infer(void);
void darn_help_sections_show(void);
void darn_help_sections_check(void);
void darn_help_sections_shared(void);

int darn_sections_infer(int argc, char **argv);
int darn_sections_show(int argc, char **argv);
int darn_sections_check(int argc, char **argv);
int darn_sections_shared(int argc, char **argv);

/* darn sections refine, and darn sections infer … -- PROGRAM: sections from runs. */
int darn_sections_refine(int argc, char **argv);
int darn_sections_learn(int argc, char **argv);

/* Reads a line whose options may stand anywhere before `--`. The other words go to `words`, of
 * which there are at most `most`; *count says how many. 0 or an exit status. */
int darn_sections_line(const char *command, const struct darn_cli_option *table, int argc,
                       char **argv, darn_line_set *set, void *to, const char **words, int most,
                       int *count);

/* "5 load-and-store, 4 pair": how many there are of each kind; those that were dropped, or the
 * others. Returns how many in all. */
size_t darn_sections_count(FILE *out, const struct darn_sections *sections, bool dropped);

/* `bank.c:12-14 balance`, of a section over lines. */
const char *darn_section_lines_text(struct darn_text_pool *pool,
                                    const struct darn_section *section);
/* `read,write`, of what is allowed. */
const char *darn_section_allow_text(uint8_t allow);

#endif
