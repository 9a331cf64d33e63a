#include "engine/common/pointers.h"

#include "base/hash.h"

void darn_pointers_init(struct darn_pointers *pointers)
{
    *pointers = (struct darn_pointers){.all = {.item = sizeof(struct darn_pointer)}};
}

void darn_pointers_free(struct darn_pointers *pointers)
{
    darn_pool_free(&pointers->all);
    darn_htable_free(&pointers->table);
}

static struct darn_pointer *find_pointer(const struct darn_pointers *pointers, uint64_t at,
                                         uint64_t holder)
{
    uint32_t hash = darn_spread(at), number;
    size_t probe = hash;

    while ((number = darn_htable_next(&pointers->table, hash, &probe))) {
        struct darn_pointer *pointer = darn_pool_at(&pointers->all, number);

        if (pointer->at == at && pointer->holder == holder)
            return pointer;
    }
    return NULL;
}

void darn_pointers_put(struct darn_pointers *pointers, uint32_t *list,
                       const struct darn_pointer *pointer)
{
    struct darn_pointer *known = find_pointer(pointers, pointer->at, pointer->holder);
    uint32_t number;

    if (known) {
        known->value = pointer->value;
        known->size = pointer->size;
        return;
    }
    number = darn_pool_take(&pointers->all);
    known = darn_pool_at(&pointers->all, number);
    *known = *pointer;
    known->next = *list;
    *list = number;
    darn_htable_add(&pointers->table, darn_spread(pointer->at), number);
}

void darn_pointers_take(struct darn_pointers *pointers, uint32_t *list, uint64_t start,
                        uint64_t size,
                        void (*each)(void *context, const struct darn_pointer *pointer),
                        void *context)
{
    while (*list) {
        struct darn_pointer *pointer = darn_pool_at(&pointers->all, *list);
        uint32_t taken = *list;

        if (size != UINT64_MAX && pointer->at - start >= size) {
            list = &pointer->next;
            continue;
        }
        *list = pointer->next;
        if (each)
            each(context, pointer);
        darn_htable_remove(&pointers->table, darn_spread(pointer->at), taken);
        darn_pool_give(&pointers->all, taken);
    }
}

size_t darn_pointers_memory(const struct darn_pointers *pointers)
{
    return darn_pool_memory(&pointers->all) + darn_htable_memory(&pointers->table);
}
