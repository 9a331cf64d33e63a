#include "table.h"

#include <stdlib.h>

#include "monitor.h"

struct table *table_create(int capacity)
{
    struct table *table = calloc(1, sizeof(*table));

    if (!table || !(table->chains = calloc((size_t)capacity, sizeof(struct table_entry *))))
        abort();
    monitor_init(&table->lock);
    table->capacity = capacity;
    return table;
}

static void drop_entries(struct table *table)
{
    for (int i = 0; i < table->capacity; i++) {
        while (table->chains[i]) {
            struct table_entry *entry = table->chains[i];

            table->chains[i] = entry->next;
            free(entry);
        }
    }
    table->count = 0;
}

void table_destroy(struct table *table)
{
    drop_entries(table);
    pthread_mutex_destroy(&table->lock);
    free(table->chains);
    free(table);
}

/* The two that follow are called with the lock held. */

/* Where the pointer to the entry is, or would have to be. */
static struct table_entry **find(struct table *table, int key)
{
    struct table_entry **entry = &table->chains[(unsigned)key % (unsigned)table->capacity];

    while (*entry && (*entry)->key != key)
        entry = &(*entry)->next;
    return entry;
}

static void spread(struct table *table, int capacity)
{
    struct table_entry **old = table->chains;
    int length = table->capacity;

    table->chains = calloc((size_t)capacity, sizeof(struct table_entry *));
    if (!table->chains)
        abort();
    table->capacity = capacity;
    for (int i = 0; i < length; i++) {
        while (old[i]) {
            struct table_entry *entry = old[i], **place = find(table, entry->key);

            old[i] = entry->next;
            entry->next = NULL;
            *place = entry;
        }
    }
    free(old);
}

/* ---- methods of one table ---- */

int table_size(struct table *table)
{
    int count;

    monitor_enter(&table->lock);
    count = table->count;
    monitor_leave(&table->lock);
    return count;
}

bool table_is_empty(struct table *table)
{
    return table_size(table) == 0;
}

int table_get(struct table *table, int key)
{
    struct table_entry *entry;
    int value;

    monitor_enter(&table->lock);
    entry = *find(table, key);
    value = entry ? entry->value : 0;
    monitor_leave(&table->lock);
    return value;
}

bool table_contains_key(struct table *table, int key)
{
    bool is_there;

    monitor_enter(&table->lock);
    is_there = *find(table, key) != NULL;
    monitor_leave(&table->lock);
    return is_there;
}

bool table_contains_value(struct table *table, int value)
{
    bool is_there = false;

    monitor_enter(&table->lock);
    for (int i = 0; i < table->capacity; i++)
        for (struct table_entry *entry = table->chains[i]; entry; entry = entry->next)
            is_there |= entry->value == value;
    monitor_leave(&table->lock);
    return is_there;
}

int table_hash(struct table *table)
{
    unsigned hash = 0;

    monitor_enter(&table->lock);
    for (int i = 0; i < table->capacity; i++)
        for (struct table_entry *entry = table->chains[i]; entry; entry = entry->next)
            hash += (unsigned)entry->key ^ (unsigned)entry->value;
    monitor_leave(&table->lock);
    return (int)(hash & 0x7fffffff);
}

void table_put(struct table *table, int key, int value)
{
    struct table_entry **place;

    monitor_enter(&table->lock);
    place = find(table, key);
    if (*place) {
        (*place)->value = value;
    } else {
        struct table_entry *entry = calloc(1, sizeof(*entry));

        if (!entry)
            abort();
        entry->key = key;
        entry->value = value;
        *place = entry;
        table->changes++;
        if (++table->count > 2 * table->capacity)
            spread(table, 2 * table->capacity + 1);
    }
    monitor_leave(&table->lock);
}

void table_remove(struct table *table, int key)
{
    struct table_entry **place, *entry;

    monitor_enter(&table->lock);
    place = find(table, key);
    entry = *place;
    if (entry) {
        *place = entry->next;
        table->changes++;
        table->count--;
        free(entry);
    }
    monitor_leave(&table->lock);
}

void table_clear(struct table *table)
{
    monitor_enter(&table->lock);
    table->changes++;
    drop_entries(table);
    monitor_leave(&table->lock);
}

void table_rehash(struct table *table)
{
    monitor_enter(&table->lock);
    table->changes++;
    spread(table, 2 * table->capacity + 1);
    monitor_leave(&table->lock);
}

bool table_is_sound(struct table *table)
{
    int count = 0;
    bool is_sound;

    monitor_enter(&table->lock);
    for (int i = 0; i < table->capacity; i++)
        for (struct table_entry *entry = table->chains[i]; entry; entry = entry->next)
            count++;
    is_sound = count == table->count;
    monitor_leave(&table->lock);
    return is_sound;
}

/* ---- methods of two tables ---- */

/* An iterator of Java: each step takes the lock for itself. Unlike those of Java, it looks again
 * for changes while it holds the lock: an entry may have been freed. */
struct walk {
    struct table *table;
    int changes;
    int next; /* how many entries it has gone by */
};

static struct walk walk_over(struct table *table)
{
    return (struct walk){.table = table, .changes = table->changes};
}

/* Called with the lock held: the entry with this number, or NULL. */
static struct table_entry *entry_number(struct table *table, int number)
{
    for (int i = 0; i < table->capacity; i++)
        for (struct table_entry *entry = table->chains[i]; entry; entry = entry->next)
            if (number-- == 0)
                return entry;
    return NULL;
}

/* 1: there is a next entry; 0: there is none; -1: the table has changed. */
static int walk_on(struct walk *walk, int *key, int *value)
{
    struct table_entry *entry = NULL;
    int state = -1;

    if (walk->table->changes != walk->changes)
        return -1;
    monitor_enter(&walk->table->lock);
    if (walk->table->changes == walk->changes) {
        entry = entry_number(walk->table, walk->next++);
        state = entry != NULL;
    }
    if (entry) {
        *key = entry->key;
        *value = entry->value;
    }
    monitor_leave(&walk->table->lock);
    return state;
}

int table_put_all(struct table *table, struct table *other)
{
    struct walk walk = walk_over(other);
    int key, value, state;

    monitor_enter(&table->lock);
    while ((state = walk_on(&walk, &key, &value)) > 0)
        table_put(table, key, value);
    monitor_leave(&table->lock);
    return state;
}

/* The size is only asked for to begin with a good capacity. */
struct table *table_copy(struct table *other)
{
    struct table *copy = table_create(2 * table_size(other) + 1);

    if (table_put_all(copy, other) == 0)
        return copy;
    table_destroy(copy);
    return NULL;
}

int table_remove_all(struct table *table, struct table *other)
{
    struct walk walk = walk_over(other);
    int key, value, state;

    monitor_enter(&table->lock);
    while ((state = walk_on(&walk, &key, &value)) > 0)
        table_remove(table, key);
    monitor_leave(&table->lock);
    return state;
}

int table_equals(struct table *table, struct table *other)
{
    struct walk walk = walk_over(other);
    int key, value, state;
    bool is_same;

    monitor_enter(&table->lock);
    is_same = table_size(other) == table->count;
    while ((state = walk_on(&walk, &key, &value)) > 0)
        is_same &= table_get(table, key) == value;
    monitor_leave(&table->lock);
    return state < 0 ? -1 : is_same;
}
