/*
 * A failure that no race explains, but one switch. Between two critical sections of a thread
 * another one had the same lock: both belong together, whatever they are about, and nobody shall
 * have the lock in between. Or between two accesses of a thread another one made an access to the
 * same variable that could not have come before both nor after both.
 */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "driver/heal/signature.h"
#include "schedule/op.h"
#include "schedule/schedule.h"

/* What the schedule and the story of a failure say. */
struct telling {
    struct darn_schedule *schedule;
    json_t *story;
};

/* A time in which a lock was held: steps of the schedule. */
struct held {
    uint64_t thread, lock, from, to;
};

static uint64_t number_at(const json_t *list, size_t index)
{
    return (uint64_t)json_integer_value(json_array_get(list, index));
}

static bool is_taking(const struct telling *telling, const struct held *held)
{
    const struct darn_schedule_step *step = &telling->schedule->steps[held->from];

    return held->from < telling->schedule->step_count && step->thread == held->thread &&
           step->op == DARN_STEP_LOCK && step->place.module < telling->schedule->module_count;
}

/* The first one from this step on, of the thread or of any other, with this lock. */
static bool find_next(const struct telling *telling, const struct held *like, bool by_thread,
                      struct held *found)
{
    const json_t *holds = json_object_get(telling->story, "holds");
    bool any = false;

    for (size_t i = 0; i + 3 < json_array_size(holds); i += 4) {
        struct held held = {number_at(holds, i), number_at(holds, i + 1), number_at(holds, i + 2),
                            number_at(holds, i + 3)};

        if (held.from < like->from || held.lock != like->lock ||
            (held.thread == like->thread) != by_thread || !is_taking(telling, &held) ||
            (any && held.from >= found->from))
            continue;
        *found = held;
        any = true;
    }
    return any;
}

/* The three: the last one that the interrupted thread has given back before the switch, the next
 * one that it takes, of the same lock, and that of another thread in between. */
static bool find_three(const struct telling *telling, struct held three[3])
{
    const json_t *holds = json_object_get(telling->story, "holds");
    const struct darn_schedule *schedule = telling->schedule;
    bool any = false;

    for (size_t i = 0; i + 3 < json_array_size(holds); i += 4) {
        struct held held = {number_at(holds, i), number_at(holds, i + 1), number_at(holds, i + 2),
                            number_at(holds, i + 3)};
        struct held like = {held.thread, held.lock, schedule->essential, 0}, next, other;

        if (held.thread != schedule->instead || held.to >= schedule->essential ||
            !is_taking(telling, &held) || (any && held.to < three[0].to) ||
            !find_next(telling, &like, true, &next) || !find_next(telling, &like, false, &other) ||
            other.from >= next.from)
            continue;
        three[0] = held;
        three[1] = next;
        three[2] = other;
        any = true;
    }
    return any;
}

/* Where it was taken: the address is that of the schedule, the words are those of the story. */
static int add_place(struct darn_signature *making, const struct telling *telling, uint32_t number,
                     const struct held *held)
{
    const struct darn_schedule_place *place = &telling->schedule->steps[held->from].place;
    const json_t *steps = json_object_get(telling->story, "steps");
    const json_t *deed = json_array_get(json_object_get(telling->story, "deeds"),
                                        number_at(steps, 3 * held->from + 1));
    const json_t *words =
        json_array_get(json_object_get(telling->story, "places"),
                       (size_t)json_integer_value(json_object_get(deed, "place")));
    struct darn_frame frame = {
        .function = json_string_value(json_object_get(words, "function")),
        .file = json_string_value(json_object_get(words, "file")),
        .line = (unsigned)json_integer_value(json_object_get(words, "line")),
        .module = telling->schedule->modules[place->module],
        .offset = place->offset,
    };
    struct darn_finding_stack stack = {&frame, 1};
    struct darn_deadlock_stack *to = &making->deadlock.threads[number].holds;

    making->deadlock.thread_count++;
    return darn_signature_add_stack(making, to, &stack) ||
                   darn_signature_describe(making, to, DARN_BY_LOCK)
               ? -1
               : 0;
}

static const char *name_of(const struct telling *telling, uint64_t lock)
{
    return json_string_value(json_array_get(json_object_get(telling->story, "locks"), lock));
}

