#include "section/deadlock.h"

#include <string.h>

#include "section/scan.h"

struct reading {
    struct darn_scan scan;
    struct darn_deadlock *deadlock;
    struct darn_problem problem; /* of the signature that is being read */
    const struct darn_deadlock_reader *reader;
    uint32_t errors;
    bool stopped;
    bool is_order; /* the list is that of the orders */
};

/* The build of the module as the signature has it, or NULL. */
static const char *find_build(const struct darn_deadlock *deadlock, const char *module)
{
    for (uint32_t i = 0; i < deadlock->module_count; i++) {
        if (strcmp(deadlock->modules[i].name, module) == 0)
            return deadlock->modules[i].build;
    }
    return NULL;
}

static void locate(const struct reading *reading, size_t at, uint32_t *line, uint32_t *column)
{
    size_t start = 0;

    *line = 1;
    for (size_t i = 0; i < at && i < reading->scan.size; i++) {
        if (reading->scan.text[i] == '\n') {
            ++*line;
            start = i + 1;
        }
    }
    *column = (uint32_t)(at - start) + 1;
}

static void tell(struct reading *reading, struct darn_problem *problem)
{
    struct darn_repository_error error = {.text = problem->room};

    locate(reading, problem->at, &error.line, &error.column);
    problem->is_set = false;
    reading->errors++;
    if (reading->reader->error)
        reading->reader->error(reading->reader->context, &error);
}

/* Calls `item` for each member of an object or item of a list; the key is NULL in a list. */
typedef void (*visit)(struct reading *reading, const char *key, void *to);

static void read_items(struct reading *reading, char open, visit item, void *to)
{
    struct darn_scan *scan = &reading->scan;
    bool is_object = open == '{';
    char close = is_object ? '}' : ']';
    struct darn_scan_string key = {.text = NULL};

    if (darn_scan_peek(scan) != open) {
        darn_scan_refuse(scan, &reading->problem,
                         is_object ? "an object in braces {}" : "a list in brackets []");
        return;
    }
    scan->at++;
    if (darn_scan_peek(scan) == close) {
        scan->at++;
        return;
    }
    do {
        if (is_object && (!darn_scan_string(scan, &key, "a key in quotes") ||
                          !darn_scan_take(scan, ':', "':' behind the key")))
            return;
        item(reading, key.text, to);
    } while (!scan->problem.is_set && !reading->stopped &&
             darn_scan_next(scan, close, is_object ? "',' or '}'" : "',' or ']'") > 0);
}

static char *read_text(struct reading *reading)
{
    struct darn_scan_string string;

    if (darn_scan_peek(&reading->scan) != '"') {
        darn_scan_refuse(&reading->scan, &reading->problem, "a text in quotes");
        return NULL;
    }
    return darn_scan_string(&reading->scan, &string, "a text in quotes") ? string.text : NULL;
}

/* Lower case alone: that is how it is written. */
static bool read_hex(const char *digits, uint64_t *number)
{
    size_t count = strspn(digits, "0123456789abcdef");

    *number = 0;
    for (size_t i = 0; i < count; i++)
        *number =
            *number << 4 | (uint64_t)(digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10);
    return count && count <= 16 && !digits[count];
}

/* `bank+0x12f1`: the module's name may have a plus, too. */
static void set_place(struct reading *reading, struct darn_deadlock_frame *frame)
{
    size_t start = (darn_scan_peek(&reading->scan), reading->scan.at);
    char *text = read_text(reading), *plus = text ? strrchr(text, '+') : NULL;

    if (!text)
        return;
    if (!plus || plus == text || strncmp(plus, "+0x", 3) != 0 ||
        !read_hex(plus + 3, &frame->offset)) {
        darn_problem_say(&reading->problem, start, "'", text, "' is no place as bank+0x12f1");
        return;
    }
    *plus = '\0';
    frame->module = text;
}

/* `1/2`; anything else says nothing. */
static void set_nth(struct reading *reading, struct darn_deadlock_frame *frame)
{
    const char *text = read_text(reading);
    uint32_t numbers[2] = {0, 0};
    int which = 0;

    for (; text && *text; text++) {
        if (*text == '/' && which == 0)
            which = 1;
        else if (*text >= '0' && *text <= '9' && numbers[which] < 100000)
            numbers[which] = numbers[which] * 10 + (uint32_t)(*text - '0');
        else
            return;
    }
    frame->nth = numbers[0];
    frame->of = numbers[1];
}

