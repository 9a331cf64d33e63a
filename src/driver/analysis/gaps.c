#include "driver/analysis/gaps.h"

#include "cli/say.h"

void darn_warn_of_gaps(const char *command, const char *path, const struct darn_trace *trace)
{
    struct darn_trace_about about = darn_trace_about(trace);
    char text[256];

    if (about.cut_at)
        darn_warn(command, "%s; only what comes before was read", darn_trace_error(trace));
    if (darn_trace_missing(&about, text, sizeof(text)))
        darn_warn(command, "%s: %s", path, text);
    if (!about.finished)
        darn_warn(command, "%s: the program did not end in good order; the trace ends where it did",
                  path);
}
