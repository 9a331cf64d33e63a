/* The methods of the vector: each is right by itself. */
#include "vector.h"

int vector_size(struct vector *vector)
{
    pthread_mutex_lock(&vector->lock);
    int size = vector->size; /* access: SIZE */
    pthread_mutex_unlock(&vector->lock);
    return size;
}

void vector_to_array(struct vector *vector, int *array)
{
    pthread_mutex_lock(&vector->lock);
    int size = vector->size; /* access: ELEMENTS */
    for (int i = 0; i < size; i++)
        array[i] = vector->elements[i];
    pthread_mutex_unlock(&vector->lock);
}

void vector_resize(struct vector *vector, int size)
{
    pthread_mutex_lock(&vector->lock);
    vector->size = size; /* access: RESIZE */
    pthread_mutex_unlock(&vector->lock);
}
