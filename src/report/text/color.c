#include "report/text/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"

bool darn_wants_color(uint32_t choice, int fd)
{
    const char *terminal = getenv("TERM");

    if (choice != DARN_COLOR_AUTO)
        return choice == DARN_COLOR_ALWAYS;
    return isatty(fd) && terminal && strcmp(terminal, "dumb") != 0 && !getenv("NO_COLOR");
}
