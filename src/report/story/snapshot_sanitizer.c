/*
 * What a sanitizer has printed of the run: which error, and where. It need not have looked up a
 * single symbol for that (symbolize=0), which would take many times as long as the run.
 *
 *   ==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc …
 *   WRITE of size 1 at 0x602000000010 thread T1
 *       #0 0x5555556a4671  (/tmp/prog+0x150671) (BuildId: …)
 *       #1 …
 *
 *   prog.c:12:5: runtime error: signed integer overflow: 2147483647 + 1 cannot be …
 */
#include <stdlib.h>
#include <string.h>

#include "report/story/snapshot_private.h"

#define MOST_LENGTH 80 /* of the words for an error */

static const char *end_of_line(const char *text)
{
    return text + strcspn(text, "\n");
}

/* "heap-use-after-free", "attempting double-free", "SEGV": up to the address. */
static const char *error_after(const char *text, struct darn_text_pool *pool)
{
    const char *end = end_of_line(text), *on = strstr(text, " on ");
    int length = (int)((on && on < end ? on : end) - text);

    return darn_pool_format(pool, "%.*s", length < MOST_LENGTH ? length : MOST_LENGTH, text);
}

/* "prog.c:12:5: signed integer overflow". Its values may differ from run to run. */
static const char *undefined_at(const char *output, const char *mark, struct darn_text_pool *pool)
{
    static const char words[] = ": runtime error: ";
    const char *what = mark + sizeof(words) - 1, *start = mark;
    size_t length = strcspn(what, ":\n0123456789");

    while (start > output && start[-1] != '\n')
        start--;
    return darn_pool_format(pool, "%.*s: %.*s", (int)(mark - start), start,
                            (int)(length < MOST_LENGTH ? length : MOST_LENGTH), what);
}

/* The program counters of the first stack. Those of callers are looked up one byte before, and the
 * sanitizer has gone back already: they, and the first one, are moved on by one. */
static void take_stack(const char *text, struct darn_block_thread *thread)
{
    const char *line = strstr(text, "\n    #0 0x");

    thread->depth = 0;
    while (line && strncmp(line, "\n    #", 6) == 0 && thread->depth < DARN_BLOCK_STACK) {
        const char *pc = line + 6 + strcspn(line + 6, " \n");

        if (strncmp(pc, " 0x", 3) != 0)
            break;
        thread->stack[thread->depth++] = strtoull(pc + 1, NULL, 16) + 1;
        line = end_of_line(line + 1);
    }
}

/* "… thread T1": it counts threads as we do, in the order in which they are made. */
static void take_thread(const char *text, struct darn_block_thread *thread)
{
    const char *stack = strstr(text, "\n    #0 "), *number = strstr(text, " thread T");

    if (stack && number && number < stack)
        thread->thread = (uint32_t)strtoul(number + 9, NULL, 10);
}

const char *darn_snapshot_sanitizer(const struct darn_snapshot *snapshot,
                                    struct darn_text_pool *pool, struct darn_block_thread *thread)
{
    static const char mark[] = "Sanitizer: ";
    const char *output = snapshot->output, *found = output ? strstr(output, mark) : NULL;
    const char *undefined = output ? strstr(output, ": runtime error: ") : NULL;

    if (found) {
        take_stack(found, thread);
        take_thread(found, thread);
        return error_after(found + sizeof(mark) - 1, pool);
    }
    return undefined ? undefined_at(output, undefined, pool) : NULL;
}
