#include "schedule/schedule_text.h"

#include <string.h>

#include "base/number.h"

#include "schedule/strategy.h"

const char *const darn_schedule_run_flags[DARN_SCHEDULE_RUN_FLAGS] = {
    "learn", "races", "stop", "hold", "real-time", "spin", "feed", "coverage", "early",
    "prove", "spin-races",
};

static bool must_be_escaped(unsigned char c, bool at_end)
{
    return c < 0x20 || c == 0x7f || c == '\\' || (c == ' ' && at_end);
}

void darn_schedule_put_text(FILE *file, const char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];

        if (!must_be_escaped(c, i == 0 || i + 1 == length))
            fputc(c, file);
        else if (c == '\\')
            fputs("\\\\", file);
        else
            fprintf(file, "\\x%02x", c);
    }
}

bool darn_schedule_get_text(char *text)
{
    char *to = text;

    while (*text) {
        uint64_t code;

        if (*text != '\\') {
            *to++ = *text++;
        } else if (text[1] == '\\') {
            *to++ = '\\';
            text += 2;
        } else if (text[1] == 'x' && text[2] && darn_schedule_get_hex(text + 2, 2, &code) && code) {
            *to++ = (char)code;
            text += 4;
        } else {
            return false;
        }
    }
    *to = '\0';
    return true;
}

bool darn_schedule_get_hex(const char *text, size_t length, uint64_t *number)
{
    *number = 0;
    if (!length || length > 16)
        return false;
    for (size_t i = 0; i < length; i++) {
        int digit = darn_digit_value(text[i]);

        if (digit > 15)
            return false;
        *number = *number << 4 | (unsigned)digit;
    }
    return true;
}

const char *darn_schedule_aim_name(uint32_t kind)
{
    return kind == DARN_AIM_FIRST            ? "first"
           : kind == DARN_AIM_SECOND         ? "second"
           : kind == DARN_AIM_THIRD          ? "third"
           : kind == DARN_AIM_FOURTH         ? "fourth"
           : kind == DARN_AIM_BACK           ? "back"
           : kind == DARN_AIM_UNIT           ? "unit"
           : kind == DARN_AIM_REMOTE_UNIT    ? "remote-unit"
           : kind == DARN_AIM_SECTION        ? "section"
           : kind == DARN_AIM_REMOTE_SECTION ? "remote-section"
                                             : NULL;
}
