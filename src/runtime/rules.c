#include "runtime/rules.h"

#include <stddef.h>
#include <string.h>

#include "runtime/os.h"
#include "runtime/profile.h"
#include "runtime/say.h"
#include "runtime/sites.h"
#include "runtime/spin.h"

#define BUCKETS   (1 << 16)
#define PIECE     (1 << 20)
#define FILE_SIZE (64 << 20)
#define ROOM      (64 << 10)

/* How many rules are invited at a time, in turn: their sites are armed and disarmed in each round
 * of the sampler. */
#define INVITED 64

static struct darn_rule_point **buckets; /* by key */
static struct darn_rule *rules, **last_rule = &rules;

/* The sites that are points, by their address. Replaced as a whole when a module is loaded: asked
 * without a lock. */
struct place {
    const struct darn_site *site;
    const struct darn_role *roles;
    uint32_t count;
};

struct places {
    uint32_t mask;
    uint32_t used;
    struct place items[];
};

static struct places *_Atomic places;

/* Protects the counts of who holds a rule, and who of the entries is armed. Taken with signals
 * blocked; nothing nests inside. */
static struct darn_spin arm_lock;
static bool armed_all;
static bool any_begins; /* set once */
static struct darn_rule *first_invited, *next_invited;

/* Memory that is never given back, in pieces. */
static void *take(size_t size)
{
    static char *piece;
    static size_t left;
    void *taken;

    size = (size + 15) & ~(size_t)15;
    if (size > PIECE / 4)
        return darn_os_allocate(size);
    if (size > left) {
        piece = darn_os_allocate(PIECE);
        left = piece ? PIECE : 0;
    }
    if (!piece)
        return NULL;
    taken = piece;
    piece += size;
    left -= size;
    return taken;
}

/* Neighbours often have the same names. */
static const char *keep_text(const char *text)
{
    static const char *recent[4];
    static unsigned next;
    size_t length = strlen(text) + 1;
    char *copy;

    for (unsigned i = 0; i < 4; i++) {
        if (recent[i] && strcmp(recent[i], text) == 0)
            return recent[i];
    }
    copy = take(length);
    if (!copy)
        return "";
    memcpy(copy, text, length);
    return recent[next++ % 4] = copy;
}

static struct darn_rule *new_rule(uint32_t points)
{
    struct darn_rule *rule = take(sizeof(*rule));

    if (rule)
        rule->points = take((points ? points : 1) * sizeof(*rule->points));
    return rule && rule->points ? rule : NULL;
}

static void add_point(struct darn_rule *rule, const struct darn_rule_point *point)
{
    struct darn_rule_point *own = &rule->points[rule->count++];
    struct darn_rule_point **bucket = &buckets[point->key % BUCKETS];

    *own = *point;
    own->rule = rule;
    own->next = *bucket;
    *bucket = own;
    rule->has_call |= own->role == DARN_ROLE_CALL;
}

static void add_rule(struct darn_rule *rule)
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
    struct darn_rule *rule = is_of_use(section) ? new_rule(section->count) : NULL;
    uint32_t ends = 0;

    (void)context;
    if (!rule)
        return true;
    rule->variable = keep_text(section->variable);
    rule->file = keep_text(section->file);
    rule->function = keep_text(section->function);
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
        add_point(rule, &point);
    }
    add_rule(rule);
    return true;
}

static void say_error(void *context, const struct darn_repository_error *error)
{
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, "darn: ");
    darn_say_text(&say, context);
    darn_say_text(&say, ":");
    darn_say_number(&say, error->line);
    darn_say_text(&say, ":");
    darn_say_number(&say, error->column);
    darn_say_text(&say, ": ");
    darn_say_text(&say, error->text);
    darn_say_end(&say);
}

