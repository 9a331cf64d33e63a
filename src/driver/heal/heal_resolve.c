/* Signatures of deadlocks, found again in another build of the program. */
#include <stdlib.h>
#include <string.h>

#include "driver/heal/heal_deadlock.h"
#include "driver/heal/heal_call.h"
#include "section/deadlock.h"

#define ROOM (256 << 10)

struct resolving {
    struct darn_listener *listener;
    const char *repository;
    struct darn_heal_module program;
    bool has_program;
    struct darn_words *signatures;
    int lost; /* how many are not found */
};

/* Says why a signature does not match. */
static void say(const struct resolving *resolving, const struct darn_deadlock *deadlock,
                const struct darn_deadlock_frame *frame, const char *why)
{
    darn_tell_note(resolving->listener, "%s:%u: the %s: %s%s%s%s%s",
                   resolving->repository, deadlock->position,
                   deadlock->until ? "order is not kept" : "deadlock is not kept away", why, frame ? ": " : "",
                   !frame         ? ""
                   : frame->calls ? frame->calls
                                  : "a call",
                   frame ? " in " : "",
                   !frame            ? ""
                   : frame->function ? frame->function
                                     : "a function without a name");
}

/* The innermost place must be found; without those further out the gate is less exact, and still
 * right. */
static const char *find_stack(struct resolving *resolving, struct darn_deadlock_stack *stack)
{
    const char *name = resolving->program.name;

    for (uint32_t i = 0; i < stack->count;) {
        uint32_t depth = darn_heal_call_depth(stack, i);
        const char *why = NULL;

        if (strcmp(stack->frames[i].module, name) == 0)
            why = darn_heal_call_find(&resolving->program, &stack->frames[i], depth);
        if (why && i == 0)
            return why;
        if (why)
            stack->count = i;
        i += depth;
    }
    return NULL;
}

static bool find_places(struct resolving *resolving, struct darn_deadlock *deadlock)
{
    for (uint32_t i = 0; i < deadlock->thread_count; i++) {
        struct darn_deadlock_thread *thread = &deadlock->threads[i];
        const char *why = find_stack(resolving, &thread->holds);

        if (why) {
            say(resolving, deadlock, &thread->holds.frames[0], why);
            return false;
        }
        if (find_stack(resolving, &thread->wants))
            thread->wants.count = 0; /* it is there for people only */
    }
    return true;
}

/* The build that the signature is made for, if it is one of this program and not the one at hand.
 */
static const char **other_build(struct resolving *resolving, struct darn_deadlock *deadlock)
{
    for (uint32_t i = 0; resolving->has_program && i < deadlock->module_count; i++) {
        if (strcmp(deadlock->modules[i].name, resolving->program.name) == 0 &&
            strcmp(deadlock->modules[i].build, resolving->program.elf.build) != 0)
            return &deadlock->modules[i].build;
    }
    return NULL;
}

static bool take(void *context, const struct darn_deadlock *deadlock)
{
    struct resolving *resolving = context;
    struct darn_deadlock *copy = malloc(sizeof(*copy));
    const char **build;

    if (!copy)
        return false;
    *copy = *deadlock;
    build = other_build(resolving, copy);
    if (build && find_places(resolving, copy)) {
        *build = resolving->program.elf.build;
        copy->moved = true;
        darn_heal_deadlocks_add(resolving->signatures, copy);
    } else {
        resolving->lost += build != NULL;
        darn_heal_deadlocks_add(resolving->signatures, deadlock);
    }
    free(copy);
    return true;
}

static void say_error(void *context, const struct darn_repository_error *error)
{
    const struct resolving *resolving = context;

    darn_tell_fault(resolving->listener, "%s:%u:%u: %s", resolving->repository, error->line,
                    error->column, error->text);
}

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    size_t room = 0, used = 0;
    char *text = NULL;

    while (file && !feof(file) && !ferror(file)) {
        if (used + 4096 > room) {
            char *more = realloc(text, room = 2 * room + 8192);

            if (!more)
                break;
            text = more;
        }
        used += fread(text + used, 1, room - used, file);
    }
    if (file)
        fclose(file);
    *size = used;
    return text;
}

int darn_heal_deadlocks_resolve(struct darn_listener *listener, const char *repository,
                                const char *program, struct darn_words *signatures)
{
    struct resolving resolving = {
        .listener = listener, .repository = repository, .signatures = signatures};
    struct darn_deadlock *deadlock = malloc(sizeof(*deadlock));
    char *room = malloc(ROOM);
    size_t size;
    char *text = read_all(repository, &size);
    struct darn_deadlock_reader reader = {take, say_error, &resolving, room, ROOM};
    int result = text && room && deadlock ? 0 : -1;

    if (result == 0) {
        resolving.has_program = program && darn_heal_module_open(&resolving.program, program) == 0;
        darn_deadlocks_read(text, size, deadlock, &reader);
        if (resolving.has_program)
            darn_heal_module_close(&resolving.program);
        result = resolving.lost;
    }
    free(text);
    free(room);
    free(deadlock);
    return result;
}
