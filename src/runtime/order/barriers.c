#include "runtime/order/barriers.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"

/* By hash of the address. One that finds its cell taken has one clock. */
#define BARRIERS 256

#define NO_TICKET UINT64_MAX

struct barrier {
    _Atomic uintptr_t address;
    uint32_t count;
    _Atomic uint32_t inside;
    _Atomic uint64_t tickets;
    _Atomic bool is_one; /* both clocks count as one */
};

static struct barrier barriers[BARRIERS];

static struct barrier *cell_of(uintptr_t address)
{
    return &barriers[darn_spread(address) % BARRIERS];
}

void darn_barrier_init(uintptr_t address, uint32_t count)
{
    struct barrier *barrier = cell_of(address);
    uintptr_t there = 0;

    if (!atomic_compare_exchange_strong(&barrier->address, &there, address) && there != address)
        return;
    barrier->count = count;
    atomic_store(&barrier->inside, 0);
    atomic_store(&barrier->tickets, 0);
    atomic_store(&barrier->is_one, count == 0);
}

void darn_barrier_destroy(uintptr_t address)
{
    atomic_compare_exchange_strong(&cell_of(address)->address, &address, 0);
}

static struct barrier *find_barrier(uintptr_t address)
{
    struct barrier *barrier = cell_of(address);

    return atomic_load(&barrier->address) == address && !atomic_load(&barrier->is_one) ? barrier
                                                                                       : NULL;
}

/*
 * Who takes a ticket of the next meeting before this one is complete finds all of this one inside,
 * and itself: one too many. So it is inside before it takes the ticket, and looks after that. It
 * has said so before anybody of this meeting can leave in its place.
 */
static uint64_t take_ticket(struct barrier *barrier)
{
    uint64_t ticket;

    atomic_fetch_add(&barrier->inside, 1);
    ticket = atomic_fetch_add(&barrier->tickets, 1);
    if (atomic_load(&barrier->inside) > barrier->count)
        atomic_store(&barrier->is_one, true);
    return ticket;
}

/* Who leaves first sees whether somebody has come without a ticket. */
static void give_back(struct barrier *barrier, uint64_t ticket)
{
    if (atomic_load(&barrier->tickets) / barrier->count <= ticket / barrier->count)
        atomic_store(&barrier->is_one, true);
    atomic_fetch_sub(&barrier->inside, 1);
}

static uintptr_t clock_of(const struct barrier *barrier, uintptr_t address, uint64_t ticket)
{
    return address + ticket / barrier->count % 2;
}

void darn_barrier_arrive(struct darn_thread_order *order, uintptr_t address)
{
    struct barrier *barrier = find_barrier(address);

    order->ticket = barrier ? take_ticket(barrier) : NO_TICKET;
    if (barrier && find_barrier(address)) {
        darn_clock_release(&order->clock, clock_of(barrier, address, order->ticket));
        return;
    }
    darn_clock_release(&order->clock, address);
    darn_clock_release(&order->clock, address + 1);
}

void darn_barrier_depart(struct darn_thread_order *order, uintptr_t address)
{
    struct barrier *barrier = order->ticket == NO_TICKET ? NULL : find_barrier(address);

    if (barrier)
        give_back(barrier, order->ticket);
    if (barrier && find_barrier(address)) {
        darn_clock_acquire(&order->clock, clock_of(barrier, address, order->ticket));
        return;
    }
    darn_clock_acquire(&order->clock, address);
    darn_clock_acquire(&order->clock, address + 1);
}
