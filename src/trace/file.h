/*
 * The bytes of a file, mapped where that is possible. What was read can be forgotten, so that a
 * long trace does not fill the memory.
 */
#ifndef DARN_TRACE_FILE_H
#define DARN_TRACE_FILE_H

#include <stddef.h>
#include <stdint.h>

struct darn_trace_file {
    const uint8_t *bytes;
    size_t length;
    size_t stored;  /* bytes that the disk really has: traces of killed programs have holes */
    int descriptor; /* of a mapped file, or -1 */
    uint8_t *owned; /* what was read from a pipe, or NULL */
};

/* 0, or a negative errno. */
int darn_trace_file_open(struct darn_trace_file *file, const char *path);
void darn_trace_file_memory(struct darn_trace_file *file, const void *bytes, size_t length);
void darn_trace_file_close(struct darn_trace_file *file);

/* The bytes [from, to) are not needed for now. */
void darn_trace_file_forget(const struct darn_trace_file *file, uint64_t from, uint64_t to);

/* The next byte from `at` on that is not in a hole; `length` when there is none. */
uint64_t darn_trace_file_data(const struct darn_trace_file *file, uint64_t at);

#endif
