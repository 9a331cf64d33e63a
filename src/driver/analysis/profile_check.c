#include "driver/analysis/profile_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/profile.h"

int darn_profile_bad_line(const char *path)
{
    FILE *file = fopen(path, "r"), *to;
    char *text = NULL, piece[16384];
    size_t length = 0, got, at = 0;
    struct darn_fact fact;
    int found = 1, line = 1, error = errno;

    if (!file || !(to = open_memstream(&text, &length))) {
        if (file)
            fclose(file);
        return -error;
    }
    while ((got = fread(piece, 1, sizeof(piece), file)) > 0)
        fwrite(piece, 1, got, to);
    error = ferror(file) ? EISDIR : 0; /* what opens, but cannot be read */
    fclose(file);
    fclose(to);
    if (length && !darn_profile_is(text, length))
        found = -1;
    while (found == 1)
        found = darn_profile_next(text, length, &at, &fact);
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    free(text);
    return error ? -error : found < 0 ? line : 0;
}
