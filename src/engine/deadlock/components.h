/* Strongly connected components of the nodes of a lock graph (Tarjan), without recursion: a chain
 * of locks may be as long as memory allows. */
#ifndef DARN_ENGINE_COMPONENTS_H
#define DARN_ENGINE_COMPONENTS_H

#include <stdint.h>

#include "engine/deadlock/lockgraph.h"

/* Writes the component of each node, from 0 on, and returns how many there are. */
uint32_t darn_find_components(const struct darn_lockgraph *graph, uint32_t *component);

#endif
