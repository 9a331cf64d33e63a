#include "report/symbol/resolve.h"

#include <string.h>

#include "report/call.h"
#include "report/identity.h"
#include "report/shell.h"
#include "report/symbol/demangle.h"
#include "report/symbol/frames.h"
#include "report/symbol/symbolize.h"
#include "report/unit.h"

struct resolver {
    struct darn_text_pool *pool;
    struct darn_modules *modules;
};

/* Drops the outermost frames that would be left out in any case before they are looked up: the
 * debug information of the C library alone takes 100 ms to read. */
static void drop_outer(struct resolver *resolver, struct darn_finding_stack *stack)
{
    struct darn_frame found[DARN_SYMBOLIZE_DEPTH];

    for (; stack->count > 1; stack->count--) {
        const struct darn_frame *last = &stack->frames[stack->count - 1];
        size_t depth;

        if (darn_frame_is_libc(last))
            continue;
        depth = darn_symbolize_code(resolver->modules, resolver->pool, last->module,
                                    last->offset - 1, found);
        if (!darn_frame_is_outside(&found[depth - 1]))
            return;
    }
}

static bool is_same_function(const struct darn_finding_access *access,
                             const struct darn_frame *frame)
{
    if (frame->line == access->line && frame->file && access->file &&
        strcmp(frame->file, access->file) == 0)
        return true;
    /* The site may say `deposit` where the debug information says `Bank::deposit(int)`. */
    return frame->function && access->function && strstr(frame->function, access->function);
}

/* Adds what is at one address of a raw stack to a stack that has room for it. */
static void add_frames(struct resolver *resolver, struct darn_finding_stack *stack,
                       const struct darn_frame *raw, uint64_t back)
{
    struct darn_frame *found = &stack->frames[stack->count];
    size_t added = darn_symbolize_code(resolver->modules, resolver->pool, raw->module,
                                       raw->offset - (raw->offset ? back : 0), found);

    for (size_t i = 0; i < added; i++) {
        found[i].pc = raw->pc;
        found[i].offset = raw->offset;
    }
    stack->count += added;
}

/* Replaces each raw frame by the frames of the functions that were inlined there. A return address
 * may lie in the next line, or even in the next function: the call is the byte before it. That is
 * right for the first frame too when it is a call, of malloc or of the hook before an access. When
 * it is the access itself the byte before it may be anything: the site (`access` may be NULL)
 * tells. */
static void expand(struct resolver *resolver, struct darn_finding_stack *stack,
                   const struct darn_finding_access *access)
{
    struct darn_finding_stack expanded = {NULL, 0};

    drop_outer(resolver, stack);
    expanded.frames = darn_pool_get(resolver->pool, (stack->count + 1) * DARN_SYMBOLIZE_DEPTH,
                                    sizeof(*expanded.frames));
    for (size_t i = 0; i < stack->count; i++) {
        add_frames(resolver, &expanded, &stack->frames[i], 1);
        if (i == 0 && access && access->has_site &&
            !is_same_function(access, &expanded.frames[0])) {
            expanded.count = 0;
            add_frames(resolver, &expanded, &stack->frames[0], 0);
        }
    }
    *stack = expanded;
    darn_frames_trim(stack);
}

/* One guard speaks for several accesses, and may stand in a function that was inlined before the
 * one of this access: `work` called `add`, then made the access. What is not around the access
 * goes. */
static void drop_neighbours(struct darn_finding_access *access)
{
    struct darn_finding_stack *stack = &access->stack;

    for (size_t i = 0; i < stack->count && stack->frames[i].pc == stack->frames[0].pc; i++) {
        if (is_same_function(access, &stack->frames[i])) {
            stack->frames += i;
            stack->count -= i;
            return;
        }
    }
}

/* The site knows the place exactly, while the code of several accesses may have been merged. */
static void put_site_first(struct resolver *resolver, struct darn_finding_access *access)
{
    struct darn_finding_stack *stack = &access->stack;
    struct darn_frame *top;

    drop_neighbours(access);
    top = stack->frames;
    if (stack->count == 0 || (top->function && !is_same_function(access, top))) {
        struct darn_frame *frames = darn_pool_get(resolver->pool, stack->count + 1, sizeof(*top));

        if (stack->count) {
            memcpy(frames + 1, top, stack->count * sizeof(*top));
            frames[0].module = top->module;
            frames[0].offset = top->offset;
            frames[0].pc = top->pc;
            frames[0].is_cxx = top->is_cxx;
        }
        stack->frames = top = frames;
        stack->count++;
    }
    if (!top->function)
        top->function = access->function;
    top->file = access->file;
    top->dir = access->dir;
    top->line = access->line;
    top->column = access->column;
}

static void take_site_from_stack(struct darn_finding_access *access)
{
    const struct darn_frame *frame = darn_frames_telling(&access->stack);

    if (frame) {
        access->file = frame->file;
        access->dir = frame->dir;
        access->line = frame->line;
        access->column = frame->column;
        access->function = frame->function;
    } else if (access->stack.count && !access->function) {
        access->function = access->stack.frames[0].function;
    }
}