int darn_rules_load(const char *path)
{
    char *text = darn_os_allocate(FILE_SIZE + 1), *room = take(ROOM);
    struct darn_section *section = take(sizeof(*section));
    struct darn_repository_reader reader = {keep_section, say_error, false,
                                            (void *)path, room,      ROOM};
    size_t size;

    buckets = darn_os_allocate(BUCKETS * sizeof(*buckets));
    if (!text || !room || !section || !buckets)
        return -1;
    size = darn_os_read_file(path, text, FILE_SIZE);
    if (size)
        darn_repository_read(text, size, section, &reader);
    darn_os_free(text, FILE_SIZE + 1);
    return size ? 0 : -1;
}

bool darn_rules_begin(void)
{
    return any_begins;
}

struct darn_rule *darn_rules(void)
{
    return rules;
}

/* A section by hand means those of the compiler that lie within its lines. */
static void add_meant(struct darn_rule *hand, const struct darn_section_record *record)
{
    struct darn_rule *rule;
    uint32_t ends = 0, kept = 0;

    if (!darn_section_means_file(darn_site_string(&record->file), hand->file) ||
        !darn_section_means(darn_site_string(&record->variable), hand->variable))
        return;
    rule = new_rule(record->count);
    if (!rule)
        return;
    *rule = (struct darn_rule){.variable = keep_text(darn_site_string(&record->variable)),
                               .file = hand->file,
                               .function = keep_text(darn_site_string(&record->function)),
                               .line = hand->line,
                               .kind = DARN_SECTION_HAND,
                               .inside = record->inside,
                               .points = rule->points};
    for (uint32_t i = 0; i < record->count; i++) {
        const struct darn_section_point *from = &record->points[i];
        struct darn_rule_point point = {.key = from->key,
                                        .role = from->role,
                                        .kind = from->kind,
                                        .allow = from->allow,
                                        .at = from->line};
        bool within = from->line >= hand->first && from->line <= hand->last;

        if (point.role == DARN_ROLE_END) {
            point.index = ends++;
            point.allow = hand->has_allow ? hand->allow : point.allow;
            kept += within;
        }
        if (point.role == DARN_ROLE_ENTRY && !within)
            return;
        if (point.role == DARN_ROLE_END &&
            !within) /* leaves the lines, and with them the section */
            point.allow = DARN_ALLOW_ALL;
        add_point(rule, &point);
    }
    if (kept) {
        hand->matched = true;
        add_rule(rule);
    }
}

static void resolve_by_hand(const struct darn_section_record *record)
{
    for (struct darn_rule *rule = rules; rule; rule = rule->next) {
        if (rule->first)
            add_meant(rule, record);
    }
}

/*
 * `add` calls get() and put(), `look` and `set` call one of them: inlined, the copy of get() in
 * `look` is not the beginning of what ends in the copy of put() in `set`. So a point in a function
 * that was inlined is only a copy that the section's function has, called in the right line; and
 * entry and end are in the same copy of that (darn_role.copy).
 */
static bool is_own(const struct darn_rule_point *point, const struct darn_site *site)
{
    return strcmp(darn_site_function(site), point->rule->function) == 0;
}

static bool is_point(const struct darn_rule_point *point, const struct darn_site *site)
{
    const struct darn_rule *rule = point->rule;
    uint32_t call = (uint32_t)darn_site_inlined(site);

    if (point->role > DARN_ROLE_END || rule->kind == DARN_SECTION_LEARNED || is_own(point, site))
        return true;
    return call ? call == darn_site_call_of(rule->function, point->at)
                : rule->inside & DARN_SECTION_ACROSS;
}

/* What is in a function that is called, or was learned, has its end anywhere. */
static uint32_t copy_of(const struct darn_rule_point *point, const struct darn_site *site)
{
    const struct darn_rule *rule = point->rule;

    if (rule->kind == DARN_SECTION_LEARNED || rule->inside & DARN_SECTION_ACROSS)
        return 0;
    return darn_site_copy_of(darn_site_inlined(site), is_own(point, site));
}

