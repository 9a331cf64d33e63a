/*
 * What kind of file a program is: whether darn compiled it.
 */
#ifndef DARN_DRIVER_PROGRAM_H
#define DARN_DRIVER_PROGRAM_H

#include <stdbool.h>

enum darn_program {
    DARN_PROGRAM_WATCHED, /* compiled by darn */
    DARN_PROGRAM_PLAIN,   /* an ELF file with neither sites nor runtime */
    DARN_PROGRAM_SCRIPT,  /* begins with #!: it starts other programs */
    DARN_PROGRAM_UNKNOWN, /* neither */
};

/* An enum darn_program, or a negative errno when the file cannot be read. */
int darn_program_kind(const char *path);

/* What a program or script is that darn cannot watch, in a sentence after its name: `is a Rust program: darn watches C
 * and C++`. NULL: nothing is known. */
const char *darn_program_foreign(const char *path);

/* Whether it is an ELF program without a loader, into which nothing can be preloaded. */
bool darn_program_is_static(const char *path);

/* The level of optimization, as in -O2, of the first part of the program that has one and was
 * compiled by darn. '0': of none; 0: it is not known. */
char darn_program_level(const char *path);

#endif
