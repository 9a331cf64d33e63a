#include "runtime/section/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

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

struct darn_rule *darn_rules_new(uint32_t points)
{
    struct darn_rule *rule = darn_rules_take(sizeof(*rule));

    if (rule)
        rule->points = darn_rules_take((points ? points : 1) * sizeof(*rule->points));
    return rule && rule->points ? rule : NULL;
}

void darn_rules_add_point(struct darn_rule *rule, const struct darn_rule_point *point)
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

/* Whether it can be violated at all. */
static bool is_of_use(const struct darn_section *section)
{
    if (section->first)
        return !section->has_allow || section->allow != DARN_ALLOW_ALL;
    for (uint32_t i = 0; i < section->count; i++) {
        if (section->points[i].role == DARN_ROLE_END && section->points[i].allow != DARN_ALLOW_ALL)
            return true;
    }
    return false;
}

static bool keep_section(void *context, const struct darn_section *section)
{
    struct darn_rule *rule = is_of_use(section) ? darn_rules_new(section->count) : NULL;
    uint32_t ends = 0;

    (void)context;
    if (!rule)
        return true;
    rule->variable = darn_rules_keep(section->variable);
    rule->file = darn_rules_keep(section->file);
    rule->function = darn_rules_keep(section->function);
    rule->first = section->first;
    rule->last = section->last;
    rule->has_allow = section->has_allow;
    rule->allow = section->allow;
    rule->line = section->position;
    rule->kind = section->kind;
    rule->inside = section->inside;
    for (uint32_t i = 0; i < section->count; i++) {
        const struct darn_point *from = &section->points[i];
        struct darn_rule_point point = {.key = darn_point_key(from),
                                        .role = from->role,
                                        .kind = from->kind,
                                        .allow = from->allow,
                                        .at = from->at};

        if (point.role == DARN_ROLE_END)
            point.index = ends++;
        darn_rules_add_point(rule, &point);
    }
    darn_rules_add(rule);
    return true;
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
    char *text = allocate(FILE_SIZE + 1), *room = darn_rules_take(ROOM);
    struct darn_section *one = darn_rules_take(sizeof(*one));
    struct reading reading = {path, section, 0};
    struct darn_repository_reader reader = {pass_on, say_error, false, &reading, room, ROOM};
    uint32_t errors = 0;
    size_t size;

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
    bool goes_on = darn_production || error == -ENOMEM;
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

int darn_rules_load(const char *path)
{
    return darn_rules_read(path, keep_section);
}

struct darn_rule *darn_rules(void)
{
    return rules;
}

/* Whoever finds a point finds all of its rule but the points that come later: `like` is there
 * first. */
struct darn_rule *darn_rules_make(const struct darn_rule *like,
                                  const struct darn_match_section *wanted,
                                  const struct darn_match_section *found)
{
    struct darn_rule *rule = darn_rules_new(found->count);
    struct darn_rule_point *points = rule ? rule->points : NULL;
    uint32_t ends = 0;

    if (!rule)
        return NULL;
    *rule = *like;
    rule->file = wanted->file;
    rule->function = darn_rules_keep(found->function);
    rule->inside = found->inside;
    rule->points = points;
    for (uint32_t i = 0; i < found->count; i++) {
        const struct darn_section_point *from = &found->points[i];
        struct darn_rule_point point = {
            .key = from->key, .role = from->role, .kind = from->kind, .at = from->line};

        if (point.role == DARN_ROLE_END) {
            point.index = ends++;
            point.allow = darn_match_allow(wanted, from);
        }
        darn_rules_add_point(rule, &point);
    }
    return rule;
}

/* A section over lines means those of the compiler that lie in them. */
static void add_meant(struct darn_rule *hand, const struct darn_match_section *wanted,
                      const struct darn_match_section *found)
{
    struct darn_rule like = {.variable = darn_rules_keep(found->variable),
                             .line = hand->line,
                             .kind = DARN_SECTION_HAND};
    struct darn_rule *rule = darn_rules_make(&like, wanted, found);

    if (!rule)
        return;
    hand->matched = true;
    darn_rules_add(rule);
}

void darn_rules_resolve(const struct darn_section_record *record)
{
    struct darn_match_section found = darn_match_of_record(record);

    for (struct darn_rule *rule = rules; rule; rule = rule->next) {
        struct darn_match_section wanted;

        if (!rule->first)
            continue;
        wanted = (struct darn_match_section){.file = rule->file,
                                             .variable = rule->variable,
                                             .first = rule->first,
                                             .last = rule->last,
                                             .allow = rule->allow,
                                             .has_allow = rule->has_allow};
        if (darn_match_is_in_lines(&wanted, &found))
            add_meant(rule, &wanted, &found);
    }
}
