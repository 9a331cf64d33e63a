/* Which file an address comes from: /proc/self/maps, read when a report needs it. */
#ifndef DARN_RUNTIME_MAPS_H
#define DARN_RUNTIME_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct darn_maps;

/* Reads the maps anew; one at a time (the reports' lock). NULL when /proc is not there. */
struct darn_maps *darn_maps_read(void);

/* The file that the address is mapped from, and its address in that ELF file. NULL when none. */
const char *darn_maps_find(struct darn_maps *maps, uintptr_t address, uint64_t *offset);

/* Calls back with each part of a file that is mapped: `offset` is the address of `start` in the ELF
 * file. */
void darn_maps_each(struct darn_maps *maps, void (*visit)(uintptr_t start, uintptr_t end,
                                                          uint64_t offset, const char *path));

/* Calls back with each part that can be written to; `shared`: other processes may do so, too. */
void darn_maps_each_writable(struct darn_maps *maps,
                             void (*visit)(uintptr_t start, uintptr_t end, bool shared));

/* Calls back with each part that holds code; `writable`: there may be other code later. `is_vdso`:
 * it is the kernel's, which tells the time without a call. */
void darn_maps_each_code(struct darn_maps *maps, void (*visit)(uintptr_t start, uintptr_t end,
                                                               bool writable, bool is_vdso));

/* The file behind a part that processes can share, as /proc names it ("00:01 1234"); false: the
 * address is in none. *is_open: those can have it who have not got it yet, by its name or key. */
bool darn_maps_find_shared(struct darn_maps *maps, uintptr_t address, char *file, size_t size,
                           bool *is_open);

/* Whether another process has mapped such a file. */
bool darn_maps_are_shared(int pid, const char *file);

/* Where the part begins that the address lies in; the address itself if in none. */
uintptr_t darn_maps_start(struct darn_maps *maps, uintptr_t address);

/* Whether the address lies on the stack of the main thread. */
bool darn_maps_is_main_stack(struct darn_maps *maps, uintptr_t address);

#endif
