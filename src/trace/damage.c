#include "trace/damage.h"

#include <stdarg.h>
#include <stdio.h>

int darn_damage(struct darn_damage *damage, uint64_t at, const char *format, ...)
{
    va_list arguments;

    if (damage->found)
        return -1;
    damage->found = true;
    damage->at = at;
    va_start(arguments, format);
    vsnprintf(damage->what, sizeof(damage->what), format, arguments);
    va_end(arguments);
    return -1;
}
