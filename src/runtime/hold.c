#include "runtime/hold.h"

#include <stddef.h>
#include <string.h>

#include "runtime/attention.h"
#include "runtime/os.h"
#include "runtime/spin.h"

#define LISTS 1024
#define LINE  64

/* Who waits for another variable on the same line looks again within a millisecond anyway. */
#define WOKEN 2

/* What reaches over the end of a line is in a list of its own, which everybody looks at. */
#define WIDE LISTS

/* An access that is longer is not compared with more lines than this. */
#define MOST_LINES LISTS

struct list {
    struct darn_spin lock;
    uint32_t waiters; /* protected by the lock */
    struct darn_hold *first;
    volatile uint32_t turn; /* a futex: something was given back */
    _Atomic uint32_t hungry;
    char room[36]; /* a cache line each */
};

static_assert(sizeof(struct list) == LINE, "lists do not share cache lines");

static struct list *lists;
static _Atomic uint32_t wide; /* holds in the list of wide ones */
static struct darn_healer *healers;
static struct darn_spin healers_lock;

int darn_holds_open(void)
{
    if (!lists)
        lists = darn_os_allocate((LISTS + 1) * sizeof(*lists));
    return lists ? 0 : -1;
}

struct darn_healer *darn_healer_of(struct darn_thread *thread)
{
    static struct darn_healer *piece;
    static uint32_t left;
    struct darn_healer *healer = thread->healer;
    uint64_t mask;

    if (healer)
        return healer;
    mask = darn_os_block_signals();
    darn_spin_lock(&healers_lock);
    if (!left) {
        piece = darn_os_allocate(16 * sizeof(*piece));
        left = piece ? 16 : 0;
    }
    if (left) {
        healer = &piece[--left];
        healer->thread = thread;
        for (uint32_t i = 0; i < DARN_HOLDS; i++)
            healer->holds[i].healer = healer;
        healer->next = healers;
        healers = healer;
        thread->healer = healer;
    }
    darn_spin_unlock(&healers_lock);
    darn_os_restore_signals(mask);
    return healer;
}

static void add_up(struct darn_healer *healer, uint32_t i)
{
    if (healer->entered[i].cure)
        atomic_fetch_add_explicit(&healer->entered[i].cure->entered, healer->entered[i].times,
                                  memory_order_relaxed);
    healer->entered[i].times = 0;
}

void darn_healer_count(struct darn_healer *healer, struct darn_cure *cure)
{
    uint32_t i = (uint32_t)((uintptr_t)cure / sizeof(*cure)) % DARN_HOLDS;

    if (healer->entered[i].cure != cure) {
        add_up(healer, i);
        healer->entered[i].cure = cure;
    }
    healer->entered[i].times++;
}

void darn_healers_sum(void)
{
    for (struct darn_healer *healer = healers; healer; healer = healer->next) {
        for (uint32_t i = 0; i < DARN_HOLDS; i++)
            add_up(healer, i);
    }
}

struct darn_hold *darn_hold_new(struct darn_healer *healer)
{
    uint32_t index = (uint32_t)__builtin_ctz(~healer->used);
    struct darn_hold *hold;

    if (index >= DARN_HOLDS)
        return NULL;
    hold = &healer->holds[index];
    healer->used |= 1u << index;
    *hold = (struct darn_hold){.healer = healer, .serial = hold->serial + 1};
    return hold;
}

static uint32_t list_of(const struct darn_hold *hold)
{
    uintptr_t line = hold->address / LINE;

    if ((hold->address + hold->size - 1) / LINE != line)
        return WIDE;
    return (uint32_t)((line ^ line >> 10 ^ line >> 20) % LISTS);
}

static bool at_odds(const struct darn_hold *a, const struct darn_hold *b)
{
    return a->healer != b->healer && !b->expired && a->address < b->address + b->size &&
           b->address < a->address + a->size &&
           (a->alone || b->alone || a->ops & ~b->allow || b->ops & ~a->allow);
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
                                     .turn = list->turn,
                                     .lingers = other->state == DARN_HOLD_LINGERS,
                                     .soft = other->soft};
        return true;
    }
    return false;
}

