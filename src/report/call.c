#include "report/call.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/source.h"

#define MOST_LINES   4 /* of one call */
#define LONGEST_NAME 40

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static const char *skip_name(const char *text)
{
    while (is_part_of_name(*text))
        text++;
    return skip_blanks(text);
}

/* The source from the place on, a few lines; *before is what is on the line before it. NULL when
 * there is none. */
static const char *read_call(struct darn_text_pool *pool, const struct darn_frame *at,
                             const char **before)
{
    const char *text = "";

    *before = "";
    if (!at->file || !at->line || !at->column)
        return NULL;
    for (unsigned i = 0; i < MOST_LINES; i++) {
        char *line = darn_source_line(at->dir, at->file, at->line + i);
        size_t skipped = i ? 0 : at->column - 1;
        bool has_more = line && skipped < strlen(line);

        if (!i && has_more && skipped)
            *before = darn_pool_part(pool, line, skipped);
        text = darn_pool_format(pool, "%s %s", text, has_more ? line + skipped : "");
        free(line);
    }
    return skip_blanks(text);
}

/* After the bracket of a call that has a name with this beginning; NULL if it has not. */
static const char *arguments_of(const char *text, const char *beginning)
{
    if (!text || strncmp(text, beginning, strlen(beginning)) != 0)
        return NULL;
    text = skip_name(text);
    return *text == '(' ? text + 1 : NULL;
}

/* The argument with this number, without blanks around it. NULL when there is none. */
static const char *argument(struct darn_text_pool *pool, const char *text, unsigned number)
{
    const char *start = text;
    unsigned depth = 0;

    for (const char *c = text; *c; c++) {
        if (depth == 0 && strchr(",)}", *c)) {
            if (number-- == 0) {
                start = skip_blanks(start);
                while (c > start && isspace((unsigned char)c[-1]))
                    c--;
                return c > start ? darn_pool_part(pool, start, (size_t)(c - start)) : NULL;
            }
            if (*c != ',')
                return NULL;
            start = c + 1;
        }
        if (strchr("([{", *c))
            depth++;
        else if (strchr(")]}", *c) && depth)
            depth--;
    }
    return NULL;
}

const char *darn_call_argument(struct darn_text_pool *pool, const struct darn_frame *at,
                               const char *beginning, unsigned number)
{
    const char *before;
    const char *found = arguments_of(read_call(pool, at, &before), beginning);

    return found ? argument(pool, found, number) : NULL;
}

static bool is_one_of(const char *text, const char *const *names)
{
    for (; *names; names++)
        if (strncmp(text, *names, strlen(*names)) == 0 && !is_part_of_name(text[strlen(*names)]))
            return true;
    return false;
}

/* `std::lock_guard<std::mutex> guard(queue->lock)`: the place is that of the variable. */
static const char *guarded(struct darn_text_pool *pool, const char *text, const char *before)
{
    static const char *const guards[] = {"lock_guard", "unique_lock", "shared_lock", "scoped_lock"};
    const char *statement = before + strlen(before);
    bool is_guard = false;

    while (statement > before && !strchr(";{}", statement[-1]))
        statement--;
    for (size_t i = 0; i < sizeof(guards) / sizeof(guards[0]); i++)
        is_guard |= strstr(statement, guards[i]) != NULL;
    text = skip_name(text);
    return is_guard && (*text == '(' || *text == '{') ? argument(pool, text + 1, 0) : NULL;
}

/* `queue->lock.lock()`: the place is that of the method. */
static const char *receiver(struct darn_text_pool *pool, const char *text, const char *before)
{
    static const char *const methods[] = {
        "lock", "try_lock", "unlock", "lock_shared", "try_lock_shared", "unlock_shared", NULL};
    const char *end = before + strlen(before), *start;

    if (!is_one_of(text, methods) || *skip_name(text) != '(')
        return NULL;
    if (end > before && end[-1] == '.')
        end--;
    else if (end - before > 1 && strncmp(end - 2, "->", 2) == 0)
        end -= 2;
    else
        return NULL;
    for (start = end;
         start > before && (is_part_of_name(start[-1]) || strchr(".->[]:", start[-1]));)
        start--;
    return end > start ? darn_pool_part(pool, start, (size_t)(end - start)) : NULL;
}

const char *darn_call_object(struct darn_text_pool *pool, const struct darn_frame *at)
{
    static const char *const calls[] = {"pthread_",  "sem_", "mtx_",  "cnd_",
                                        "call_once", "free", "close", "fclose"};
    const char *before, *text = read_call(pool, at, &before), *found = NULL;

    for (size_t i = 0; !found && i < sizeof(calls) / sizeof(calls[0]); i++)
        found = arguments_of(text, calls[i]);
    if (found)
        found = argument(pool, found, 0);
    if (!found && text)
        found = guarded(pool, text, before);
    if (!found && text)
        found = receiver(pool, text, before);
    if (!found)
        return NULL;
    found = skip_blanks(found + (*found == '&'));
    /* Something shorter than a name: an expression says less than the line beside it. */
    if (!*found || strlen(found) > LONGEST_NAME || strpbrk(found, " \t\"'?(){}"))
        return NULL;
    return found;
}
