#include "runtime/section/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "runtime/os/os.h"
#include "runtime/report/tell.h"
#include "runtime/section/rules_private.h"
#include "runtime/state.h"
#include "section/match.h"

#define PIECE     (1 << 20)
#define FILE_SIZE (64 << 20)
#define ROOM      (64 << 10)

struct darn_rule_point **darn_rule_buckets;

static struct darn_rule *rules, **last_rule = &rules;

static bool is_short;

static void *allocate(size_t size)
{
    void *memory = darn_os_allocate(size);

    is_short |= !memory;
    return memory;
}

/* Memory that is never given back, in pieces. */
void *darn_rules_take(size_t size)
{
    static char *piece;
    static size_t left;
    void *taken;

    size = (size + 15) & ~(size_t)15;
    if (size > PIECE / 4)
        return allocate(size);
    if (size > left) {
        piece = allocate(PIECE);
        left = piece ? PIECE : 0;
    }
    if (!piece)
        return NULL;
    taken = piece;
    piece += size;
    left -= size;
    return taken;
}

bool darn_rules_are_short(void)
{
    return is_short;
}

/* Neighbours often have the same names. */
const char *darn_rules_keep(const char *text)
{
    static const char *recent[4];
    static unsigned next;
    size_t length = strlen(text) + 1;
    char *copy;

    for (unsigned i = 0; i < 4; i++) {
        if (recent[i] && strcmp(recent[i], text) == 0)
            return recent[i];
    }
    copy = darn_rules_take(length);
    if (!copy)
        return "";
    memcpy(copy, text, length);
    return recent[next++ % 4] = copy;
}

/* With room for so many points; NULL: there is no memory. */
static struct darn_rule *new_rule(uint32_t points)
{
    struct darn_rule *rule = darn_rules_take(sizeof(*rule));

    if (rule)
        rule->points = darn_rules_take((points ? points : 1) * sizeof(*rule->points));
    return rule && rule->points ? rule : NULL;
}

static void add_point(struct darn_rule *rule, const struct darn_rule_point *point)
{
    struct darn_rule_point *own = &rule->points[rule->count++];
    struct darn_rule_point **bucket = &darn_rule_buckets[point->key % DARN_RULE_BUCKETS];

    *own = *point;
    own->rule = rule;
    own->next = *bucket;
    *bucket = own;
    rule->has_call |= own->role == DARN_ROLE_CALL;
}

void darn_rules_add(struct darn_rule *rule)
{
    *last_rule = rule;
    last_rule = &rule->next;
}

/* A repository, while it is read. */
struct reading {
    const char *path;
    bool (*section)(void *unused, const struct darn_section *section);
    uint32_t count;
};

void darn_rules_say_error(const char *path, const struct darn_repository_error *error)
{
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, "darn: ");
    darn_say_text(&say, path);
    darn_say_text(&say, ":");
    darn_say_number(&say, error->line);
    darn_say_text(&say, ":");
    darn_say_number(&say, error->column);
    darn_say_text(&say, ": ");
    darn_say_text(&say, error->text);
    darn_say_end(&say);
}

static void say_error(void *context, const struct darn_repository_error *error)
{
    const struct reading *reading = context;

    darn_rules_say_error(reading->path, error);
}

int darn_rules_prepare(void)
{
    if (!darn_rule_buckets)
        darn_rule_buckets = allocate(DARN_RULE_BUCKETS * sizeof(*darn_rule_buckets));
    return darn_rule_buckets ? 0 : -ENOMEM;
}

static bool pass_on(void *context, const struct darn_section *section)
{
    struct reading *reading = context;

    reading->count++;
    return reading->section(NULL, section);
}

/* The usual way, by another process, leaves the program's own files alone; a debugger that plays
 * the program's processor may not know it. */
