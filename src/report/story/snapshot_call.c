/*
 * What the source says at a call, where nothing else does: the lock of
 * `pthread_mutex_lock(&queue->lock)`, the function of `pthread_create(&thread, NULL, worker,
 * NULL)`.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/story/snapshot_private.h"
#include "report/text/source.h"

#define MOST_LINES   4 /* of one call */
#define LONGEST_NAME 40

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The source from the place on, a few lines. NULL when there is none. */
static const char *read_call(struct darn_text_pool *pool, const struct darn_snapshot_place *place)
{
    const char *text = "";

    if (!place->file || !place->line || !place->column)
        return NULL;
    for (unsigned i = 0; i < MOST_LINES; i++) {
        char *line = darn_source_line(place->dir, place->file, place->line + i);
        size_t skipped = i ? 0 : place->column - 1;

        text = darn_pool_format(pool, "%s %s", text,
                                line && skipped < strlen(line) ? line + skipped : "");
        free(line);
    }
    return text + strspn(text, " \t");
}

/* After the bracket of a call that has a name with this beginning; NULL if it has not. */
static const char *arguments_of(const char *text, const char *beginning)
{
    if (!text || strncmp(text, beginning, strlen(beginning)) != 0)
        return NULL;
    while (is_part_of_name(*text))
        text++;
    text += strspn(text, " \t");
    return *text == '(' ? text + 1 : NULL;
}

/* The argument with this number, without blanks around it. NULL when there is none. */
static const char *argument(struct darn_text_pool *pool, const char *text, unsigned number)
{
    const char *start = text;
    unsigned depth = 0;

    for (const char *c = text; *c; c++) {
        if (depth == 0 && (*c == ',' || *c == ')')) {
            if (number-- == 0) {
                start += strspn(start, " \t");
                while (c > start && isspace((unsigned char)c[-1]))
                    c--;
                return c > start ? darn_pool_part(pool, start, (size_t)(c - start)) : NULL;
            }
            if (*c == ')')
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

const char *darn_snapshot_argument(struct darn_text_pool *pool,
                                   const struct darn_snapshot_place *place)
{
    static const char *const calls[] = {"pthread_", "sem_", "mtx_", "cnd_", "call_once", "free"};
    const char *text = read_call(pool, place), *found = NULL;

    for (size_t i = 0; !found && i < sizeof(calls) / sizeof(calls[0]); i++)
        found = arguments_of(text, calls[i]);
    found = found ? argument(pool, found, 0) : NULL;
    if (!found)
        return NULL;
    found += *found == '&';
    /* Something shorter than a name: an expression says less than the line beside it. */
    if (!*found || strlen(found) > LONGEST_NAME || strpbrk(found, " \t\"'?(){}"))
        return NULL;
    return found;
}

/* `worker` of `&worker` and `(start *)worker`; NULL of what is no plain name. */
static const char *plain_name(const char *text)
{
    const char *start = text + strlen(text), *before;

    while (start > text && is_part_of_name(start[-1]))
        start--;
    for (before = start; before > text && (before[-1] == '&' || before[-1] == ' ');)
        before--;
    return *start && (before == text || before[-1] == ')') ? start : NULL;
}

static bool is_function(const struct darn_snapshot *snapshot, const char *module, const char *name)
{
    Dwfl_Module *opened = darn_module_open(snapshot->modules, module);
    int count = opened ? dwfl_module_getsymtab(opened) : 0;

    for (int i = 0; i < count; i++) {
        GElf_Sym symbol;
        const char *found = dwfl_module_getsym(opened, i, &symbol, NULL);

        if (found && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && strcmp(found, name) == 0)
            return true;
    }
    return false;
}

const char *darn_snapshot_started(const struct darn_snapshot *snapshot, struct darn_text_pool *pool,
                                  uint64_t creation)
{
    struct darn_snapshot_place place =
        darn_snapshot_place(snapshot, pool, DARN_STEP_CREATE, creation);
    uint64_t offset;
    const char *module = darn_snapshot_locate(snapshot, pool, creation, &offset);
    const char *text = module ? read_call(pool, &place) : NULL, *found, *name;

    if ((found = arguments_of(text, "pthread_create")))
        found = argument(pool, found, 2);
    else if ((found = arguments_of(text, "thrd_create")))
        found = argument(pool, found, 1);
    name = found ? plain_name(found) : NULL;
    return name && is_function(snapshot, module, name) ? name : NULL;
}
