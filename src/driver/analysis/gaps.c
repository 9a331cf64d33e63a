#include "driver/analysis/gaps.h"

#include "driver/process/listener.h"

void darn_warn_of_gaps(struct darn_listener *listener, const char *path,
                       const struct darn_trace *trace)
{
    struct darn_trace_about about = darn_trace_about(trace);
    char text[256];

    if (about.cut_at)
        darn_tell_warning(listener, "%s; only what comes before was read", darn_trace_error(trace));
    if (darn_trace_missing(&about, text, sizeof(text)))
        darn_tell_warning(listener, "%s: %s", path, text);
    if (!about.finished)
        darn_tell_warning(listener,
                          "%s: the program did not end in good order; the trace ends where it did",
                          path);
}
