/* The signatures of the repository, and where their places are in this process. */
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/hash.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/gates_private.h"
#include "runtime/os/os.h"
#include "runtime/os/real_function.h"
#include "runtime/report/tell.h"
#include "runtime/section/rules_private.h"
#include "runtime/state.h"
#include "section/build.h"
#include "section/deadlock.h"

#define FILE_SIZE (64 << 20)
#define ROOM      (64 << 10)

static const char *repository;
static uint32_t too_many;

/* ---- modules ---- */

/* A module that is looked for, by its build. */
struct looked_for {
    const char *name, *build;
    uintptr_t base;
    bool found;
    bool has_namesake; /* a module of that name is there, but of another build */
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct looked_for *module = argument;
    const char *path = info->dlpi_name;
    char build[DARN_BUILD_SIZE];

    (void)size;
    if (!path || !*path) /* the program itself */
        path = (const char *)getauxval(AT_EXECFN);
    /* The hash of a module that has no build id would have to be made of them all. */
    if (strncmp(module->build, "code:", 5) == 0 && path &&
        strcmp(last_part(path), module->name) != 0)
        return 0;
    if (!darn_build_name(info->dlpi_phdr, info->dlpi_phnum, (const char *)info->dlpi_addr, false, 0,
                         build))
        return 0;
    if (strcmp(build, module->build) == 0) {
        module->base = info->dlpi_addr;
        module->found = true;
        return 1;
    }
    module->has_namesake |= path && strcmp(last_part(path), module->name) == 0;
    return 0;
}

static void explain(struct darn_gate *gate, const char *before, const char *name, const char *after)
{
    struct darn_text text;

    darn_text_start(&text, gate->why, sizeof(gate->why));
    darn_text_add(&text, before);
    darn_text_add(&text, name);
    darn_text_add(&text, after);
}

static bool find_modules(struct darn_gate *gate, const struct darn_deadlock *deadlock,
                         uintptr_t bases[DARN_DEADLOCK_MODULES])
{
    for (uint32_t i = 0; i < deadlock->module_count; i++) {
        struct looked_for module = {.name = deadlock->modules[i].name,
                                    .build = deadlock->modules[i].build};

        darn_real_modules(look_at_module, &module);
        if (!module.found) {
            gate->is_other_build = module.has_namesake;
            explain(gate, module.has_namesake ? "it is from another build of " : "", module.name,
                    module.has_namesake ? "" : " is not loaded");
            return false;
        }
        bases[i] = module.base;
    }
    return true;
}

static uintptr_t base_of(const struct darn_deadlock *deadlock, const uintptr_t *bases,
                         const char *module)
{
    uint32_t i = 0;

    while (strcmp(deadlock->modules[i].name, module) != 0)
        i++; /* the reader has made sure that it is there */
    return bases[i];
}

/* ---- gates ---- */

static void add_positions(struct darn_gate *gate, const struct darn_deadlock *deadlock,
                          const uintptr_t *bases)
{
    gate->count = deadlock->thread_count;
    gate->by_start = deadlock->threads[0].by == DARN_BY_START;
    for (uint32_t i = 0; i < gate->count; i++) {
        struct darn_gate_position *position = &gate->positions[i];
        const struct darn_deadlock_stack *holds = &deadlock->threads[i].holds;

        for (uint32_t f = 0; f < holds->count && position->depth < DARN_DEADLOCK_DEPTH; f++) {
            const struct darn_deadlock_frame *frame = &holds->frames[f];

            if (frame->module)
                position->pcs[position->depth++] =
                    base_of(deadlock, bases, frame->module) + frame->offset;
        }
        darn_gate_marks[darn_gate_mark(position->pcs[0])] = 1;
    }
}

/* NULL: there are too many, or there is no memory. */
static struct darn_gate *new_gate(uint32_t line, enum darn_deadlock_until until)
{
    struct darn_gate *gate;

