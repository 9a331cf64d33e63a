/* The words of a story: places, objects, what a thread does, and why another one goes on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/story/snapshot_story.h"
#include "report/symbol/frames.h"
#include "report/symbol/symbolize.h"
#include "report/text/source.h"

#define LONGEST_PATH 24 /* a longer one is shown without its directories */

static const char *position_of(struct darn_story *story, const struct darn_snapshot_place *place)
{
    static const struct darn_style plain;
    const struct darn_style *style = story->snapshot->style ? story->snapshot->style : &plain;
    const char *file = place->file ? darn_style_path(style, place->file) : NULL;
    const char *slash = file ? strrchr(file, '/') : NULL;

    if (!file)
        return "";
    if (slash && slash[1] && strlen(file) > LONGEST_PATH)
        file = slash + 1;
    return place->line ? darn_pool_format(&story->pool, "%s:%u", file, place->line) : file;
}

static const char *source_of(struct darn_story *story, const struct darn_snapshot_place *place)
{
    char *line = darn_source_line(place->dir, place->file, place->line);
    const char *start = line ? line + strspn(line, " \t") : "";
    size_t length = strlen(start);
    char *text;

    while (length && strchr(" \t", start[length - 1]))
        length--;
    text = darn_pool_part(&story->pool, start, length);
    for (char *c = text; *c; c++)
        if (*c == '\t')
            *c = ' ';
    free(line);
    return text;
}

const struct darn_story_place *darn_story_place(struct darn_story *story, enum darn_step_op op,
                                                uint64_t place)
{
    static const struct darn_story_place nowhere = {.position = "", .source = ""};
    struct darn_story_place *found;

    if (!place)
        return &nowhere;
    found = (struct darn_story_place *)darn_map_get(&story->places, place, 0);
    if (found)
        return found;
    found = darn_pool_get(&story->pool, 1, sizeof(*found));
    found->place = darn_snapshot_place(story->snapshot, &story->pool, op, place);
    /* Where the C++ library locks its mutex is the same for all. */
    if (darn_frame_is_library(&(struct darn_frame){.file = found->place.file}))
        found->place = (struct darn_snapshot_place){.file = NULL};
    found->position = position_of(story, &found->place);
    found->source = source_of(story, &found->place);
    darn_map_put(&story->places, place, (uintptr_t)found);
    return found;
}

const struct darn_story_place *darn_story_where(struct darn_story *story,
                                                const struct darn_block_thread *thread)
{
    const struct darn_story_place *place =
        darn_story_place(story, (enum darn_step_op)thread->op, thread->place);

    for (size_t i = 0; !*place->position && i < thread->depth && i < DARN_BLOCK_STACK; i++)
        place = darn_story_place(story, DARN_STEP_CALL, thread->stack[i]);
    return place;
}

struct darn_story_object *darn_story_object(struct darn_story *story, uint64_t address)
{
    struct darn_story_object *object;

    if (!address)
        return NULL;
    object = (struct darn_story_object *)darn_map_get(&story->objects, address, 0);
    if (!object) {
        object = darn_pool_get(&story->pool, 1, sizeof(*object));
        darn_map_put(&story->objects, address, (uintptr_t)object);
    }
    return object;
}

static bool is_taken(const struct darn_story *story, const char *name)
{
    for (size_t i = 0; i < story->name_count; i++)
        if (strcmp(story->names[i], name) == 0)
            return true;
    return false;
}

/* What lies on the heap has the name that the source has for it where it is met first; a second
 * `node->lock` becomes `node->lock#2`. A number is easier to follow than an address. */
static const char *borrow_name(struct darn_story *story, enum darn_step_op op, uint64_t place)
{
    const char *kind = op == DARN_STEP_READLOCK || op == DARN_STEP_WRITELOCK
                           ? "lock"
                           : darn_snapshot_target_kind(op);
    const char *base =
        darn_snapshot_argument(&story->pool, &darn_story_place(story, op, place)->place);
    const char *name = base ? base : darn_pool_format(&story->pool, "%s#1", kind);

    for (unsigned i = 2; is_taken(story, name); i++)
        name = darn_pool_format(&story->pool, "%s#%u", base ? base : kind, i);
    return name;
}

const char *darn_story_name(struct darn_story *story, enum darn_step_op op, uint64_t place,
                            uint64_t address)
{
    struct darn_story_object *object = darn_story_object(story, address);
    bool waits = darn_snapshot_target_kind(op);
    struct darn_symbol symbol;

    if (!object || object->name)
        return object ? object->name : "";
    symbol = darn_snapshot_symbol(story->snapshot, &story->pool, address);
    if (symbol.name && waits)
        object->name = darn_symbolize_part(story->snapshot->modules, &story->pool, &symbol);
    if (!object->name && symbol.name && symbol.name_offset)
        object->name =
            darn_pool_format(&story->pool, "%s+%" PRIu64, symbol.name, symbol.name_offset);
    else if (!object->name)
        object->name = symbol.name ? symbol.name : waits ? borrow_name(story, op, place) : "";
    if (waits && story->name_count < sizeof(story->names) / sizeof(story->names[0]))
        story->names[story->name_count++] = object->name;
    return object->name;
}