static int make_switch(struct darn_signature *making, const struct darn_finding *failure)
{
    const struct telling *telling = making->context;
    struct held three[3];

    (void)failure;
    if (!telling->schedule->essential)
        return darn_signature_refuse(making, "no single switch is known that leads to it");
    if (!find_three(telling, three))
        return darn_signature_refuse(making, "the switch that leads to it is not between two "
                                             "critical sections of one lock");
    making->deadlock.locks = name_of(telling, three[0].lock);
    making->deadlock.until = DARN_UNTIL_THROUGH;
    for (uint32_t i = 0; i < 3; i++)
        if (add_place(making, telling, i, &three[i]))
            return -1;
    if (making->deadlock.threads[0].holds.frames[0].offset ==
        making->deadlock.threads[1].holds.frames[0].offset)
        return darn_signature_refuse(making, "the two critical sections are the same code");
    return 0;
}

/* ---- what the finding's directory has ---- */

static bool open_telling(struct telling *telling, const char *directory)
{
    char path[PATH_MAX + 32], error[512];
    FILE *file;

    *telling = (struct telling){NULL, NULL};
    snprintf(path, sizeof(path), "%s/story.json", directory);
    telling->story = *directory ? json_load_file(path, 0, NULL) : NULL;
    snprintf(path, sizeof(path), "%s/schedule", directory);
    file = telling->story ? fopen(path, "re") : NULL;
    if (file) {
        telling->schedule = darn_schedule_read(file, error, sizeof(error));
        fclose(file);
    }
    return telling->schedule;
}

static void close_telling(struct telling *telling)
{
    if (telling->schedule)
        darn_schedule_free(telling->schedule);
    json_decref(telling->story);
}

int darn_heal_switch_from(const struct darn_finding *failure, const char *directory,
                          struct darn_words *signatures, struct darn_heal_why *why)
{
    struct telling telling;
    int result = -1;

    snprintf(why->text, sizeof(why->text), "no race and no section is known to lead to it");
    if (open_telling(&telling, directory))
        result = darn_signature_make(make_switch, failure, &telling, signatures, why);
    close_telling(&telling);
    return result;
}

/* ---- accesses ---- */

/* What the step does, if it is an access. */
static bool access_at(const struct telling *telling, size_t step,
                      struct darn_finding_access *access)
{
    static const struct {
        const char *word;
        enum darn_op op;
    } ops[] = {{"read", DARN_OP_READ}, {"write", DARN_OP_WRITE}, {"update", DARN_OP_UPDATE}};
    const json_t *steps = json_object_get(telling->story, "steps");
    const json_t *deed =
        json_array_get(json_object_get(telling->story, "deeds"), number_at(steps, 3 * step + 1));
    const char *word = json_string_value(json_object_get(deed, "op"));
    const json_t *place = json_object_get(deed, "place");
    const json_t *words = json_array_get(json_object_get(telling->story, "places"),
                                         (size_t)json_integer_value(place));

    for (size_t i = 0; i < 3 && word && place; i++) {
        if (strcmp(ops[i].word, word) != 0)
            continue;
        *access = (struct darn_finding_access){
            .op = ops[i].op,
            .file = json_string_value(json_object_get(words, "file")),
            .function = json_string_value(json_object_get(words, "function")),
            .line = (unsigned)json_integer_value(json_object_get(words, "line")),
            .column = (unsigned)json_integer_value(json_object_get(words, "column")),
        };
        return access->file && access->function && access->line;
    }
    return false;
}

/* Whether what others did from the switch to this step is what somebody wants to keep out. */
static bool is_torn(const struct telling *telling, const struct darn_heal_torn *torn,
                    struct darn_finding_access three[3], size_t before, size_t after)
{
    const json_t *steps = json_object_get(telling->story, "steps");

    if (!access_at(telling, before, &three[0]))
        return false;
    for (size_t i = telling->schedule->essential; i < after; i++)
        if (number_at(steps, 3 * i) != telling->schedule->instead &&
            access_at(telling, i, &three[1]) && torn->take(torn->context, three))
            return true;
    return false;
}

bool darn_heal_torn_from(const char *directory, const struct darn_heal_torn *torn)
{
    struct darn_finding_access three[3];
    struct telling telling;
    bool found = false;

    if (open_telling(&telling, directory) && telling.schedule->essential) {
        const json_t *steps = json_object_get(telling.story, "steps");
        uint64_t thread = telling.schedule->instead;

        for (size_t after = telling.schedule->essential;
             after < json_array_size(steps) / 3 && !found; after++) {
            if (number_at(steps, 3 * after) != thread || !access_at(&telling, after, &three[2]))
                continue;
            for (size_t before = telling.schedule->essential; before-- > 0 && !found;)
                if (number_at(steps, 3 * before) == thread)
                    found = is_torn(&telling, torn, three, before, after);
        }
    }
    close_telling(&telling);
    return found;
}
