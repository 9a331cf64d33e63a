#include "report/text/style.h"

#include <string.h>

const char *darn_style_path(const struct darn_style *style, const char *path)
{
    const char *prefix = style->strip_path_prefix;
    const char *found = path && prefix && *prefix ? strstr(path, prefix) : NULL;

    if (!found || !found[strlen(prefix)])
        return path;
    path = found + strlen(prefix);
    /* `/home/me/` and `/home/me` both leave `bank.c`. */
    if (path > found && path[-1] != '/')
        while (path[0] == '/' && path[1])
            path++;
    if (path[0] == '.' && path[1] == '/' && path[2])
        path += 2;
    return path;
}
