#include "engine/common/pointers.h"

#include <stdlib.h>

#include "engine/common/grow.h"

#define FIRST_BUCKETS 64

void darn_pointers_free(struct darn_pointers *pointers)
{
    free(pointers->all);
    free(pointers->buckets);
    *pointers = (struct darn_pointers){0};
}

static uint32_t *bucket_of(const struct darn_pointers *pointers, uint64_t at)
{
    return &pointers->buckets[darn_spread(at) & (pointers->bucket_count - 1)];
}

static void grow_buckets(struct darn_pointers *pointers)
{
    uint32_t *old = pointers->buckets;
    size_t old_count = pointers->bucket_count;

    if (pointers->live < old_count)
        return;
    pointers->bucket_count = old_count ? 4 * old_count : FIRST_BUCKETS;
    pointers->buckets = darn_need_memory(calloc(pointers->bucket_count, sizeof(*old)));
    for (size_t i = 0; i < old_count; i++) {
        for (uint32_t number = old[i]; number;) {
            struct darn_pointer *pointer = &pointers->all[number];
            uint32_t *to = bucket_of(pointers, pointer->at), next = pointer->chain;

            pointer->chain = *to;
            *to = number;
            number = next;
        }
    }
    free(old);
}

static uint32_t find(const struct darn_pointers *pointers, const struct darn_pointer *like)
{
    uint32_t number = pointers->bucket_count ? *bucket_of(pointers, like->at) : 0;

    while (number &&
           (pointers->all[number].at != like->at || pointers->all[number].holder != like->holder))
        number = pointers->all[number].chain;
    return number;
}

static uint32_t new_number(struct darn_pointers *pointers)
{
    uint32_t number = pointers->first_free;

    if (number) {
        pointers->first_free = pointers->all[number].next;
        return number;
    }
    pointers->count++;
    pointers->all =
        darn_grow(pointers->all, &pointers->capacity, pointers->count + 1, sizeof(*pointers->all));
    return (uint32_t)pointers->count;
}

void darn_pointers_put(struct darn_pointers *pointers, uint32_t *list,
                       const struct darn_pointer *pointer)
{
    uint32_t number = find(pointers, pointer), *bucket;

    if (number) {
        pointers->all[number].value = pointer->value;
        pointers->all[number].size = pointer->size;
        return;
    }
    grow_buckets(pointers);
    number = new_number(pointers);
    bucket = bucket_of(pointers, pointer->at);
    pointers->all[number] = *pointer;
    pointers->all[number].chain = *bucket;
    pointers->all[number].next = *list;
    *bucket = *list = number;
    pointers->live++;
}

static void forget(struct darn_pointers *pointers, uint32_t number)
{
    uint32_t *link = bucket_of(pointers, pointers->all[number].at);

    while (*link != number)
        link = &pointers->all[*link].chain;
    *link = pointers->all[number].chain;
    pointers->all[number].next = pointers->first_free;
    pointers->first_free = number;
    pointers->live--;
}

void darn_pointers_take(struct darn_pointers *pointers, uint32_t *list, uint64_t start,
                        uint64_t size,
                        void (*each)(void *context, const struct darn_pointer *pointer),
                        void *context)
{
    while (*list) {
        struct darn_pointer *pointer = &pointers->all[*list];
        uint32_t taken = *list;

        if (size != UINT64_MAX && pointer->at - start >= size) {
            list = &pointer->next;
            continue;
        }
        *list = pointer->next;
        if (each)
            each(context, pointer);
        forget(pointers, taken);
    }
}

size_t darn_pointers_memory(const struct darn_pointers *pointers)
{
    return pointers->capacity * sizeof(*pointers->all) +
           pointers->bucket_count * sizeof(*pointers->buckets);
}