    if (!darn_gates)
        darn_gates = darn_os_allocate(DARN_GATES * sizeof(*darn_gates));
    if (!darn_gates || darn_gate_count == DARN_GATES) {
        too_many++;
        return NULL;
    }
    gate = &darn_gates[darn_gate_count];
    gate->line = line;
    gate->until = until;
    gate->patience = DARN_GATE_PATIENCE;
    return gate;
}

/* The new one is complete: others look at it without the lock. */
static void publish(void)
{
    __atomic_store_n(&darn_gate_count, darn_gate_count + 1, __ATOMIC_RELEASE);
}

struct darn_gate *darn_gate_of_accesses(uint32_t line, enum darn_deadlock_until until)
{
    struct darn_gate *gate = new_gate(line, until);

    if (gate) {
        gate->count = 2;
        gate->by_access = true;
        explain(gate, "its accesses are not in the program", "", "");
        publish();
    }
    return gate;
}

void darn_gate_matches(struct darn_gate *gate)
{
    gate->matched = true;
}

static uint64_t identity_of(const struct darn_deadlock *deadlock)
{
    uint64_t hash = darn_hash_number(DARN_HASH_START, deadlock->until);

    for (uint32_t i = 0; i < deadlock->module_count; i++)
        hash = darn_hash_string(hash, deadlock->modules[i].build);
    for (uint32_t i = 0; i < deadlock->thread_count; i++) {
        const struct darn_deadlock_thread *thread = &deadlock->threads[i];

        hash = darn_hash_number(hash, thread->by);
        for (uint32_t f = 0; f < thread->holds.count; f++)
            if (thread->holds.frames[f].module)
                hash = darn_hash_word(darn_hash_string(hash, thread->holds.frames[f].module),
                                      thread->holds.frames[f].offset);
    }
    return hash;
}

/* Whether one of its threads waits, or is waited for, where this is done. */
static bool has(const struct darn_deadlock *deadlock, enum darn_deadlock_by by)
{
    for (uint32_t i = 0; i < deadlock->thread_count; i++)
        if (deadlock->threads[i].by == by)
            return true;
    return false;
}

static bool add_gate(void *context, const struct darn_deadlock *deadlock)
{
    uintptr_t bases[DARN_DEADLOCK_MODULES];
    struct darn_gate *gate;

    (void)context;
    gate = new_gate(deadlock->position, deadlock->until);
    if (!gate)
        return true;
    gate->identity = identity_of(deadlock);
    gate->moved = deadlock->moved;
    gate->matched = find_modules(gate, deadlock, bases);
    if (gate->matched) {
        add_positions(gate, deadlock, bases);
        darn_gates_on = true;
        darn_gates_of_ends |= has(deadlock, DARN_BY_END);
        darn_gates_of_locks |= has(deadlock, DARN_BY_LOCK);
    }
    publish();
    return true;
}

static void say_error(void *context, const struct darn_repository_error *error)
{
    (void)context;
    darn_rules_say_error(repository, error);
}

/* 0, or -1: the file cannot be read. */
static int read_all(const char *path, bool (*take)(void *, const struct darn_deadlock *),
                    void *context)
{
    static struct darn_deadlock deadlock;
    char *text = darn_os_allocate(FILE_SIZE + 1), *room = darn_os_allocate(ROOM);
    struct darn_deadlock_reader reader = {take, say_error, context, room, ROOM};
    size_t size = text ? darn_rules_read_file(path, text, FILE_SIZE) : 0;

    repository = path;
    if (size && room)
        darn_deadlocks_read(text, size, &deadlock, &reader);
    else
        darn_say_line(
            "darn: heal: out of memory; the deadlocks of the repository are not kept away");
    if (text)
        darn_os_free(text, FILE_SIZE + 1);
    if (room)
        darn_os_free(room, ROOM);
    return size && room ? 0 : -1;
}

int darn_gates_open(const char *path)
{
    return read_all(path, add_gate, NULL) ? -1 : (int)darn_gate_count;
}

/* ---- once more ---- */

struct again {
    uint64_t kept; /* gates, a bit each */
    uint32_t *later;
};

