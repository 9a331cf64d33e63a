#include "trace/trace_place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void darn_trace_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Synchronization has a stack and no site. */
static void write_frame(const struct darn_trace *trace, uint32_t id, char *to, size_t size)
{
    const struct darn_trace_stack *stack = darn_trace_stack(trace, id);
    const struct darn_trace_module *module;

    if (!stack || !stack->depth)
        return;
    module = darn_trace_module(trace, stack->pcs[0]);
    if (module && module->path)
        snprintf(to, size, "%s+0x%" PRIx64, base_name(module->path),
                 stack->pcs[0] - module->start + module->offset);
    else
        snprintf(to, size, "0x%" PRIx64, stack->pcs[0]);
}

const char *darn_trace_place(const struct darn_trace *trace, uint32_t id, uint32_t stack, char *to,
                             size_t size)
{
    const struct darn_trace_site *site = darn_trace_site(trace, id);

    to[0] = '\0';
    if (!site)
        write_frame(trace, stack, to, size);
    else if (site->file)
        snprintf(to, size, "%s:%" PRIu32 ":%" PRIu32, site->file, site->line, site->column);
    else
        snprintf(to, size, "%" PRIu32, site->line);
    darn_trace_printable(to);
    return to;
}
