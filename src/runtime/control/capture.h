/* What a controlled run leaves in the control block for the report. */
#ifndef DARN_RUNTIME_CAPTURE_H
#define DARN_RUNTIME_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "schedule/block.h"

struct darn_slot;

/* Two threads have met: `b_first` says which of them goes first. Ends the run if that was wanted.
 */
void darn_capture_met(enum darn_met_kind kind, const struct darn_slot *a, const struct darn_slot *b,
                      bool b_first, uint64_t step);

/* The thread is about to make the second local access of a triple. What it and the remote thread
 * were about to do before was noted for it then: `which` is 0 for the first access, 1 for the
 * second, 2 for the third of four. */
void darn_capture_tripled(const struct darn_slot *local, uint64_t step);
void darn_capture_note(const struct darn_slot *local, const struct darn_slot *slot, uint32_t which);

/* The thread in `slot` is about to make the last of four accesses, the first of which was made by
 * `local`. */
void darn_capture_quadrupled(const struct darn_slot *local, const struct darn_slot *slot,
                             uint64_t step);

/* Two threads are about to race, whoever goes first. */
void darn_capture_races(const struct darn_slot *slot);

/* All threads, as they stand now. */
void darn_capture_threads(void);

/* Stops the process for a debugger, which sets the variable to 0: to attach lets a process that has
 * stopped run for a moment. */
void darn_capture_hold(void);
extern volatile int darn_capture_held;

#endif
