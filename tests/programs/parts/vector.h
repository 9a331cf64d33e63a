/* A vector whose methods are in another object file: see sections/vector_methods.c. */
#ifndef PARTS_VECTOR_H
#define PARTS_VECTOR_H

#include <pthread.h>

enum { ROOM = 4 };

struct vector {
    pthread_mutex_t lock;
    int size;
    int elements[ROOM];
};

int vector_size(struct vector *vector);
void vector_to_array(struct vector *vector, int *array);
void vector_resize(struct vector *vector, int size);

#endif
