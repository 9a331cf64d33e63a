#include "trace/trace_std.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/number.h"
#include "site/site.h"
#include "trace/trace_rapid.h"

#define FORGET_EACH (1u << 20)
#define SHOWN       60 /* characters of a line in a message */

#define EXPECTED "a line is THREAD|OPERATION|LOCATION, as in T1|acq(L)|12"

/* Every variable has 8 bytes of its own. No name has the address 0. */
#define VARIABLE_SIZE 8
static const uint64_t first_address[DARN_STD_KINDS] = {
    [DARN_STD_VARIABLE] = UINT64_C(0x10000),
    [DARN_STD_LOCK] = UINT64_C(1) << 44,
    [DARN_STD_BLOCK] = UINT64_C(2) << 44,
};

enum operand { OF_THREAD = DARN_STD_KINDS, OF_NOTHING };

static const struct operation {
    const char *name;
    uint8_t event;
    uint8_t operand; /* enum darn_std_kind, or enum operand */
    bool optional;
} operations[] = {
    {"r", DARN_EVENT_READ, DARN_STD_VARIABLE, false},
    {"w", DARN_EVENT_WRITE, DARN_STD_VARIABLE, false},
    {"acq", DARN_EVENT_ACQUIRE, DARN_STD_LOCK, false},
    {"rel", DARN_EVENT_RELEASE, DARN_STD_LOCK, false},
    {"fork", DARN_EVENT_FORK, OF_THREAD, false},
    {"join", DARN_EVENT_JOIN, OF_THREAD, false},
    {"begin", DARN_EVENT_BEGIN, DARN_STD_BLOCK, true},
    {"end", DARN_EVENT_END, DARN_STD_BLOCK, true},
    {"alloc", DARN_EVENT_ALLOC, DARN_STD_VARIABLE, false},
    {"free", DARN_EVENT_FREE, DARN_STD_VARIABLE, false},
    {"destroy", DARN_EVENT_DESTROY, DARN_STD_LOCK, false},
    {"store", DARN_EVENT_POINTER, DARN_STD_VARIABLE, false},
    {"give", DARN_EVENT_POINTER, OF_NOTHING, false},
};

struct piece {
    const char *at, *end;
};

static size_t length(struct piece piece)
{
    return (size_t)(piece.end - piece.at);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct piece trim(struct piece piece)
{
    while (piece.at < piece.end && is_blank(*piece.at))
        piece.at++;
    while (piece.at < piece.end && is_blank(piece.end[-1]))
        piece.end--;
    return piece;
}

/* What stands before the next '|', and is taken away with it. */
static struct piece take_field(struct piece *line)
{
    struct piece field = *line;
    const char *bar = memchr(line->at, '|', length(*line));

    field.end = bar ? bar : line->end;
    line->at = bar ? bar + 1 : line->end;
    return trim(field);
}

void darn_std_open(struct darn_std *std, const struct darn_trace_file *file)
{
    *std = (struct darn_std){.file = file, .is_rapid = darn_rapid_is(file)};
    darn_std_rewind(std);
}

void darn_std_close(struct darn_std *std)
{
    darn_names_free(&std->threads);
    for (int i = 0; i < DARN_STD_KINDS; i++)
        darn_names_free(&std->targets[i]);
    darn_map_free(&std->locations);
    darn_arena_free(&std->arena);
    free(std->sites);
    *std = (struct darn_std){.file = NULL};
}

/* Names keep their numbers. */
void darn_std_rewind(struct darn_std *std)
{
    std->at = std->is_rapid ? DARN_RAPID_HEADER : 0;
    std->forgotten = 0;
    std->line = 1;
    std->damage.found = false;
}

/* Lines may be binary rubbish. */
static const char *show(struct piece piece, char shown[SHOWN + 4])
{
    size_t count = length(piece) < SHOWN ? length(piece) : SHOWN;

    for (size_t i = 0; i < count; i++)
        shown[i] = (unsigned char)piece.at[i] < ' ' || piece.at[i] == 127 ? '?' : piece.at[i];
    strcpy(shown + count, length(piece) > SHOWN ? "..." : "");
    return shown;
}

static int refuse(struct darn_std *std, struct piece piece, const char *what)
{
    char shown[SHOWN + 4];

    return darn_damage(&std->damage, std->line, "'%s' %s", show(piece, shown), what);
}

static const struct operation *find_operation(struct piece name)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
        if (strlen(operations[i].name) == length(name) &&
            memcmp(operations[i].name, name.at, length(name)) == 0)
            return &operations[i];
    return NULL;
}

