#include "runtime/own.h"

__attribute__((visibility("default"))) __thread uint8_t darn_trust;

/* A lock that another thread has given back would seem to be held for ever: it is found when it is
 * taken again. */
static void drop_stale(struct darn_own *own, uintptr_t lock)
{
    for (uint32_t i = 0; i < own->count && !darn_own_is_shared(lock); i++) {
        if (own->held[i] == lock) {
            darn_own_remove_at(own, i);
            return;
        }
    }
}

void darn_own_add_slowly(struct darn_own *own, uintptr_t lock, bool nests)
{
    if (!nests)
        drop_stale(own, lock);
    if (own->count < DARN_OWN_LOCKS)
        own->held[own->count++] = lock;
    else
        own->beyond++;
    darn_own_count(own, lock, 1);
}

int darn_own_find(const struct darn_own *own, const volatile void *lock)
{
    for (uint32_t i = own->count; i-- > 0;) {
        if ((own->held[i] & ~(uintptr_t)DARN_OWN_SHARED) == (uintptr_t)lock)
            return (int)i;
    }
    return -1;
}

void darn_own_remove_at(struct darn_own *own, uint32_t index)
{
    darn_own_count(own, own->held[index], -1);
    own->count--;
    for (uint32_t i = index; i < own->count; i++)
        own->held[i] = own->held[i + 1];
}

void darn_own_remove_slowly(struct darn_own *own, const volatile void *lock)
{
    int index = darn_own_find(own, lock);

    if (index >= 0) {
        darn_own_remove_at(own, (uint32_t)index);
    } else if (own->beyond) {
        own->beyond--;
        darn_own_count(own, 0, -1);
    }
}