static bool find_locked(uint32_t number, const struct darn_hold *hold, struct darn_clash *clash)
{
    bool found;

    darn_spin_lock(&lists[number].lock);
    found = find(number, hold, clash);
    darn_spin_unlock(&lists[number].lock);
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
    uintptr_t first = hold->address / LINE, last = (hold->address + hold->size - 1) / LINE;
    struct darn_hold part = {.size = 1};

    if (last - first >= MOST_LINES) {
        for (uint32_t i = 0; i < LISTS; i++) {
            if (find_locked(i, hold, clash))
                return true;
        }
        return false;
    }
    for (uintptr_t line = first; line <= last; line++) {
        part.address = line * LINE;
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
    darn_spin_lock(&list->lock);
    clash->hold = NULL;
    if (!find(hold->list, hold, clash) || always) {
        link_to(list, hold);
        if (hold->list == WIDE)
            atomic_fetch_add(&wide, 1);
    }
    darn_spin_unlock(&list->lock);
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

    darn_spin_lock(&list->lock);
    if (hold->linked)
        unlink_from(list, hold);
    wake = list->waiters != 0;
    if (wake)
        list->turn++;
    darn_spin_unlock(&list->lock);
    if (wake)
        darn_os_wake(&list->turn, WOKEN);
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

void darn_hold_force(struct darn_hold *hold)
{
    struct darn_clash unused;

    put(hold, true, &unused);
}

bool darn_hold_is_possible(struct darn_hold *hold)
{
    struct darn_clash unused;

    hold->list = list_of(hold);
    return !find_locked(hold->list, hold, &unused) && !find_across(hold, &unused);
}

void darn_hold_await(const struct darn_clash *clash, uint64_t nanoseconds, bool hungry)
{
    struct list *list = &lists[clash->list];

    darn_spin_lock(&list->lock);
    list->waiters++;
    darn_spin_unlock(&list->lock);
    if (hungry)
        atomic_fetch_add(&list->hungry, 1);
    darn_os_wait(&list->turn, clash->turn, nanoseconds);
    if (hungry)
        atomic_fetch_sub(&list->hungry, 1);
    darn_spin_lock(&list->lock);
    list->waiters--;
    darn_spin_unlock(&list->lock);
}

void darn_hold_expire(const struct darn_clash *clash)
{
    struct list *list = &lists[clash->list];
    struct darn_hold *hold = clash->hold;

    darn_spin_lock(&list->lock);
    if (hold->linked && hold->serial == clash->serial)
        hold->expired = true;
    darn_spin_unlock(&list->lock);
}

void darn_hold_pass(const struct darn_clash *clash)
{
    struct list *list = &lists[clash->list];
    struct darn_hold *hold = clash->hold;

    darn_spin_lock(&list->lock);
    if (hold->linked && hold->serial == clash->serial && hold->state == DARN_HOLD_LINGERS)
        hold->expired = true;
    darn_spin_unlock(&list->lock);
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
}

void darn_holds_before_fork(void)
{
    if (!lists)
        return;
    darn_spin_lock(&healers_lock);
    for (uint32_t i = 0; i <= LISTS; i++)
        darn_spin_lock(&lists[i].lock);
}

/* In the child, the other threads are gone, and what they held with them. */
static void forget_others(void)
{
    struct darn_thread *self = darn_thread_peek();
    struct darn_healer *own = self ? self->healer : NULL;

    atomic_store(&wide, 0);
    for (uint32_t i = 0; i <= LISTS; i++) {
        lists[i].first = NULL;
        lists[i].waiters = 0;
        lists[i].hungry = 0;
    }
    for (struct darn_healer *healer = healers; healer; healer = healer->next) {
        if (healer != own)
            healer->used = healer->ending = 0;
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
    for (uint32_t i = 0; i <= LISTS; i++)
        darn_spin_unlock(&lists[i].lock);
    darn_spin_unlock(&healers_lock);
}