/* An end that no site is would be passed unseen. */
bool darn_rule_is_whole(const struct darn_rule *rule)
{
    for (uint32_t i = 0; i < rule->count; i++) {
        if (rule->points[i].role == DARN_ROLE_END && !rule->points[i].sites)
            return false;
    }
    return true;
}

/*
 * Names of variables are not compared: a function that was inlined has another name for the same
 * memory in each copy (`*p`, `count`), and a macro has several variables at one place. Entry and
 * end have to touch the same address, and that tells them apart.
 */
static uint32_t count_points(uint64_t key, const struct darn_site *site)
{
    uint32_t count = 0;

    for (struct darn_rule_point *point = buckets[key % BUCKETS]; point; point = point->next)
        count += point->key == key && is_point(point, site);
    return count;
}

static void place(struct places *table, const struct place *item)
{
    uint32_t i = (uint32_t)((uintptr_t)item->site / sizeof(*item->site)) & table->mask;

    while (table->items[i].site && table->items[i].site != item->site)
        i = (i + 1) & table->mask;
    table->used += !table->items[i].site;
    table->items[i] = *item;
}

static struct places *larger(const struct places *old, uint32_t more)
{
    uint32_t size = 64, needed = 2 * ((old ? old->used : 0) + more);
    struct places *table;

    while (size < needed)
        size *= 2;
    table = take(sizeof(*table) + size * sizeof(table->items[0]));
    if (!table)
        return NULL;
    table->mask = size - 1;
    for (uint32_t i = 0; old && i <= old->mask; i++) {
        if (old->items[i].site)
            place(table, &old->items[i]);
    }
    return table;
}

static void add_site(struct places *table, uint64_t key, const struct darn_site *site,
                     uint32_t count)
{
    struct darn_role *roles = take(count * sizeof(*roles));
    struct place item = {site, roles, count};
    uint32_t filled = 0;

    if (!roles)
        return;
    for (struct darn_rule_point *point = buckets[key % BUCKETS]; point; point = point->next) {
        if (point->key != key || !is_point(point, site))
            continue;
        point->sites++;
        roles[filled] = (struct darn_role){point, site, copy_of(point, site), point->rule->roles};
        point->rule->roles = &roles[filled++];
        point->rule->matched |= point->role == DARN_ROLE_ENTRY;
        any_begins |= point->role == DARN_ROLE_ENTRY;
        if (armed_all)
            __atomic_fetch_or(darn_site_armed(site), DARN_ARMED_RULE, __ATOMIC_RELAXED);
    }
    place(table, &item);
}

static void match_sites(const struct darn_site *start, const struct darn_site *stop)
{
    struct darn_site_keys keys = {0};
    struct places *table;
    uint32_t found = 0;

    for (const struct darn_site *site = start; site < stop; site++)
        found += count_points(darn_site_next_key(&keys, site), site) != 0;
    table = found ? larger(places, found) : NULL;
    if (!table)
        return;
    for (const struct darn_site *site = start; site < stop; site++) {
        uint64_t key = darn_site_next_key(&keys, site);
        uint32_t count = count_points(key, site);

        if (count)
            add_site(table, key, site, count);
    }
    places = table;
}

void darn_rules_module(const struct darn_site *start, const struct darn_site *stop,
                       const void *first_record, const void *last_record)
{
    const char *at = first_record, *end = last_record;
    uint64_t mask;

    if (!buckets)
        return;
    mask = darn_os_block_signals();
    darn_spin_lock(&arm_lock);
    while (at && at + sizeof(struct darn_section_record) <= end) {
        const struct darn_section_record *record = (const struct darn_section_record *)at;

        if (record->size < sizeof(*record) || record->version != DARN_SECTION_VERSION)
            break;
        resolve_by_hand(record);
        at += record->size;
    }
    match_sites(start, stop);
    darn_spin_unlock(&arm_lock);
    darn_os_restore_signals(mask);
}