/* Interceptors that no gate has needed so far may not be there. */
static bool is_served(const struct darn_deadlock *deadlock)
{
    return darn_gates_on && (darn_gates_of_ends || !has(deadlock, DARN_BY_END)) &&
           (darn_gates_of_locks || !darn_production[0] || !has(deadlock, DARN_BY_LOCK));
}

static bool keep_gate(void *context, const struct darn_deadlock *deadlock)
{
    struct again *again = context;
    uint64_t identity = identity_of(deadlock);
    uint32_t i = 0;

    while (i < darn_gate_count && (darn_gates[i].by_access || darn_gates[i].identity != identity))
        i++;
    if (i == darn_gate_count && !is_served(deadlock))
        ++*again->later;
    else if (i == darn_gate_count)
        add_gate(NULL, deadlock);
    if (i < darn_gate_count)
        again->kept |= UINT64_C(1) << i;
    return true;
}

int darn_gates_reload(const char *path, uint32_t *later)
{
    struct again again = {0, later};
    int result = read_all(path, keep_gate, &again);

    for (uint32_t i = 0; i < darn_gate_count && !result; i++)
        if (!darn_gates[i].by_access)
            darn_gate_drop(&darn_gates[i], !(again.kept >> i & 1));
    return result ? -1 : __builtin_popcountll(again.kept);
}

void darn_gate_drop(struct darn_gate *gate, bool drops)
{
    gate->dropped = drops;
}

/* ---- what is said ---- */

void darn_gates_say(void)
{
    struct darn_say say;

    for (uint32_t i = 0; i < darn_gate_count; i++) {
        /* With LD_PRELOAD set, the shell that starts the program reads the repository, too. */
        if (darn_gates[i].matched || !darn_gates[i].is_other_build)
            continue;
        darn_say_start(&say);
        darn_say_text(&say, "darn: heal: the deadlock in line ");
        darn_say_number(&say, darn_gates[i].line);
        darn_say_text(&say, " of the repository is not kept away: ");
        darn_say_text(&say, darn_gates[i].why);
        darn_say_text(&say, "; darn heal --sections finds its places in this one");
        darn_say_end(&say);
    }
    if (!too_many)
        return;
    darn_say_start(&say);
    darn_say_text(&say, "darn: heal: the repository has more than 64 deadlocks; ");
    darn_say_number(&say, too_many);
    darn_say_text(&say, " are not kept away");
    darn_say_end(&say);
}

uint64_t darn_gates_waited(void)
{
    uint64_t waited = 0;

    for (uint32_t i = 0; i < darn_gate_count; i++)
        waited += darn_gates[i].waited;
    return waited;
}

static void write_count(struct darn_json *json, const char *key, uint64_t count)
{
    darn_json_number(json, key, (int64_t)count);
}

void darn_gates_write(struct darn_json *json)
{
    for (uint32_t i = 0; i < darn_gate_count; i++) {
        const struct darn_gate *gate = &darn_gates[i];

        darn_json_open(json, NULL, '{');
        darn_json_open(json, "gate", '{');
        write_count(json, "line", gate->line);
        if (gate->until)
            darn_json_bool(json, "order", true);
        darn_json_string(json, "match", !gate->matched ? "none" : gate->moved ? "moved" : "exact");
        if (!gate->matched)
            darn_json_string(json, "why", gate->why);
        write_count(json, "passed", gate->passed);
        write_count(json, "avoided", gate->avoided);
        write_count(json, "right", gate->right);
        write_count(json, "false", gate->useless);
        write_count(json, "waited_us", gate->waited / 1000);
        write_count(json, "longest_us", gate->longest / 1000);
        write_count(json, "cycles", gate->cycles);
        write_count(json, "expired", gate->expired);
        write_count(json, "unseen", gate->unseen);
        if (gate->until)
            write_count(json, "used", gate->used);
        darn_json_bool(json, "dropped", gate->dropped);
        darn_json_close(json, '}');
        darn_json_close(json, '}');
        darn_json_end_line(json);
    }
}