size_t darn_rules_read_file(const char *path, char *text, size_t most)
{
    size_t size = darn_os_read_file(path, text, most);
    int fd = size ? -1 : darn_os_open(path, O_RDONLY | O_CLOEXEC);
    long got;

    if (fd < 0)
        return size;
    while (size < most && (got = darn_os_read(fd, text + size, most - size)) > 0)
        size += (size_t)got;
    darn_os_close(fd);
    return size;
}

int darn_rules_read(const char *path,
                    bool (*section)(void *unused, const struct darn_section *section))
{
    static struct darn_section *one;
    static char *room;
    char *text = allocate(FILE_SIZE + 1);
    struct reading reading = {path, section, 0};
    struct darn_repository_reader reader = {pass_on, say_error, false, &reading, room, ROOM};
    uint32_t errors = 0;
    size_t size;

    if (!room) { /* kept for the next time */
        room = darn_rules_take(ROOM);
        one = darn_rules_take(sizeof(*one));
        reader.room = room;
    }
    if (!text || !room || !one || darn_rules_prepare())
        return -ENOMEM;
    size = darn_rules_read_file(path, text, FILE_SIZE);
    if (size)
        errors = darn_repository_read(text, size, one, &reader);
    darn_os_free(text, FILE_SIZE + 1);
    if (is_short)
        return -ENOMEM;
    return size && !(errors && !reading.count) ? 0 : -EINVAL;
}

int darn_rules_refuse(const char *option, const char *path, int error, const char *without)
{
    bool goes_on = darn_production[0] || error == -ENOMEM;
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, "darn: ");
    darn_say_text(&say, option);
    darn_say_text(&say, "=");
    darn_say_text(&say, path);
    darn_say_text(&say, error == -ENOMEM ? ": out of memory"
                                         : ": there is no such file, or it is no repository");
    if (goes_on) {
        darn_say_text(&say, "; the program runs without ");
        darn_say_text(&say, without);
    }
    darn_say_end(&say);
    return goes_on ? 0 : 2;
}

struct darn_rule *darn_rules(void)
{
    return rules;
}

/* The same function may be compiled into several parts of the program. */
static bool is_known(const struct darn_match_wanted *wanted, const struct darn_section_point *entry)
{
    for (const struct darn_rule_point *point = darn_rule_buckets[entry->key % DARN_RULE_BUCKETS];
         point; point = point->next) {
        if (point->role == DARN_ROLE_ENTRY && point->key == entry->key &&
            point->at == entry->line && point->rule->wanted == wanted)
            return true;
    }
    return false;
}

/* Whoever finds a point finds all of its rule but the points that come later: `like` is there
 * first. */
/* Two lists that have the same one are kept apart, which costs time and does no harm. */
static uintptr_t token_of(const struct darn_match_section *section)
{
    static const char tokens[1 << 8];

    if (section->kind != DARN_SECTION_TOGETHER)
        return 0;
    return (uintptr_t)&tokens[darn_spread_to(
        darn_hash_string(DARN_HASH_START, section->variable), 8)];
}

struct darn_rule *darn_rules_make(const struct darn_rule *like,
                                  const struct darn_match_wanted *wanted,
                                  const struct darn_match_section *found)
{
    struct darn_rule *rule = is_known(wanted, found->entry) ? NULL : new_rule(found->count);
    struct darn_rule_point *points = rule ? rule->points : NULL;

    if (!rule)
        return NULL;
    *rule = *like;
    rule->wanted = wanted;
    rule->file = wanted->section.file;
    rule->function = darn_rules_keep(found->function);
    rule->inside = found->inside;
    rule->points = points;
    rule->token = token_of(&wanted->section);
    for (uint32_t i = 0; i < found->count; i++) {
        const struct darn_section_point *from = &found->points[i];
        struct darn_rule_point point = {
            .key = from->key, .role = from->role, .kind = from->kind, .at = from->line};

        if (point.role == DARN_ROLE_END) {
            point.index = darn_match_end(wanted, found, from);
            point.allow = darn_match_allow(wanted, found, from);
        }
        add_point(rule, &point);
    }
    return rule;
}