uint32_t darn_rules_of(const struct darn_site *site, const struct darn_role **roles)
{
    const struct places *table = atomic_load_explicit(&places, memory_order_acquire);
    uint32_t i;

    if (!table)
        return 0;
    i = (uint32_t)((uintptr_t)site / sizeof(*site)) & table->mask;
    for (; table->items[i].site; i = (i + 1) & table->mask) {
        if (table->items[i].site == site) {
            *roles = table->items[i].roles;
            return table->items[i].count;
        }
    }
    return 0;
}

static bool begins(const struct darn_role *role)
{
    return role->point->role == (role->point->rule->has_call ? DARN_ROLE_CALL : DARN_ROLE_ENTRY);
}

/* Whether somebody wants to hear of it: a site may be a point of several rules. */
static bool is_needed(const struct darn_site *site)
{
    const struct darn_role *roles;
    uint32_t count = darn_rules_of(site, &roles);

    for (uint32_t i = 0; i < count; i++) {
        const struct darn_rule *rule = roles[i].point->rule;

        if (begins(&roles[i]) ? rule->invited : rule->holds != 0)
            return true;
    }
    return armed_all;
}

/* A site that is needed is never disarmed in between: a thread that passes it unseen would seem to
 * be in its section for ever. */
static void arm(const struct darn_role *role)
{
    volatile uint8_t *armed = darn_site_armed(role->site);

    if (is_needed(role->site))
        __atomic_fetch_or(armed, DARN_ARMED_RULE, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(armed, (uint8_t)~DARN_ARMED_RULE, __ATOMIC_RELAXED);
}

static void arm_rule(struct darn_rule *rule, bool beginning)
{
    for (struct darn_role *role = rule->roles; role; role = role->next) {
        if (begins(role) == beginning)
            arm(role);
    }
}

static void invite(struct darn_rule *rule, bool on)
{
    if (rule->invited == on)
        return;
    rule->invited = on;
    arm_rule(rule, true);
}

void darn_rules_invite(bool on)
{
    uint64_t mask = darn_os_block_signals();
    struct darn_rule *rule;
    uint32_t invited = 0;

    darn_spin_lock(&arm_lock);
    if (on)
        first_invited = next_invited ? next_invited : rules;
    for (rule = first_invited; rule && invited < INVITED && !armed_all; rule = rule->next) {
        invited += rule->roles != NULL;
        invite(rule, on);
    }
    next_invited = rule;
    darn_spin_unlock(&arm_lock);
    darn_os_restore_signals(mask);
}

void darn_rules_hold(struct darn_rule *rule)
{
    uint64_t mask;

    if (armed_all)
        return;
    mask = darn_os_block_signals();
    darn_spin_lock(&arm_lock);
    if (rule->holds++ == 0)
        arm_rule(rule, false);
    darn_spin_unlock(&arm_lock);
    darn_os_restore_signals(mask);
}

void darn_rules_release(struct darn_rule *rule)
{
    uint64_t mask;

    if (armed_all)
        return;
    mask = darn_os_block_signals();
    darn_spin_lock(&arm_lock);
    if (rule->holds && --rule->holds == 0)
        arm_rule(rule, false);
    darn_spin_unlock(&arm_lock);
    darn_os_restore_signals(mask);
}

void darn_rules_arm_all(void)
{
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&arm_lock);
    armed_all = true;
    for (struct darn_rule *rule = rules; rule; rule = rule->next) {
        for (struct darn_role *role = rule->roles; role; role = role->next)
            arm(role);
    }
    darn_spin_unlock(&arm_lock);
    darn_os_restore_signals(mask);
}

void darn_rules_before_fork(void)
{
    darn_spin_lock(&arm_lock);
}

void darn_rules_after_fork(bool child)
{
    for (struct darn_rule *rule = rules; child && rule; rule = rule->next)
        rule->holds = 0;
    darn_spin_unlock(&arm_lock);
}
