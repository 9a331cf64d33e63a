#include "report/report_format.h"

#include <string.h>

static const struct darn_format *const formats[] = {
    &darn_format_text,
    &darn_format_json,
};

const struct darn_format *darn_format_find(const char *name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}
