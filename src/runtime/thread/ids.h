/* Which thread a pthread_t stands for: from its creation until another one has the same. */
#ifndef DARN_RUNTIME_IDS_H
#define DARN_RUNTIME_IDS_H

#include <stdbool.h>
#include <stdint.h>

/* Both the creator says it and the thread itself, in any order. */
void darn_id_name(unsigned long id, uint32_t number);

/* false: nobody has said it, there was no room, or it may be one of two. */
bool darn_id_find(unsigned long id, uint32_t *number);

#endif
