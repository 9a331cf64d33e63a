/* Schedule files: whatever the text, it is refused with one line, or read; and what was read is
 * written as something that reads the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/schedule.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static struct darn_schedule *read_text(const void *text, size_t length)
{
    char error[256] = "";
    FILE *file = fmemopen((void *)(uintptr_t)text, length, "r");
    struct darn_schedule *schedule = file ? darn_schedule_read(file, error, sizeof(error)) : NULL;

    if (file)
        fclose(file);
    if (file && !schedule && (strncmp(error, "line ", 5) != 0 || strchr(error, '\n')))
        abort();
    return schedule;
}

static char *write_text(const struct darn_schedule *schedule, size_t *length)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, length);

    if (!file || darn_schedule_write(schedule, file))
        abort();
    fclose(file);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct darn_schedule *schedule = read_text(bytes, length), *again;
    size_t first, second;
    char *text, *same;

    if (!schedule)
        return 0;
    text = write_text(schedule, &first);
    again = read_text(text, first);
    if (!again || again->step_count != schedule->step_count)
        abort();
    same = write_text(again, &second);
    if (first != second || memcmp(text, same, first) != 0)
        abort();
    darn_schedule_free(schedule);
    darn_schedule_free(again);
    free(text);
    free(same);
    return 0;
}