/* Of whom the step tells whose beginning or end it is about; -1: nobody knows. */
static int64_t other_thread(struct darn_story *story, uint64_t index)
{
    const struct darn_step *step = &story->steps[index];

    if (step->op == DARN_STEP_CREATE) {
        int64_t created = 0;

        for (uint64_t i = 0; i <= index; i++)
            created += story->steps[i].op == DARN_STEP_CREATE;
        return created;
    }
    if (darn_step_names_thread((enum darn_step_op)step->op) && step->object &&
        step->object <= UINT32_MAX)
        return (int64_t)step->object;
    return -1;
}

static const char *verb_of(enum darn_step_op op)
{
    switch (op) {
    case DARN_STEP_START:
        return "starts";
    case DARN_STEP_FINISH:
        return "ends the process";
    case DARN_STEP_EXIT:
        return "ends";
    case DARN_STEP_READLOCK:
        return "read-lock";
    case DARN_STEP_WRITELOCK:
        return "write-lock";
    case DARN_STEP_RWUNLOCK:
        return "unlock";
    case DARN_STEP_RELOCK:
        return "relock";
    case DARN_STEP_WAKE:
        return "is woken";
    case DARN_STEP_CALL:
        return "system call";
    case DARN_STEP_SPIN:
        return "spin on";
    case DARN_STEP_BARRIER:
        return "come to";
    default:
        return darn_step_op_name(op) ? darn_step_op_name(op) : "?";
    }
}

static bool has_object(enum darn_step_op op)
{
    return darn_snapshot_has_site(op) || (op != DARN_STEP_WAKE && darn_snapshot_target_kind(op));
}

/* What the site calls it, if there is one. */
static const char *what(struct darn_story *story, enum darn_step_op op, uint64_t place,
                        uint64_t object)
{
    const char *variable = NULL;

    if (darn_step_ends(op) || op == DARN_STEP_USE)
        variable = darn_snapshot_argument(&story->pool, &darn_story_place(story, op, place)->place);
    if (!has_object(op))
        return variable ? variable : "";
    if (darn_snapshot_has_site(op))
        variable = darn_story_place(story, op, place)->place.variable;
    if (!variable)
        variable = darn_story_name(story, op, place, object);
    return *variable || !darn_snapshot_has_site(op) ? variable : "memory";
}

const char *darn_story_deed(struct darn_story *story, enum darn_step_op op, uint64_t place,
                            uint64_t object)
{
    const char *name = what(story, op, place, object);

    return *name ? darn_pool_format(&story->pool, "%s %s", verb_of(op), name) : verb_of(op);
}

const char *darn_story_action(struct darn_story *story, uint64_t index)
{
    const struct darn_step *step = &story->steps[index];
    const char *text =
        darn_story_deed(story, (enum darn_step_op)step->op, step->place, step->object);
    int64_t other = -1;

    if (step->op == DARN_STEP_CREATE || step->op == DARN_STEP_JOIN ||
        step->op == DARN_STEP_DETACH || step->op == DARN_STEP_CANCEL)
        other = other_thread(story, index);
    if (other >= 0)
        text = darn_pool_format(&story->pool, "%s T%" PRId64, text, other);
    if (step->flags & DARN_STEP_TIMED_OUT)
        text = darn_pool_format(&story->pool, "%s (timed out)", text);
    return text;
}

static const char *wait_text(struct darn_story *story, enum darn_step_op op, uint64_t place,
                             uint64_t object, int64_t other)
{
    switch (op) {
    case DARN_STEP_JOIN:
        if (other >= 0)
            return darn_pool_format(&story->pool, "waits for the end of T%" PRId64, other);
        return "waits for the end of a thread";
    case DARN_STEP_SPIN:
        return darn_pool_format(&story->pool, "waits for a change of %s",
                                what(story, op, place, object));
    case DARN_STEP_CALL:
        return "is in a system call";
    case DARN_STEP_SLEEP:
        return "sleeps";
    case DARN_STEP_YIELD:
        return "yields";
    case DARN_STEP_FINISH:
        return "is at the end of the process";
    case DARN_STEP_LOCK:
    case DARN_STEP_READLOCK:
    case DARN_STEP_WRITELOCK:
    case DARN_STEP_RELOCK:
    case DARN_STEP_WAIT:
    case DARN_STEP_TAKE:
    case DARN_STEP_BARRIER:
    case DARN_STEP_ONCE:
        return darn_pool_format(&story->pool, "waits for %s", what(story, op, place, object));
    default:
        return NULL;
    }
}

