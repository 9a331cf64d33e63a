#include "runtime/thread/ids.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/hash.h"
#include "runtime/report/counters.h"

#define IDS 16384

/* The first of the cells of an id are those of a page: each run of a controlled program is a new
 * process, and has each page of the table for the first time. */
#define NEAR_IDS   256
#define NEAR_TRIES 16
#define TRIES      80

/* An id is used again by a thread that was created later. If a lower number comes after a higher
 * one, two threads were created at once: which of them has it now is not known. */
#define EITHER UINT32_MAX

static struct {
    _Atomic unsigned long id;        /* 0: unused */
    _Atomic uint32_t number_and_one; /* 0: about to be said */
} ids[IDS];

static size_t cell_of(unsigned long id, size_t tries)
{
    size_t hash = darn_mix(id); /* stacks have few different distances */

    return tries < NEAR_TRIES ? (hash + tries) % NEAR_IDS
                              : NEAR_IDS + (hash + tries) % (IDS - NEAR_IDS);
}

static void name_cell(size_t i, uint32_t to)
{
    uint32_t before = atomic_load(&ids[i].number_and_one);

    while (
        before != to && before != EITHER &&
        !atomic_compare_exchange_weak(&ids[i].number_and_one, &before, before < to ? to : EITHER))
        continue;
}

void darn_id_name(unsigned long id, uint32_t number)
{
    for (size_t tries = 0; tries < TRIES; tries++) {
        size_t i = cell_of(id, tries);
        unsigned long expected = 0;

        if (atomic_load(&ids[i].id) == id ||
            atomic_compare_exchange_strong(&ids[i].id, &expected, id) || expected == id) {
            name_cell(i, number + 1);
            return;
        }
    }
    darn_count(DARN_COUNT_JOINS_UNKNOWN);
}

bool darn_id_find(unsigned long id, uint32_t *number)
{
    for (size_t tries = 0; id && tries < TRIES; tries++) {
        size_t i = cell_of(id, tries);

        if (atomic_load(&ids[i].id) == id) {
            uint32_t found = atomic_load(&ids[i].number_and_one);

            *number = found - 1;
            return found && found != EITHER;
        }
    }
    return false;
}