static uint64_t address_of(struct darn_std *std, enum darn_std_kind kind, struct piece name)
{
    return first_address[kind] +
           VARIABLE_SIZE * darn_names_put(&std->targets[kind], name.at, length(name));
}

/* "store(V,W)": the address of W is stored in V; "give(W)": a new thread gets it. */
static int read_pointer(struct darn_std *std, const struct operation *operation,
                        struct piece operand, struct darn_event *event)
{
    struct piece whole = operand, where = operand;

    if (operation->operand != OF_NOTHING) {
        const char *comma = memrchr(operand.at, ',', length(operand));

        where.end = comma ? comma : operand.at;
        operand.at = comma ? comma + 1 : operand.at;
        where = trim(where);
        operand = trim(operand);
        if (!length(where) || !length(operand))
            return refuse(std, whole, "lacks an operand, as in store(V,W)");
        event->target = address_of(std, DARN_STD_VARIABLE, where);
    }
    event->extra = address_of(std, DARN_STD_VARIABLE, operand);
    return 0;
}

/* "acq(L)": the name of the operation, and what is in its parentheses. */
static int read_operation(struct darn_std *std, struct piece field, struct darn_event *event)
{
    const char *open = memchr(field.at, '(', length(field));
    struct piece name = trim((struct piece){field.at, open ? open : field.end}), operand;
    const struct operation *operation = find_operation(name);

    if (!operation)
        return refuse(std, field,
                      "is no operation; there are r, w, acq, rel, fork, join, begin, end, alloc, "
                      "free, destroy, store and give");
    operand = (struct piece){field.end, field.end};
    if (open && field.end[-1] != ')')
        return refuse(std, field, "lacks its ')'");
    if (open)
        operand = trim((struct piece){open + 1, field.end - 1});
    if (!length(operand) && !operation->optional)
        return refuse(std, field, "lacks its operand, as in acq(L)");
    event->kind = operation->event;
    if (darn_event_is_access(event))
        event->size = VARIABLE_SIZE;
    if (event->kind == DARN_EVENT_ALLOC || darn_event_ends(event))
        event->extra = VARIABLE_SIZE;
    if (darn_event_ends(event))
        event->flags = DARN_EVENT_STAYS;
    if (event->kind == DARN_EVENT_DESTROY)
        event->flags |= darn_event_about(DARN_EVENT_IS_MUTEX);
    if (event->kind == DARN_EVENT_POINTER)
        return read_pointer(std, operation, operand, event);
    if (operation->operand == OF_THREAD)
        event->target = darn_names_put(&std->threads, operand.at, length(operand));
    else if (length(operand))
        event->target = address_of(std, operation->operand, operand);
    return 0;
}

/* The site of a location; the first event there says what it is. */
static uint32_t site_of(struct darn_std *std, uint32_t location, const struct darn_event *event)
{
    uint32_t id = (uint32_t)darn_map_get(&std->locations, (uintptr_t)location + 1, 0);
    struct darn_trace_site *site;

    if (id)
        return id;
    site = darn_arena_get(&std->arena, sizeof(*site));
    site->line = location;
    site->key = darn_hash_number(DARN_HASH_START, location);
    site->size = event->size;
    site->kind = event->kind == DARN_EVENT_WRITE ? DARN_SITE_WRITE : DARN_SITE_READ;
    if (event->kind == DARN_EVENT_BEGIN || event->kind == DARN_EVENT_END)
        site->kind = DARN_SITE_FUNCTION;
    if (darn_event_is_access(event))
        site->variable = darn_std_name(std, event);
    std->sites = darn_grow(std->sites, &std->site_room, std->site_count + 1, sizeof(*std->sites));
    std->sites[std->site_count++] = site;
    darn_map_put(&std->locations, (uintptr_t)location + 1, std->site_count);
    return (uint32_t)std->site_count;
}

