#include "report/call.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/source.h"

#define MOST_LINES        4  /* of one call */
#define MOST_LINES_BEFORE 12 /* from a place back to the head of its function */
#define LONGEST_NAME      40

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

/* A name and what leads to it; anything longer says less than the line beside it. */
static const char *tidy(const char *text)
{
    text = text ? skip_blanks(text + (*text == '&')) : "";
    return *text && strlen(text) <= LONGEST_NAME && !strpbrk(text, " \t\"'?(){}") ? text : NULL;
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
    return tidy(found);
}

/* `take` of `queue::take(std::mutex*)`; NULL when it is no plain name. */
static const char *plain_name(struct darn_text_pool *pool, const char *function)
{
    size_t end = function ? strcspn(function, "(<") : 0, start = end;

    while (start && is_part_of_name(function[start - 1]))
        start--;
    return start < end ? darn_pool_part(pool, function + start, end - start) : NULL;
}

/* After the bracket that begins the parameters of the function that the place is in, in one of the
 * lines before. */
static const char *parameters_of(struct darn_text_pool *pool, const struct darn_frame *at,
                                 const char *function)
{
    const char *text = "";

    for (unsigned i = 0; i < MOST_LINES_BEFORE && i < at->line; i++) {
        char *line = darn_source_line(at->dir, at->file, at->line - i);
        const char *found;

        text = darn_pool_format(pool, "%s %s", line ? line : "", text);
        free(line);
        found = strstr(text, function);
        if (found && found > text && !is_part_of_name(found[-1]) &&
            (found = arguments_of(found, function)))
            return found;
    }
    return NULL;
}

static bool ends_in(const char *text, const char *name)
{
    size_t length = text ? strlen(text) : 0, part = strlen(name);

    return length > part && strcmp(text + length - part, name) == 0 &&
           !is_part_of_name(text[length - part - 1]);
}

/* What the caller has passed as the parameter `name`. */
static const char *passed(struct darn_text_pool *pool, const struct darn_frame *at,
                          const struct darn_frame *caller, const char *name)
{
    const char *function = plain_name(pool, at->function);
    const char *parameters = function ? parameters_of(pool, at, function) : NULL, *parameter;

    for (unsigned i = 0; parameters && (parameter = argument(pool, parameters, i)); i++)
        if (ends_in(parameter, name))
            return tidy(darn_call_argument(pool, caller, function, i));
    return NULL;
}

const char *darn_call_outside(struct darn_text_pool *pool, const struct darn_frame *frames,
                              size_t count, const char *name)
{
    for (size_t i = 0; i + 1 < count && !*skip_name(name); i++) {
        const char *outside = passed(pool, &frames[i], &frames[i + 1], name);

        if (!outside)
            break;
        name = outside;
    }
    return name;
}
