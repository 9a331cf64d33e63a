#include <stdlib.h>
#include <string.h>

#include "report/fix/patch_private.h"
#include "report/text/source.h"

/* Behind the parenthesis that closes the one at `open`; NULL when it stays open in the line. */
static const char *behind(const char *open)
{
    int depth = 0;

    for (const char *at = open; *at; at++) {
        depth += (*at == '(' || *at == '{') - (*at == ')' || *at == '}');
        if (!depth)
            return at + 1;
    }
    return NULL;
}

static const char *find_guard_object(const char *line)
{
    const char *at = strstr(line, "lock_guard");

    if (!at)
        at = strstr(line, "unique_lock");
    return at ? at : strstr(line, "scoped_lock");
}

#define NAMES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* `std::lock_guard<std::mutex> guard(m);` holds m, and with `*queue->m` what that points to. */
static bool read_guard_object(struct darn_text_pool *pool, const char *line,
                              struct darn_guard_words *words)
{
    const char *at = find_guard_object(line);
    const char *open = at ? strpbrk(at, "({") : NULL, *end = open ? behind(open) : NULL;
    const char *mutex, *with;

    if (!end || memchr(open, ',', (size_t)(end - open)))
        return false;
    mutex = darn_pool_part(pool, open + 1, (size_t)(end - open) - 2);
    with = *mutex == '*' ? "->" : ".";
    mutex += *mutex == '*';
    if (strspn(mutex, NAMES ".:->[]()") != strlen(mutex))
        return false;
    words->take = darn_pool_format(pool, "%s%slock();", mutex, with);
    words->give = darn_pool_format(pool, "%s%sunlock();", mutex, with);
    words->name = darn_text_last_name(pool, mutex);
    return true;
}

/* `name` with one part replaced, as `pthread_rwlock_unlock` of `pthread_rwlock_rdlock`. */
static const char *with_part(struct darn_text_pool *pool, const char *name, size_t length,
                             const char *part, const char *other)
{
    const char *at = NULL;

    for (const char *next = name; (next = strstr(next, part)) && next < name + length; next++)
        at = next;
    if (!at)
        return NULL;
    return darn_pool_format(pool, "%.*s%s%.*s", (int)(at - name), name, other,
                            (int)(length - (size_t)(at - name) - strlen(part)), at + strlen(part));
}

/* The functions that take and give back, of the one that was called. */
static bool name_functions(struct darn_text_pool *pool, const char *name, size_t length,
                           const char **take, const char **give)
{
    static const struct {
        const char *part, *take, *give;
    } table[] = {
        {"trywrlock", "wrlock", "unlock"}, {"tryrdlock", "wrlock", "unlock"},
        {"trylock", "lock", "unlock"},     {"rdlock", "wrlock", "unlock"},
        {"wrlock", "wrlock", "unlock"},    {"set_lock", "set_lock", "unset_lock"},
        {"lock", "lock", "unlock"},        {"Lock", "Lock", "Unlock"},
        {"LOCK", "LOCK", "UNLOCK"},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        *take = with_part(pool, name, length, table[i].part, table[i].take);
        *give = with_part(pool, name, length, table[i].part, table[i].give);
        if (*take && *give)
            return true;
    }
    return false;
}

/* Where the name, with `x->` before it if it is a method, begins. */
static const char *begin_of(const char *line, const char *at)
{
    while (at > line && (darn_text_is_of_name(at[-1]) || strchr(".->[]:", at[-1])))
        at--;
    return at;
}

/* The first call in the line whose name says that it takes a lock. */
static bool read_call(struct darn_text_pool *pool, const char *line, struct darn_guard_words *words)
{
    for (const char *open = line; (open = strchr(open, '(')); open++) {
        const char *name = open, *start, *take, *give, *end = behind(open);

        while (name > line && darn_text_is_of_name(name[-1]))
            name--;
        if (name == open || !end ||
            strstr(darn_pool_part(pool, name, (size_t)(open - name)), "nlock") ||
            !name_functions(pool, name, (size_t)(open - name), &take, &give))
            continue;
        start = begin_of(line, name);
        words->take = darn_pool_format(pool, "%.*s%s%.*s;", (int)(name - start), start, take,
                                       (int)(end - open), open);
        words->give = darn_pool_format(pool, "%.*s%s%.*s;", (int)(name - start), start, give,
                                       (int)(end - open), open);
        words->name = darn_text_last_name(
            pool, name > start && name[-1] != ':'
                      ? darn_pool_part(pool, start, (size_t)(name - start))
                      : darn_pool_part(pool, open + 1, (size_t)(end - open) - 2));
        return true;
    }
    return false;
}

