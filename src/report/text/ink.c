#include "report/text/ink.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/utf8.h"

void darn_tint(struct darn_ink *ink, enum darn_tint tint)
{
    static const char *const codes[] = {
        [DARN_TINT_PLAIN] = "0",     [DARN_TINT_BOLD] = "0;1",     [DARN_TINT_WARNING] = "0;1;35",
        [DARN_TINT_NOTE] = "0;1;36", [DARN_TINT_CARET] = "0;1;32", [DARN_TINT_LABEL] = "0;36",
    };

    if (ink->color)
        fprintf(ink->out, "\033[%sm", codes[tint]);
}

static void put_clean(FILE *out, const char *text, size_t length)
{
    const char *end = text + length;

    while (text < end) {
        uint32_t code;
        size_t bytes = darn_utf8_next(text, end, &code);

        if (code == DARN_UTF8_WRONG || darn_utf8_is_control(code))
            fputc('?', out);
        else
            fwrite(text, 1, bytes, out);
        text += bytes;
    }
}

void darn_say(struct darn_ink *ink, const char *format, ...)
{
    size_t format_length = strlen(format);
    bool ends_line = format_length && format[format_length - 1] == '\n';
    va_list arguments;
    char *text;
    int length;

    va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    put_clean(ink->out, text, (size_t)length - ends_line);
    if (ends_line)
        fputc('\n', ink->out);
    free(text);
}

void darn_say_in(struct darn_ink *ink, enum darn_tint tint, const char *text)
{
    darn_tint(ink, tint);
    darn_say(ink, "%s", text);
    darn_tint(ink, DARN_TINT_PLAIN);
}
