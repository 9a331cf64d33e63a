#include "runtime/heal/hold.h"

#include <stddef.h>
#include <string.h>

#include "runtime/os/os.h"
#include "runtime/watch/attention.h"

#define LISTS 1024
#define LINE  64

/* Who waits for another variable on the same line looks again within a millisecond anyway. */
#define WOKEN 2

/* What reaches over the end of a line is in a list of its own, which everybody looks at. */
#define WIDE LISTS

/* An access that is longer is not compared with more lines than this. */
#define MOST_LINES LISTS

struct list {
    _Atomic uintptr_t owner; /* a lock of what follows; 0: it is free */
    struct darn_hold *first;
    uint32_t waiters;
    volatile uint32_t given; /* a futex: something was given back */
    _Atomic uint32_t hungry;
    char room[36]; /* a cache line each */
};

static_assert(sizeof(struct list) == LINE, "lists do not share cache lines");

static struct list *lists;
static _Atomic uint32_t wide; /* holds in the list of wide ones */

/* The list that the thread waits for a change of; and what stands for the thread itself. */
static __thread struct {
    struct list *awaited;
    bool hungry;
} mine __attribute__((tls_model("initial-exec")));

static uintptr_t self(void)
{
    return (uintptr_t)&mine;
}

/*
 * Signals are not blocked meanwhile, which would take longer than all the rest. So the lock of a
 * list knows its owner: a handler may fork, jump out of the hook, or end the thread
 * (darn_holds_leave). Other calls of a handler see that the thread is busy, and stay out. A thread
 * has one of these locks at a time.
 */
static void take(struct list *list)
{
    uintptr_t nobody = 0;

    for (int tries = 0; !atomic_compare_exchange_weak_explicit(
             &list->owner, &nobody, self(), memory_order_acquire, memory_order_relaxed);
         tries++) {
        nobody = 0;
        if (tries < 64)
            __builtin_ia32_pause();
        else if (tries < 96)
            darn_os_yield();
        else
            darn_os_sleep(20000);
    }
}

static void give(struct list *list)
{
    atomic_store_explicit(&list->owner, 0, memory_order_release);
}

int darn_holds_open(void)
{
    if (!lists)
        lists = darn_os_allocate((LISTS + 1) * sizeof(*lists));
    return lists ? 0 : -1;
}

struct darn_hold *darn_hold_new(struct darn_healer *healer)
{
    uint32_t index = (uint32_t)__builtin_ctz(~healer->used);
    struct darn_hold *hold;
    uint32_t serial;

    if (index >= DARN_HOLDS)
        return NULL;
    hold = &healer->holds[index];
    serial = hold->serial + 1;
    healer->used |= 1u << index;
    darn_own_set_sections(healer->used, healer->left);
    *hold = (struct darn_hold){.healer = healer, .serial = serial};
    return hold;
}

static uint32_t list_of(const struct darn_hold *hold)
{
    uintptr_t line = hold->stay.address / LINE;

    if ((hold->stay.address + hold->stay.size - 1) / LINE != line)
        return WIDE;
    return (uint32_t)((line ^ line >> 10 ^ line >> 20) % LISTS);
}

/* Bytes in between that one does not touch (gaps) count as well: to wait for a neighbour does no
 * harm. */