static int read_location(struct darn_std *std, struct piece field, struct darn_event *event)
{
    uint64_t location;

    if (!length(field))
        return 0;
    if (memchr(field.at, '|', length(field)))
        return refuse(std, field, "is too much; " EXPECTED);
    if (!darn_number_parse(field.at, length(field), &location) || location > UINT32_MAX)
        return refuse(std, field, "is no location: a number up to 4294967295 was expected");
    event->site = site_of(std, (uint32_t)location, event);
    return 0;
}

static int read_line(struct darn_std *std, struct piece line, struct darn_event *event)
{
    struct piece rest = line, thread = take_field(&rest), operation;

    *event = (struct darn_event){.kind = DARN_EVENT_NONE};
    if (!length(thread) || !memchr(line.at, '|', length(line)))
        return refuse(std, line, "is no event; " EXPECTED);
    event->thread = (uint32_t)darn_names_put(&std->threads, thread.at, length(thread));
    operation = take_field(&rest);
    if (read_operation(std, operation, event))
        return -1;
    return read_location(std, trim(rest), event);
}

static struct piece take_line(struct darn_std *std)
{
    const char *text = (const char *)std->file->bytes, *newline;
    struct piece line = {text + std->at, text + std->file->length};

    newline = memchr(line.at, '\n', length(line));
    if (newline)
        line.end = newline;
    std->at = (size_t)(line.end - text) + (newline != NULL);
    return trim(line);
}

/* The bytes of an event as a line. Empty: it was passed over. */
static struct piece take_rapid(struct darn_std *std)
{
    const uint8_t *bytes = std->file->bytes + std->at;
    size_t left = std->file->length - std->at, size = 0;

    if (left >= DARN_RAPID_EVENT)
        size = darn_rapid_line(bytes, std->text);
    std->at += left < DARN_RAPID_EVENT ? left : DARN_RAPID_EVENT;
    return (struct piece){std->text, std->text + size};
}

/* Whether the events end where the header says so. */
static int finish(struct darn_std *std)
{
    uint64_t events, there;

    if (!std->is_rapid)
        return 0;
    events = darn_rapid_count(std->file);
    there = (std->file->length - DARN_RAPID_HEADER) / DARN_RAPID_EVENT;
    if (there == events)
        return 0;
    std->damaged_at = std->file->length;
    return darn_damage(&std->damage, there + 1,
                       "the file was cut off: it should have %" PRIu64 " events", events);
}

int darn_std_next(struct darn_std *std, struct darn_event *event)
{
    if (std->damage.found)
        return -1;
    for (; std->at < std->file->length; std->line++) {
        size_t begins = std->at;
        struct piece line = std->is_rapid ? take_rapid(std) : take_line(std);

        if (std->at - std->forgotten > FORGET_EACH) {
            darn_trace_file_forget(std->file, std->forgotten, std->at);
            std->forgotten = std->at;
        }
        if (line.at == line.end || *line.at == '#')
            continue;
        if (read_line(std, line, event)) {
            std->damaged_at = begins;
            return -1;
        }
        std->line++;
        return 1;
    }
    return finish(std);
}

const char *darn_std_name(const struct darn_std *std, const struct darn_event *event)
{
    if (event->kind == DARN_EVENT_FORK || event->kind == DARN_EVENT_JOIN)
        return darn_names_get(&std->threads, event->target);
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        uint64_t first = first_address[operations[i].operand % DARN_STD_KINDS];

        if (operations[i].event == event->kind)
            return event->target < first ? NULL
                                         : darn_names_get(&std->targets[operations[i].operand],
                                                          (event->target - first) / VARIABLE_SIZE);
    }
    return NULL;
}

const char *darn_std_pointee(const struct darn_std *std, const struct darn_event *event)
{
    uint64_t first = first_address[DARN_STD_VARIABLE];

    if (event->kind != DARN_EVENT_POINTER || event->extra < first)
        return NULL;
    return darn_names_get(&std->targets[DARN_STD_VARIABLE], (event->extra - first) / VARIABLE_SIZE);
}
