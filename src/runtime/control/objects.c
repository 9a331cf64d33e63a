#include "runtime/control/objects.h"

#include <stddef.h>

#include "runtime/os/os.h"

#define HEADS  4096
#define PIECE  1024
#define PIECES 1024

static uint32_t heads[HEADS];
static struct darn_object *pieces[PIECES];
static uint32_t count;
static struct darn_object shared;

static struct darn_object *at(uint32_t index)
{
    return &pieces[index / PIECE][index % PIECE];
}

static struct darn_object *make(uint64_t address, uint32_t *head)
{
    struct darn_object *object;

    if (count == PIECES * PIECE)
        return &shared;
    if (count % PIECE == 0 && !pieces[count / PIECE])
        pieces[count / PIECE] = darn_os_allocate(PIECE * sizeof(struct darn_object));
    if (!pieces[count / PIECE])
        return &shared;
    object = at(count);
    object->address = address;
    object->next = *head;
    *head = ++count;
    return object;
}

struct darn_object *darn_object(const volatile void *address)
{
    uint64_t key = (uint64_t)(uintptr_t)address;
    uint32_t *head = &heads[(key >> 3 ^ key >> 15) % HEADS];

    for (uint32_t index = *head; index; index = at(index - 1)->next) {
        if (at(index - 1)->address == key)
            return at(index - 1);
    }
    return make(key, head);
}