static void read_frame_member(struct reading *reading, const char *key, void *to)
{
    struct darn_deadlock_frame *frame = to;
    uint64_t line;

    if (strcmp(key, "at") == 0)
        set_place(reading, frame);
    else if (strcmp(key, "function") == 0)
        frame->function = read_text(reading);
    else if (strcmp(key, "file") == 0)
        frame->file = read_text(reading);
    else if (strcmp(key, "calls") == 0)
        frame->calls = read_text(reading);
    else if (strcmp(key, "nth") == 0)
        set_nth(reading, frame);
    else if (strcmp(key, "line") != 0)
        darn_scan_skip(&reading->scan);
    else if (darn_scan_number(&reading->scan, &line, "the number of a line"))
        frame->line = line > UINT32_MAX ? 0 : (uint32_t)line;
}

static void read_frame(struct reading *reading, const char *key, void *to)
{
    struct darn_deadlock_stack *stack = to;
    struct darn_deadlock_frame frame = {.module = NULL};

    (void)key;
    read_items(reading, '{', read_frame_member, &frame);
    if (stack->count < DARN_DEADLOCK_FRAMES) /* those further out do not matter */
        stack->frames[stack->count++] = frame;
}

static bool is_by(const char *key, enum darn_deadlock_by *by)
{
    for (*by = DARN_BY_LOCK; *by <= DARN_BY_END; ++*by) {
        if (strcmp(key, darn_deadlock_by_name(*by)) == 0)
            return true;
    }
    return false;
}

static void read_thread_member(struct reading *reading, const char *key, void *to)
{
    struct darn_deadlock_thread *thread = to;
    enum darn_deadlock_by by;

    if (is_by(key, &by)) {
        thread->by = by;
        thread->holds.count = 0;
        read_items(reading, '[', read_frame, &thread->holds);
    } else if (strcmp(key, "wants") == 0) {
        read_items(reading, '[', read_frame, &thread->wants);
    } else {
        darn_scan_skip(&reading->scan);
    }
}

static void read_thread(struct reading *reading, const char *key, void *to)
{
    static const char too_many[] = "a deadlock has at most 16 threads";
    struct darn_deadlock *deadlock = to;
    struct darn_deadlock_thread *thread;

    (void)key;
    if (deadlock->thread_count == DARN_DEADLOCK_THREADS) {
        darn_problem_say(&reading->problem, reading->scan.at, too_many, "", "");
        darn_scan_skip(&reading->scan);
        return;
    }
    thread = &deadlock->threads[deadlock->thread_count++];
    thread->by = DARN_BY_LOCK;
    thread->holds.count = thread->wants.count = 0;
    read_items(reading, '{', read_thread_member, thread);
}

static void read_build(struct reading *reading, const char *key, void *to)
{
    struct darn_deadlock *deadlock = to;
    const char *build = read_text(reading);

    if (!build)
        return;
    if (deadlock->module_count == DARN_DEADLOCK_MODULES) {
        darn_problem_say(&reading->problem, reading->scan.at, "there are at most 16 builds", "",
                         "");
        return;
    }
    deadlock->modules[deadlock->module_count].name = key;
    deadlock->modules[deadlock->module_count++].build = build;
}

static enum darn_deadlock_until read_until(struct reading *reading)
{
    const char *word = read_text(reading);

    return word ? darn_until_named(word) : DARN_UNTIL_NOTHING;
}

static void read_member(struct reading *reading, const char *key, void *to)
{
    struct darn_deadlock *deadlock = to;

    if (strcmp(key, "locks") == 0) {
        deadlock->locks = read_text(reading);
    } else if (strcmp(key, "until") == 0) {
        deadlock->until = read_until(reading);
    } else if (strcmp(key, "builds") == 0) {
        read_items(reading, '{', read_build, deadlock);
    } else if (strcmp(key, "threads") == 0) {
        read_items(reading, '[', read_thread, deadlock);
    } else {
        deadlock->moved |= strcmp(key, "moved") == 0 && darn_scan_peek(&reading->scan) == 't';
        darn_scan_skip(&reading->scan);
    }
}