/* Why the thread cannot go on: by what it did last, and what it does next or would have done. */
static const char *obstacle(struct darn_story *story, uint64_t last, uint64_t next)
{
    const struct darn_step *step = &story->steps[last];
    const struct darn_block_thread *end;
    const char *text = NULL;

    switch (step->op) {
    case DARN_STEP_EXIT:
        return "has ended";
    case DARN_STEP_WAIT:
    case DARN_STEP_YIELD:
    case DARN_STEP_SLEEP:
        return wait_text(story, (enum darn_step_op)step->op, step->place, step->object, -1);
    default:
        break;
    }
    if (next < story->count) {
        step = &story->steps[next];
        text = wait_text(story, (enum darn_step_op)step->op, step->place, step->object,
                         step->op == DARN_STEP_JOIN ? other_thread(story, next) : -1);
    } else if ((end = darn_snapshot_thread(story->snapshot, step->thread)) &&
               end->state == DARN_STATE_OUTSIDE) {
        text = "is in a system call";
    } else if (end && darn_snapshot_is_blocked(story->snapshot, end)) {
        text = wait_text(story, (enum darn_step_op)end->op, end->place, end->object,
                         end->op == DARN_STEP_JOIN && end->owner ? (int64_t)end->owner - 1 : -1);
    }
    return text ? text : "gives way";
}

/* The last step that the thread itself has made before `index`. */
static uint64_t last_of(const struct darn_story *story, uint64_t index, uint32_t thread)
{
    while (index-- > 0)
        if (story->steps[index].thread == thread && story->steps[index].op != DARN_STEP_WAKE)
            return index;
    return 0;
}

const char *darn_story_intention(struct darn_story *story, uint32_t thread, uint64_t next)
{
    const struct darn_block_thread *end;

    if (next < story->count)
        return darn_story_action(story, next);
    end = darn_snapshot_thread(story->snapshot, thread);
    if (!end || end->state == DARN_STATE_NONE || end->state == DARN_STATE_ENDED || !end->op)
        return NULL;
    return darn_story_deed(story, (enum darn_step_op)end->op, end->place, end->object);
}

const char *darn_story_reason(struct darn_story *story, const struct darn_row *row, unsigned room)
{
    const struct darn_step *step = &story->steps[row->step];
    uint64_t last = last_of(story, row->step, row->from), next = story->next[last];
    const char *text = darn_pool_format(&story->pool, "T%u ", row->from), *about, *longer;

    while (next < story->count && story->steps[next].op == DARN_STEP_WAKE)
        next = story->next[next];
    if (step->flags & DARN_STEP_FORCED)
        return darn_pool_format(&story->pool, "%sis stuck in a call", text);
    if (!(step->flags & DARN_STEP_PREEMPTS))
        return darn_pool_format(&story->pool, "%s%s", text, obstacle(story, last, next));
    text = darn_pool_format(&story->pool, "%sis interrupted", text);
    about = darn_story_intention(story, row->from, next);
    if (!about)
        return text;
    longer = darn_pool_format(&story->pool, "%s before: %s", text, about);
    return darn_columns(longer) <= room ? longer : text;
}

const char *darn_story_wait(struct darn_story *story, const struct darn_block_thread *thread)
{
    int64_t other = thread->op == DARN_STEP_JOIN && thread->owner ? (int64_t)thread->owner - 1 : -1;
    const char *text;

    switch (darn_snapshot_is_blocked(story->snapshot, thread) ? DARN_STATE_BLOCKED
                                                              : thread->state) {
    case DARN_STATE_BLOCKED:
        text =
            wait_text(story, (enum darn_step_op)thread->op, thread->place, thread->object, other);
        if (!text)
            return "cannot go on";
        if (thread->owner && thread->op != DARN_STEP_JOIN)
            text = thread->owner - 1 == thread->thread
                       ? darn_pool_format(&story->pool, "%s, which it holds itself", text)
                       : darn_pool_format(&story->pool, "%s, which T%u holds", text,
                                          thread->owner - 1);
        return text;
    case DARN_STATE_OUTSIDE:
        return "is in a system call";
    case DARN_STATE_ASLEEP:
        return "sleeps";
    case DARN_STATE_READY:
    case DARN_STATE_RUNNING:
        if (thread->op == DARN_STEP_START)
            return "is about to start";
        return darn_pool_format(
            &story->pool, "is before: %s",
            darn_story_deed(story, (enum darn_step_op)thread->op, thread->place, thread->object));
    default:
        return NULL;
    }
}
