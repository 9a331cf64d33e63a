/*
 * How a program was built, as `darn cc` has written it down (cli/cc/cc_line.h): a text for each
 * compiler's line, in the section where clang's -frecord-command-line has its own, and one for the
 * linker's.
 *
 * A text has a mark, the directory, the object that a mere compilation makes, its source (both
 * empty where there is no such), and the words of the command: env and variables, darn, cc or c++,
 * and the user's.
 */
#ifndef DARN_DRIVER_RECORDED_H
#define DARN_DRIVER_RECORDED_H

#include <stddef.h>

#include "report/text_pool.h"

#define DARN_RECORD_COMPILED  ".GCC.command.line" /* texts that end with zeros, each once */
#define DARN_RECORD_LINKED    ".darn.link"
#define DARN_RECORD_MARK      "darn 1"
#define DARN_RECORD_SEPARATOR '\x1f' /* no name of a file has it, if it is one of people's */

enum { DARN_RECORD_DIRECTORY = 1, DARN_RECORD_OBJECT, DARN_RECORD_SOURCE, DARN_RECORD_WORDS };

struct darn_recorded {
    const char *text, *directory, *object, *source;
    char **words; /* ends with NULL */
};

struct darn_records {
    struct darn_recorded *link;     /* NULL: nobody knows how the program was linked */
    struct darn_recorded *compiled; /* what was not compiled and linked at once */
    size_t count;
};

/* What lives as long as the pool. */
void darn_records_read(struct darn_records *records, struct darn_text_pool *pool,
                       const char *program);

#endif
