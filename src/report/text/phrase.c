#include "report/text/phrase.h"

#include <inttypes.h>
#include <string.h>

/* A name that Linux keeps for a thread has no more characters. */
#define THREAD_NAME 15

const char *darn_phrase_short(const char *thread)
{
    return thread ? thread : "a thread";
}

/* A thread that got no name of its own has that of the program, which says nothing. */
static bool is_inherited(const struct darn_finding *finding, const char *name)
{
    const char *slash = finding->program ? strrchr(finding->program, '/') : NULL;
    const char *base = slash ? slash + 1 : finding->program;

    return base && strncmp(base, name, THREAD_NAME) == 0;
}

static const char *name_of(const struct darn_finding *finding, const char *thread)
{
    const struct darn_finding_party *known = darn_finding_thread(finding, thread);
    const char *name = known ? known->name : NULL;

    for (size_t i = 0; !name && i < finding->access_count; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];

        if (access->thread && strcmp(access->thread, thread) == 0)
            name = access->thread_name;
    }
    return name && !is_inherited(finding, name) ? name : NULL;
}

void darn_phrase_thread(struct darn_ink *ink, const struct darn_finding *finding,
                        const char *thread)
{
    const char *name;

    if (!thread) {
        darn_say(ink, "a thread");
        return;
    }
    if (strcmp(thread, "T0") == 0) {
        darn_say(ink, "main thread T0");
        return;
    }
    name = name_of(finding, thread);
    darn_say(ink, "thread %s", thread);
    if (name)
        darn_say(ink, " '%s'", name);
}

static void say_bytes(struct darn_ink *ink, uint64_t size)
{
    darn_say(ink, "%" PRIu64 " byte%s", size, size == 1 ? "" : "s");
}

/* What a `use` or `free` is about: `file descriptor`. */
static const char *name_object(const char *object)
{
    static const char *const words[][2] = {
        {"rwlock", "read-write lock"},
        {"spin", "spin lock"},
        {"cond", "condition variable"},
        {"descriptor", "file descriptor"},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(object, words[i][0]) == 0)
            return words[i][1];
    return object;
}

void darn_phrase_variable(struct darn_ink *ink, const struct darn_finding *finding)
{
    if (finding->variable) {
        darn_say(ink, "'%s'", finding->variable);
        return;
    }
    if (finding->accesses[0].object && !finding->accesses[0].has_site)
        darn_say(ink, "a %s", name_object(finding->accesses[0].object));
    else if (finding->size)
        say_bytes(ink, finding->size);
    else
        darn_say(ink, "memory");
    if (finding->address)
        darn_say(ink, " at 0x%" PRIx64, finding->address);
}

static const char *verb_of(const struct darn_finding_access *access)
{
    switch (access->op) {
    case DARN_OP_READ:
        return access->atomic ? "atomically reads" : "reads";
    case DARN_OP_WRITE:
        return access->atomic ? "atomically writes" : "writes";
    case DARN_OP_UPDATE:
        return "atomically updates";
    default:
        return "frees";
    }
}

static bool is_file(const char *object)
{
    return strcmp(object, "descriptor") == 0 || strcmp(object, "stream") == 0;
}

const char *darn_phrase_ending(const struct darn_finding_access *access)
{
    if (!access->object)
        return "freed";
    if (strcmp(access->object, "stack") == 0)
        return "given back with the stack of its thread";
    return is_file(access->object) ? "closed" : "destroyed";
}

static void say_free(struct darn_ink *ink, const struct darn_finding *finding, const char *object)
{
    if (object && strcmp(object, "stack") == 0) {
        darn_say(ink, "ends, and with it the stack that holds it");
        return;
    }
    if (object) {
        darn_say(ink, "%s the %s", is_file(object) ? "closes" : "destroys", name_object(object));
        return;
    }
    darn_say(ink, "frees the block ");
    if (finding->location.kind == DARN_LOCATION_HEAP && finding->location.size) {
        darn_say(ink, "of ");
        say_bytes(ink, finding->location.size);
        darn_say(ink, " ");
    }
    darn_say(ink, "that holds it");
}

void darn_phrase_access(struct darn_ink *ink, const struct darn_finding *finding,
                        const struct darn_finding_access *access,
                        const struct darn_finding_access *first)
{
    if (access->assertion) {
        darn_say(ink, "asserts that no other thread %s it",
                 strcmp(access->assertion, "exclusive-writer") == 0 ? "writes" : "accesses");
        return;
    }
    if (access->op == DARN_OP_FREE) {
        say_free(ink, finding, access->object);
        return;
    }
    if (access->op == DARN_OP_USE) {
        darn_say(ink, "uses the %s", access->object ? name_object(access->object) : "object");
        return;
    }
    darn_say(ink, "%s ", verb_of(access));
    if (access->variable) {
        darn_say(ink, "'%s'", access->variable);
    } else if (!access->size) {
        darn_say(ink, "it");
    } else if (first && first->size == access->size && !first->assertion) {
        darn_say(ink, "the same ");
        say_bytes(ink, access->size);
    } else {
        say_bytes(ink, access->size);
        darn_say(ink, "%s", first ? " of it" : "");
    }
    if (access->call)
        darn_say(ink, " by %s()", access->call);
    if (access->is_volatile)
        darn_say(ink, " (volatile)");
}