/* No line can be read, but it is a global. */
static bool name_global(struct darn_text_pool *pool, const struct darn_lock *lock,
                        struct darn_guard_words *words)
{
    const char *name = lock->symbol.part ? lock->symbol.part : lock->symbol.name;

    if (!name || (!lock->symbol.part && lock->symbol.name_offset) || !lock->kind ||
        strcmp(lock->kind, "mutex") != 0)
        return false;
    words->take = darn_pool_format(pool, "pthread_mutex_lock(&%s);", name);
    words->give = darn_pool_format(pool, "pthread_mutex_unlock(&%s);", name);
    words->name = darn_text_last_name(pool, name);
    return true;
}

/* As the files are that the patch is for. */
static char *read_line(const struct darn_patch *patch, const struct darn_frame *frame)
{
    const char *name;
    char *path = frame->file && frame->line
                     ? darn_patch_find(&patch->place, frame->dir, frame->file, &name)
                     : NULL;
    char *line = path ? darn_source_line(NULL, path, frame->line) : NULL;

    free(path);
    return line;
}

/* `inner`: the function that the line calls to take the lock; NULL: any. */
static bool read_frame(const struct darn_patch *patch, struct darn_text_pool *pool,
                       const struct darn_frame *frame, const char *inner,
                       struct darn_guard_words *words)
{
    char *line = read_line(patch, frame);
    const char *at = line && inner ? darn_text_word(line, inner) : line;
    bool known = at && (find_guard_object(at) ? read_guard_object(pool, at, words)
                                              : read_call(pool, at, words));

    free(line);
    return known;
}

/* Of functions that only take a lock (`safe_mutex_lock(m)`) the outermost is the one that others
 * call: within it the lock has the name of its argument. */
bool darn_guard_words_of(struct darn_patch *patch, const struct darn_lock *lock,
                         struct darn_guard_words *words)
{
    struct darn_text_pool *pool = &patch->pool;
    bool known = false;

    *words = (struct darn_guard_words){.take = NULL};
    for (size_t i = 0; i < lock->stack.count; i++) {
        const char *inner = known ? lock->stack.frames[i - 1].function : NULL;

        if (known && (!inner || !strstr(inner, "lock")))
            break;
        if (read_frame(patch, pool, &lock->stack.frames[i], inner, words))
            known = true;
        else if (known)
            break;
    }
    return known || name_global(pool, lock, words);
}

void darn_guard_words_new(struct darn_text_pool *pool, const char *variable, const char *suffix,
                          const struct darn_source *source, struct darn_guard_words *words)
{
    const char *last = variable ? darn_text_last_name(pool, variable) : "";
    const char *name = darn_pool_format(pool, "%s%s", *last ? last : "new", suffix);
    bool is_std = darn_text_is_cxx(source->file) && !darn_source_mentions(source, "pthread.h");
    const char *type = is_std ? "std::mutex" : "pthread_mutex_t";

    *words = (struct darn_guard_words){
        .take = darn_pool_format(pool, is_std ? "%s.lock();" : "pthread_mutex_lock(&%s);", name),
        .give =
            darn_pool_format(pool, is_std ? "%s.unlock();" : "pthread_mutex_unlock(&%s);", name),
        .name = name,
        .declaration = darn_pool_format(
            pool, is_std ? "%s %s;" : "%s %s = PTHREAD_MUTEX_INITIALIZER;", type, name),
        .header = is_std ? "<mutex>" : "<pthread.h>",
        .elsewhere = darn_pool_format(pool, "extern %s %s;", type, name),
    };
}