/* Who has been started has to be gone: nothing else is known of it. */
static void check_by(struct reading *reading, size_t start)
{
    const struct darn_deadlock *deadlock = reading->deadlock;

    for (uint32_t i = 0; i < deadlock->thread_count; i++) {
        enum darn_deadlock_by by = deadlock->threads[i].by;

        if (by == DARN_BY_LOCK)
            continue;
        if (!reading->is_order || i != (by == DARN_BY_END))
            darn_problem_say(&reading->problem, start,
                             "\"starts\" is for the first thread of an order, \"ends\" for the "
                             "second",
                             "", "");
        else if (deadlock->threads[0].by != DARN_BY_START || deadlock->until != DARN_UNTIL_GONE)
            darn_problem_say(&reading->problem, start,
                             "\"starts\" goes with \"until\" \"gone\", and \"ends\" with "
                             "\"starts\"",
                             "", "");
    }
}

/* What the gate needs: each thread took its lock somewhere. */
static void check(struct reading *reading, size_t start)
{
    const struct darn_deadlock *deadlock = reading->deadlock;

    if (deadlock->thread_count < 2)
        darn_problem_say(&reading->problem, start, "a deadlock has at least two \"threads\"", "",
                         "");
    if (reading->is_order &&
        (!deadlock->until ||
         deadlock->thread_count != (deadlock->until == DARN_UNTIL_THROUGH ? 3 : 2)))
        darn_problem_say(&reading->problem, start,
                         "an order has two \"threads\" and \"until\" \"done\" or \"gone\", or "
                         "three and \"through\"",
                         "", "");
    else if (!reading->is_order && deadlock->until)
        darn_problem_say(&reading->problem, start, "a deadlock has no \"until\"", "", "");
    check_by(reading, start);
    for (uint32_t i = 0; i < deadlock->thread_count; i++) {
        const struct darn_deadlock_stack *holds = &deadlock->threads[i].holds;

        if (!holds->count || !holds->frames[0].module)
            darn_problem_say(&reading->problem, start,
                             "\"holds\" of each thread begins with a frame that has \"at\"", "",
                             "");
        for (uint32_t f = 0; f < holds->count; f++) {
            if (holds->frames[f].module && !find_build(deadlock, holds->frames[f].module))
                darn_problem_say(&reading->problem, start, "\"builds\" does not have '",
                                 holds->frames[f].module, "'");
        }
    }
}

static void read_deadlock(struct reading *reading, const char *key, void *unused)
{
    struct darn_deadlock *deadlock = reading->deadlock;
    size_t start = (darn_scan_peek(&reading->scan), reading->scan.at);

    (void)key;
    (void)unused;
    reading->scan.room_used = 0;
    deadlock->locks = NULL;
    deadlock->moved = false;
    deadlock->until = DARN_UNTIL_NOTHING;
    deadlock->module_count = deadlock->thread_count = 0;
    read_items(reading, '{', read_member, deadlock);
    if (reading->scan.problem.is_set)
        return;
    if (!reading->problem.is_set)
        check(reading, start);
    if (reading->problem.is_set) {
        tell(reading, &reading->problem);
        return;
    }
    locate(reading, start, &deadlock->position, &deadlock->column);
    reading->stopped = !reading->reader->deadlock(reading->reader->context, deadlock);
}

static void read_top(struct reading *reading, const char *key, void *unused)
{
    reading->is_order = strcmp(key, "orders") == 0;
    if (!reading->is_order && strcmp(key, "deadlocks") != 0) {
        reading->scan.room_used = 0;
        darn_scan_skip(&reading->scan);
        return;
    }
    read_items(reading, '[', read_deadlock, unused);
    if (reading->scan.problem.is_set)
        reading->errors++;
    else if (reading->problem.is_set) /* it is no list */
        tell(reading, &reading->problem);
}

uint32_t darn_deadlocks_read(const char *text, size_t size, struct darn_deadlock *deadlock,
                             const struct darn_deadlock_reader *reader)
{
    struct reading reading = {
        .scan = {.text = text, .size = size, .room = reader->room, .room_size = reader->room_size},
        .deadlock = deadlock,
        .reader = reader,
    };

    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        reading.scan.at = 3;
    if (darn_scan_peek(&reading.scan) == '{')
        read_items(&reading, '{', read_top, NULL);
    return reading.errors;
}