/* A lock inside of the block that holds the variable most often guards it. */
static bool is_in_block(const struct darn_finding *finding, const struct darn_lock *lock)
{
    const struct darn_location *location = &finding->location;

    return location->kind == DARN_LOCATION_HEAP && location->address &&
           lock->address >= location->address && lock->address - location->address < location->size;
}

static const char *lock_words(const char *kind)
{
    static const char *const words[][2] = {
        {"read", "read lock"},         {"write", "write lock"},        {"spin", "spin lock"},
        {"rwlock", "read-write lock"}, {"cond", "condition variable"},
    };

    for (size_t i = 0; kind && i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(kind, words[i][0]) == 0)
            return words[i][1];
    return kind ? kind : "lock";
}

size_t darn_phrase_all_locks(const struct darn_finding *finding,
                             const struct darn_lock *locks[DARN_PHRASE_LOCKS])
{
    size_t count = 0;

    for (size_t i = 0; i < finding->access_count; i++) {
        const struct darn_finding_access *access = &finding->accesses[i];

        for (size_t j = 0; j < access->lock_count && count < DARN_PHRASE_LOCKS; j++)
            locks[count++] = &access->locks[j];
        if (access->target.kind && count < DARN_PHRASE_LOCKS)
            locks[count++] = &access->target;
    }
    return count;
}

/* `from->lock` is another lock in each thread that moves money, and the `to->lock` of the other. */
static bool is_ambiguous(const struct darn_lock *one, const struct darn_lock *other)
{
    return one->expression && other->expression &&
           (one->address == other->address) != (strcmp(one->expression, other->expression) == 0);
}

unsigned darn_phrase_lock_number(const struct darn_finding *finding, const struct darn_lock *lock)
{
    const struct darn_lock *locks[DARN_PHRASE_LOCKS];
    size_t count = darn_phrase_all_locks(finding, locks);
    unsigned number = 1;
    bool needed = false;

    for (size_t i = 0; i < count; i++)
        needed |= is_ambiguous(lock, locks[i]);
    for (size_t i = 0; needed && i < count && locks[i]->address != lock->address; i++) {
        bool is_new = locks[i]->expression;

        for (size_t j = 0; j < i; j++)
            is_new &= locks[j]->address != locks[i]->address;
        number += is_new;
    }
    return needed ? number : 0;
}

void darn_phrase_lock(struct darn_ink *ink, const struct darn_finding *finding,
                      const struct darn_lock *lock)
{
    const struct darn_symbol *symbol = &lock->symbol;
    unsigned number = darn_phrase_lock_number(finding, lock);

    darn_say(ink, "%s ", lock_words(lock->kind));
    if (symbol->part)
        darn_say(ink, "'%s'", symbol->part);
    else if (symbol->name && symbol->name_offset)
        darn_say(ink, "'%s+%" PRIu64 "'", symbol->name, symbol->name_offset);
    else if (symbol->name)
        darn_say(ink, "'%s'", symbol->name);
    else if (lock->expression && number)
        darn_say(ink, "'%s' (M%u)", lock->expression, number);
    else if (lock->expression)
        darn_say(ink, "'%s'", lock->expression);
    else
        darn_say(ink, "0x%" PRIx64, lock->address);
    if (is_in_block(finding, lock))
        darn_say(ink, " (at byte %" PRIu64 " of the same heap block)",
                 lock->address - finding->location.address);
}

void darn_phrase_locks(struct darn_ink *ink, const struct darn_finding *finding,
                       const struct darn_finding_access *access)
{
    if (access->locks_unknown) {
        darn_say(ink, "its locks are not known");
        return;
    }
    darn_say(ink, access->lock_count ? "holding " : "holding no lock");
    for (size_t i = 0; i < access->lock_count; i++) {
        if (i > 0)
            darn_say(ink, i + 1 == access->lock_count ? " and " : ", ");
        darn_phrase_lock(ink, finding, &access->locks[i]);
    }
}

void darn_phrase_value(struct darn_ink *ink, uint64_t bits, uint64_t size)
{
    unsigned unused = size && size < 8 ? 64 - 8 * (unsigned)size : 0;
    int64_t value = (int64_t)(bits << unused) >> unused;

    /* Small numbers are written in decimal, addresses, doubles and masks in hexadecimal. */
    if (value >= 0 && value <= UINT16_MAX)
        darn_say(ink, "%" PRId64, value);
    else if (value >= INT32_MIN && value <= UINT32_MAX)
        darn_say(ink, "%" PRId64 " (0x%" PRIx64 ")", value, bits);
    else
        darn_say(ink, "0x%" PRIx64, bits);
}

bool darn_phrase_position(struct darn_ink *ink, const struct darn_style *style, const char *file,
                          unsigned line, unsigned column)
{
    if (!file)
        return false;
    darn_say(ink, "%s", darn_style_path(style, file));
    if (line)
        darn_say(ink, ":%u", line);
    if (line && column)
        darn_say(ink, ":%u", column);
    return true;
}