static bool overlap(const struct darn_stay *a, const struct darn_stay *b)
{
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

static bool at_odds(const struct darn_hold *a, const struct darn_hold *b)
{
    return a->healer != b->healer && !b->expired && overlap(&a->stay, &b->stay) &&
           (a->alone || b->alone || darn_stay_forbids(b->allow, a->ops) ||
            darn_stay_forbids(a->allow, b->ops));
}

/* The list is locked. */
static bool find(uint32_t number, const struct darn_hold *hold, struct darn_clash *clash)
{
    struct list *list = &lists[number];

    for (struct darn_hold *other = list->first; other; other = other->next) {
        if (!at_odds(hold, other))
            continue;
        *clash = (struct darn_clash){.hold = other,
                                     .healer = other->healer,
                                     .cure = other->cure,
                                     .serial = other->serial,
                                     .list = number,
                                     .lingers = other->state == DARN_HOLD_LINGERS,
                                     .soft = other->soft};
        return true;
    }
    return false;
}

static bool find_locked(uint32_t number, const struct darn_hold *hold, struct darn_clash *clash)
{
    bool found;

    take(&lists[number]);
    found = find(number, hold, clash);
    give(&lists[number]);
    return found;
}

static void link_to(struct list *list, struct darn_hold *hold)
{
    hold->next = list->first;
    list->first = hold;
    hold->linked = true;
}

/* The lines that a wide one touches; all of the table if they are many. */
static bool find_under(const struct darn_hold *hold, struct darn_clash *clash)
{
    uintptr_t first = hold->stay.address / LINE;
    uintptr_t last = (hold->stay.address + hold->stay.size - 1) / LINE;
    struct darn_hold part = {.stay.size = 1};

    if (last - first >= MOST_LINES) {
        for (uint32_t i = 0; i < LISTS; i++) {
            if (find_locked(i, hold, clash))
                return true;
        }
        return false;
    }
    for (uintptr_t line = first; line <= last; line++) {
        part.stay.address = line * LINE;
        if (find_locked(list_of(&part), hold, clash))
            return true;
    }
    return false;
}

/*
 * One that is wide is in no list that the others lock: each side shows itself first, and looks for
 * the other then. Both may step back and try again.
 */
static bool find_across(const struct darn_hold *hold, struct darn_clash *clash)
{
    if (hold->list == WIDE)
        return find_under(hold, clash);
    return atomic_load(&wide) && find_locked(WIDE, hold, clash);
}

static void put(struct darn_hold *hold, bool always, struct darn_clash *clash)
{
    struct list *list;

    hold->list = list_of(hold);
    list = &lists[hold->list];
    take(list);
    clash->hold = NULL;
    if (!find(hold->list, hold, clash) || always) {
        link_to(list, hold);
        if (hold->list == WIDE)
            atomic_fetch_add(&wide, 1);
    }
    give(list);
}

static void unlink_from(struct list *list, struct darn_hold *hold)
{
    struct darn_hold **at = &list->first;

    while (*at && *at != hold)
        at = &(*at)->next;
    if (*at)
        *at = hold->next;
    hold->linked = false;
    if (list == &lists[WIDE])
        atomic_fetch_sub(&wide, 1);
}

static void take_away(struct darn_hold *hold)
{
    struct list *list = &lists[hold->list];
    bool wake;

    take(list);
    if (hold->linked)
        unlink_from(list, hold);
    wake = list->waiters != 0;
    if (wake)
        list->given++;
    give(list);
    if (wake)
        darn_os_wake(&list->given, WOKEN);
}

bool darn_hold_try(struct darn_hold *hold, struct darn_clash *clash)
{
    put(hold, false, clash);
    if (clash->hold)
        return false;
    if (find_across(hold, clash)) {
        take_away(hold);
        return false;
    }
    return true;
}

bool darn_hold_is_wanted(struct darn_hold *hold)
{
    const struct darn_healer *healer = hold->healer;

    return atomic_load_explicit(&lists[list_of(hold)].hungry, memory_order_relaxed) &&
           healer->used == 1u << (hold - healer->holds);
}

static void set_left(struct darn_hold *hold, bool left)
{
    struct darn_healer *healer = hold->healer;
    uint32_t bit = 1u << (hold - healer->holds);

    healer->left = left ? healer->left | bit : healer->left & ~bit;
    darn_own_set_sections(healer->used, healer->left);
}

void darn_hold_force(struct darn_hold *hold)
{
    struct darn_clash unused;

    put(hold, true, &unused);
    set_left(hold, false);
}

void darn_hold_leave(struct darn_hold *hold)
{
    set_left(hold, true);
}

bool darn_hold_is_enabled(struct darn_hold *hold)
{
    struct darn_clash unused;

    hold->list = list_of(hold);
    return !find_locked(hold->list, hold, &unused) && !find_across(hold, &unused);
}

/* The list is locked. */
static bool stands(const struct darn_clash *clash)
{
    const struct darn_hold *hold = clash->hold;

    return hold->linked && !hold->expired && hold->serial == clash->serial;
}

bool darn_hold_stands(const struct darn_clash *clash)
{
    struct list *list = &lists[clash->list];
    bool there;

    take(list);
    there = stands(clash);
    give(list);
    return there;
}

static void end_await(void)
{
    struct list *list = mine.awaited;

    mine.awaited = NULL;
    if (mine.hungry)
        atomic_fetch_sub(&list->hungry, 1);
    take(list);
    list->waiters--;
    give(list);
}

void darn_hold_await(const struct darn_clash *clash, uint64_t nanoseconds, bool hungry)
{
    struct list *list = &lists[clash->list];
    uint32_t given;

    take(list);
    if (!stands(clash)) { /* whoever gave it back saw nobody to wake */
        give(list);
        return;
    }
    list->waiters++;
    given = list->given;
    give(list);
    if (hungry)
        atomic_fetch_add(&list->hungry, 1);
    mine.hungry = hungry;
    mine.awaited = list;
    darn_os_wait(&list->given, given, nanoseconds);
    end_await();
}

void darn_hold_expire(const struct darn_clash *clash)
{
    struct list *list = &lists[clash->list];
    struct darn_hold *hold = clash->hold;

    take(list);
    if (hold->linked && hold->serial == clash->serial)
        hold->expired = true;
    give(list);
}

void darn_hold_pass(const struct darn_clash *clash)
{
    struct list *list = &lists[clash->list];
    struct darn_hold *hold = clash->hold;

    take(list);
    if (__atomic_load_n(&hold->state, __ATOMIC_ACQUIRE) == DARN_HOLD_LINGERS && stands(clash))
        hold->expired = true;
    give(list);
}

void darn_hold_drop(struct darn_hold *hold)
{
    struct darn_healer *healer = hold->healer;
    uint32_t bit = 1u << (hold - healer->holds);

    if (hold->linked)
        take_away(hold);
    hold->state = DARN_HOLD_FREE;
    healer->used &= ~bit;
    healer->ending &= ~bit;
    healer->left &= ~bit;
    darn_own_set_sections(healer->used, healer->left);
}

/* The thread was interrupted while it changed the list: nothing of its own stays there. */
static void clear_list(struct list *list, const struct darn_healer *healer)
{
    struct darn_hold **at = &list->first;
    uint32_t left = 0;

    while (*at) {
        struct darn_hold *hold = *at;

        if (hold->healer == healer) {
            hold->linked = false;
            *at = hold->next;
        } else {
            at = &hold->next;
            left++;
        }
    }
    if (list == &lists[WIDE])
        atomic_store(&wide, left);
}

void darn_holds_leave(struct darn_healer *healer)
{
    for (uint32_t i = 0; i <= LISTS; i++) {
        if (atomic_load_explicit(&lists[i].owner, memory_order_relaxed) != self())
            continue;
        clear_list(&lists[i], healer);
        give(&lists[i]);
    }
    for (uint32_t i = 0; i < DARN_HOLDS; i++) {
        if (healer->holds[i].linked)
            take_away(&healer->holds[i]);
    }
    if (mine.awaited)
        end_await();
}

/* A handler that interrupts a hook may fork: it has this one already; LISTS + 1: none. */
static uint32_t interrupted;

void darn_holds_before_fork(void)
{
    if (!lists)
        return;
    darn_healers_before_fork();
    interrupted = LISTS + 1;
    for (uint32_t i = 0; i <= LISTS; i++) {
        if (atomic_load_explicit(&lists[i].owner, memory_order_relaxed) == self())
            interrupted = i;
        else
            take(&lists[i]);
    }
}

/* In the child, the other threads are gone, and what they held with them. */
static void forget_others(void)
{
    struct darn_thread *self = darn_thread_peek();
    struct darn_healer *own = self ? self->healer : NULL;

    atomic_store(&wide, 0);
    for (uint32_t i = 0; i <= LISTS; i++) {
        bool awaited = mine.awaited == &lists[i];

        lists[i].first = NULL;
        lists[i].waiters = awaited;
        lists[i].hungry = awaited && mine.hungry;
    }
    for (uint32_t i = 0; own && i < DARN_HOLDS; i++) {
        struct darn_hold *hold = &own->holds[i];

        if (!hold->linked)
            continue;
        link_to(&lists[hold->list], hold);
        if (hold->list == WIDE)
            atomic_fetch_add(&wide, 1);
    }
}

void darn_holds_after_fork(bool child)
{
    if (!lists)
        return;
    if (child)
        forget_others();
    for (uint32_t i = 0; i <= LISTS; i++) {
        if (i != interrupted)
            give(&lists[i]);
    }
    darn_healers_after_fork(child);
}