/* One on the heap has no name but that of the source. */
static void name_lock(struct resolver *resolver, struct darn_lock *lock,
                      const struct darn_frame *place)
{
    if (!lock->symbol.name && !lock->expression)
        lock->expression = darn_call_object(resolver->pool, place);
}

static void resolve_lock(struct resolver *resolver, struct darn_lock *lock)
{
    const struct darn_frame *frame;

    darn_symbolize_data(resolver->modules, resolver->pool, &lock->symbol);
    if (lock->symbol.module)
        lock->symbol.part = darn_symbolize_part(resolver->modules, resolver->pool, &lock->symbol);
    if (!lock->stack.count)
        return;
    expand(resolver, &lock->stack, NULL);
    frame = darn_frames_telling(&lock->stack);
    if (!lock->taken.file)
        lock->taken = frame ? *frame : lock->stack.frames[0];
    name_lock(resolver, lock, &lock->taken);
    if (frame && lock->expression)
        lock->expression = darn_call_outside(
            resolver->pool, frame, (size_t)(lock->stack.frames + lock->stack.count - frame),
            lock->expression);
}

/* What the call at the place of the access is about. */
static void resolve_target(struct resolver *resolver, const struct darn_finding_access *access,
                           struct darn_lock *target)
{
    const struct darn_frame place = {
        .file = access->file, .dir = access->dir, .line = access->line, .column = access->column};

    resolve_lock(resolver, target);
    if (target->kind)
        name_lock(resolver, target, &place);
}

static void resolve_access(struct resolver *resolver, struct darn_finding_access *access)
{
    const char *file = access->file;

    access->function = darn_demangle(resolver->pool, access->function);
    access->file = darn_unit_shown(resolver->pool, &access->dir, file);
    if (access->file != file)
        access->site_file = file;
    expand(resolver, &access->stack, access);
    if (access->has_site)
        put_site_first(resolver, access);
    else
        take_site_from_stack(access);
    for (size_t i = 0; i < access->lock_count; i++)
        resolve_lock(resolver, &access->locks[i]);
    resolve_target(resolver, access, &access->target);
    resolve_lock(resolver, &access->mutex);
}

/* What is written through a void pointer has no variable in its site. Of a struct that another file
 * defines the compiler has written down no members: the site has the name of the whole. */
static void name_variable(struct resolver *resolver, struct darn_finding *finding)
{
    const struct darn_symbol *symbol = &finding->location.symbol;
    bool is_whole =
        finding->variable && symbol->name && strcmp(finding->variable, symbol->name) == 0;
    const char *part;

    if ((finding->variable && !finding->variable_is_vague && !is_whole) || !symbol->name)
        return;
    part = darn_symbolize_member(resolver->modules, resolver->pool, symbol, finding->size);
    if (is_whole && (!part || !strchr(part, '.')))
        return; /* no member: the source means the whole, as a buffer that it hands to a call */
    finding->variable_from_symbol = true;
    if (part)
        finding->variable = part;
    else if (symbol->name_offset)
        finding->variable = darn_pool_format(&finding->pool, "%s+%llu", symbol->name,
                                             (unsigned long long)symbol->name_offset);
    else
        finding->variable = symbol->name;
}

/* Who aborts because of an assertion is told from others by the way that leads there. */
static void find_assertion(struct darn_finding *finding)
{
    const struct darn_finding_stack *stack = &finding->accesses[0].stack;

    if (!darn_finding_is(finding, "failure") || !finding->reason ||
        strcmp(finding->reason, "abort") != 0)
        return;
    for (size_t i = 0; i < stack->count; i++)
        if (stack->frames[i].function && strstr(stack->frames[i].function, "__assert_fail"))
            finding->reason = "assertion";
}

void darn_resolve_in(struct darn_finding *finding, struct darn_modules *modules)
{
    struct resolver resolver = {&finding->pool, modules};

    for (size_t i = 0; i < finding->access_count; i++)
        resolve_access(&resolver, &finding->accesses[i]);
    for (size_t i = 0; i < finding->guard_count; i++)
        resolve_lock(&resolver, &finding->guards[i]);
    expand(&resolver, &finding->location.stack, NULL);
    for (size_t i = 0; i < finding->block_count; i++)
        expand(&resolver, &finding->blocks[i].stack, NULL);
    for (size_t i = 0; i < finding->thread_count; i++)
        expand(&resolver, &finding->threads[i].stack, NULL);
    if (finding->location.kind == DARN_LOCATION_GLOBAL)
        darn_symbolize_data(modules, resolver.pool, &finding->location.symbol);
    finding->section.function = darn_demangle(resolver.pool, finding->section.function);
    name_variable(&resolver, finding);
    find_assertion(finding);
    if (!finding->arguments)
        finding->arguments = darn_shell_arguments(resolver.pool, finding->pid, finding->program);
    darn_identify(finding);
}

void darn_resolve(struct darn_finding *finding)
{
    struct darn_modules modules = {NULL};

    darn_resolve_in(finding, &modules);
    darn_modules_close(&modules);
}
