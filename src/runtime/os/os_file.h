/*
 * Whole files: read at once, and replaced at once, so that nobody ever sees half of one. For work
 * elsewhere (os.h): these open files. Results are 0 or negative, as the kernel's.
 */
#ifndef DARN_RUNTIME_OS_FILE_H
#define DARN_RUNTIME_OS_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct darn_file {
    char *text; /* NULL when it is empty */
    size_t length;
    size_t size; /* of the memory */
};

int darn_file_read(struct darn_file *file, const char *path);
void darn_file_free(struct darn_file *file);

/* Whether this process has no right to read it, or to look into its directory. */
bool darn_file_is_denied(const char *path);

/* Until it is unlocked with what this returns, others that ask for the same wait. Not to get it is
 * no error: some file systems have no locks. */
int darn_file_lock(const char *path);
void darn_file_unlock(int locked);

/* A new content for a file, collected in a file beside it. Faults are kept until the end. */
#define DARN_OUT_SIZE 65536

struct darn_out {
    const char *path;
    int fd;
    int error;
    size_t used;
    char beside[4096];
    char buffer[DARN_OUT_SIZE];
};

void darn_out_start(struct darn_out *out, const char *path);
void darn_out_part(struct darn_out *out, const char *text, size_t length);
void darn_out_text(struct darn_out *out, const char *text);
void darn_out_char(struct darn_out *out, char c);

/* The new content takes the place of the old, or nothing changes and nothing is left behind. */
int darn_out_finish(struct darn_out *out);

#endif
