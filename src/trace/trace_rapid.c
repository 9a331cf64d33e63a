#include "trace/trace_rapid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* From the lowest bit on: thread, operation, operand, location; the highest bit is a sign. */
enum { THREAD_BITS = 10, OPERATION_BITS = 4, OPERAND_BITS = 34, LOCATION_BITS = 15 };

enum { REQUEST = 8 };

/* By number. Letters keep the names of threads, locks and variables apart. */
static const struct {
    const char *name;
    char letter;
} operations[] = {{"acq", 'L'},  {"rel", 'L'},  {"r", 'V'},     {"w", 'V'},
                  {"fork", 'T'}, {"join", 'T'}, {"begin", 'B'}, {"end", 'B'}};

/* Big-endian. */
static uint64_t number_at(const uint8_t *bytes, size_t count)
{
    uint64_t value = 0;

    for (size_t i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

uint64_t darn_rapid_count(const struct darn_trace_file *file)
{
    return number_at(file->bytes + 10, 8);
}

/* One that was cut off shows when its end is read; nothing comes after the last event. */
bool darn_rapid_is(const struct darn_trace_file *file)
{
    uint64_t threads, count;

    if (file->length < DARN_RAPID_HEADER)
        return false;
    threads = number_at(file->bytes, 2);
    count = darn_rapid_count(file);
    return threads && threads <= 1u << THREAD_BITS && number_at(file->bytes + 2, 4) <= INT32_MAX &&
           number_at(file->bytes + 6, 4) <= INT32_MAX &&
           count <= INT64_MAX / DARN_RAPID_EVENT - DARN_RAPID_HEADER &&
           file->length <= DARN_RAPID_HEADER + count * DARN_RAPID_EVENT;
}

static uint64_t take_bits(uint64_t *event, unsigned count)
{
    uint64_t value = *event & ((UINT64_C(1) << count) - 1);

    *event >>= count;
    return value;
}

size_t darn_rapid_line(const uint8_t bytes[DARN_RAPID_EVENT], char line[DARN_RAPID_LINE])
{
    uint64_t event = number_at(bytes, DARN_RAPID_EVENT);
    uint64_t thread = take_bits(&event, THREAD_BITS), operation = take_bits(&event, OPERATION_BITS);
    uint64_t operand = take_bits(&event, OPERAND_BITS), location = take_bits(&event, LOCATION_BITS);
    int length = 0;

    if (operation < sizeof(operations) / sizeof(operations[0]))
        length =
            snprintf(line, DARN_RAPID_LINE, "T%" PRIu64 "|%s(%c%" PRIu64 ")|%" PRIu64, thread,
                     operations[operation].name, operations[operation].letter, operand, location);
    else if (operation != REQUEST)
        length = snprintf(line, DARN_RAPID_LINE, "T%" PRIu64 "|%" PRIu64 "|%" PRIu64, thread,
                          operation, location);
    return (size_t)length;
}
