#include "driver/process/listener.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

static void tell(struct darn_listener *listener, enum darn_news news, const char *format,
                 va_list arguments)
{
    char line[2048 + PATH_MAX];

    if (!listener)
        return;
    vsnprintf(line, sizeof(line), format, arguments);
    listener->say(listener, news, line);
}

#define TELL(news)                                                                                 \
    do {                                                                                           \
        va_list arguments;                                                                         \
                                                                                                   \
        va_start(arguments, format);                                                               \
        tell(listener, news, format, arguments);                                                   \
        va_end(arguments);                                                                         \
    } while (0)

int darn_tell_refusal(struct darn_listener *listener, const char *format, ...)
{
    TELL(DARN_NEWS_REFUSAL);
    return DARN_REFUSED;
}

void darn_tell_warning(struct darn_listener *listener, const char *format, ...)
{
    TELL(DARN_NEWS_WARNING);
}

void darn_tell_loss(struct darn_listener *listener, const char *format, ...)
{
    TELL(DARN_NEWS_LOSS);
}

void darn_tell_note(struct darn_listener *listener, const char *format, ...)
{
    TELL(DARN_NEWS_NOTE);
}

void darn_tell_fault(struct darn_listener *listener, const char *format, ...)
{
    TELL(DARN_NEWS_FAULT);
}

void darn_tell_progress(struct darn_listener *listener, const char *format, ...)
{
    TELL(DARN_NEWS_PROGRESS);
}
