#include "trace/damage.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/format.h"
#include "trace/trace.h"

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

static const struct reason {
    const char *word, *text;
} reasons[] = {
    [DARN_WHY_UNKNOWN] = {"full", "the file was full"},
    [DARN_WHY_MAX_SIZE] = {"max-size", "the trace has reached --max-size"},
    [DARN_WHY_FILE_LIMIT] = {"file-limit", "files may not be larger (ulimit -f)"},
    [DARN_WHY_DISK] = {"disk", "the disk was full"},
    [DARN_WHY_MEMORY] = {"memory", "there was no memory for more (ulimit -v)"},
};

#define REASONS (sizeof(reasons) / sizeof(reasons[0]))

const char *darn_missing_why(uint32_t why)
{
    return reasons[why < REASONS ? why : DARN_WHY_UNKNOWN].word;
}

static const char *text_of(const char *word)
{
    for (size_t i = 0; word && i < REASONS; i++)
        if (strcmp(reasons[i].word, word) == 0)
            return reasons[i].text;
    return reasons[DARN_WHY_UNKNOWN].text;
}

const char *darn_trace_missing(const struct darn_trace_about *about, char *text, size_t size)
{
    if (!about->lost)
        return NULL;
    snprintf(text, size, "%s%" PRIu64 " event%s missing, because %s",
             about->at_least ? "at least " : "", about->lost, about->lost == 1 ? " is" : "s are",
             text_of(about->why));
    return text;
}
