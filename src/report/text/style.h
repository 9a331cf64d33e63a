/*
 * How reports for people look: what the user chose.
 */
#ifndef DARN_REPORT_STYLE_H
#define DARN_REPORT_STYLE_H

#include <stdbool.h>

struct darn_style {
    const char *strip_path_prefix; /* NULL or empty: none */
    bool color;
};

/* The part of the path that is shown. As in TSan the prefix need not be at the beginning. */
const char *darn_style_path(const struct darn_style *style, const char *path);

#endif
