/*
 * A vector in which every method takes the lock of its object, after java.util.Vector of JDK 1.4.2.
 * Methods that take another vector call methods of that one, each of which takes its lock for
 * itself.
 *
 * Not atomic, because the other vector may change between two of these calls:
 *   bugs: vector_copy, vector_remove_all, vector_retain_all, vector_contains_all
 *   benign: vector_add_all, vector_insert_all (they go by what they really got),
 *           vector_equals, vector_starts_with (they say so when the other one has changed)
 */
#ifndef ATOMICITY_VECTOR_H
#define ATOMICITY_VECTOR_H

#include <pthread.h>
#include <stdbool.h>

struct vector {
    pthread_mutex_t lock; /* of all that follows, but `changes` is also read without it */
    int *elements;
    int count;
    int capacity;
    int changes; /* how often it was changed: for those who walk over it */
};

struct vector *vector_create(int capacity);
void vector_destroy(struct vector *vector);

/* What takes an index does nothing, or gives 0, where there is no such element. */
int vector_size(struct vector *vector);
bool vector_is_empty(struct vector *vector);
int vector_get(struct vector *vector, int at);
int vector_first(struct vector *vector);
int vector_last(struct vector *vector);
int vector_index_of(struct vector *vector, int value); /* -1: none */
bool vector_contains(struct vector *vector, int value);
int vector_to_array(struct vector *vector, int *array, int size); /* how many it has copied */

void vector_add(struct vector *vector, int value);
void vector_insert(struct vector *vector, int at, int value);
void vector_set(struct vector *vector, int at, int value);
void vector_remove_at(struct vector *vector, int at);
bool vector_remove(struct vector *vector, int value);
void vector_clear(struct vector *vector);
void vector_set_size(struct vector *vector, int size);
void vector_reserve(struct vector *vector, int capacity);
void vector_trim(struct vector *vector);

struct vector *vector_copy(struct vector *other);
void vector_remove_all(struct vector *vector, struct vector *other);
void vector_retain_all(struct vector *vector, struct vector *other);
bool vector_contains_all(struct vector *vector, struct vector *other);
void vector_add_all(struct vector *vector, struct vector *other);
void vector_insert_all(struct vector *vector, int at, struct vector *other);

/* 1: yes, 0: no, -1: the other one was changed meanwhile. */
int vector_equals(struct vector *vector, struct vector *other);
int vector_starts_with(struct vector *vector, struct vector *other);

/* Whether the numbers of the vector fit together; a test of the test. */
bool vector_is_sound(struct vector *vector);

#endif
