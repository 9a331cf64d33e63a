/*
 * A hash table in which every method takes the lock of its object, after java.util.Hashtable of JDK
 * 1.4.2. Methods that take another table walk over it, and each step takes its lock anew.
 *
 * Not atomic, because the other table may change between two steps:
 *   benign: table_copy, table_put_all, table_remove_all, table_equals
 * Each of them says so when it has noticed a change, and its caller tries again.
 */
#ifndef ATOMICITY_TABLE_H
#define ATOMICITY_TABLE_H

#include <pthread.h>
#include <stdbool.h>

struct table_entry {
    struct table_entry *next;
    int key, value;
};

struct table {
    pthread_mutex_t lock; /* of all that follows, but `changes` is also read without it */
    struct table_entry **chains;
    int capacity; /* the number of chains */
    int count;
    int changes; /* how often a key came or went: for those who walk over it */
};

struct table *table_create(int capacity);
void table_destroy(struct table *table);

int table_size(struct table *table);
bool table_is_empty(struct table *table);
int table_get(struct table *table, int key); /* 0: not there */
bool table_contains_key(struct table *table, int key);
bool table_contains_value(struct table *table, int value);
int table_hash(struct table *table);

void table_put(struct table *table, int key, int value);
void table_remove(struct table *table, int key);
void table_clear(struct table *table);
void table_rehash(struct table *table);

/* NULL or -1: the other one was changed meanwhile. Else a copy to be destroyed, and 0. */
struct table *table_copy(struct table *other);
int table_put_all(struct table *table, struct table *other);
int table_remove_all(struct table *table, struct table *other);
int table_equals(struct table *table, struct table *other); /* 1: yes, 0: no, or -1 */

/* Whether the table has as many entries as it says; a test of the test. */
bool table_is_sound(struct table *table);

#endif
