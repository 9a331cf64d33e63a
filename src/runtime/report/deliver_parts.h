/* The parts of a raw finding (docs/raw-finding-format.md), written by all who deliver one:
 * deliver.c, deliver_violation.c and deliver_crash.c. */
#ifndef DARN_RUNTIME_DELIVER_PARTS_H
#define DARN_RUNTIME_DELIVER_PARTS_H

#include "base/json.h"
#include "runtime/report/deliver.h"
#include "runtime/report/maps.h"
#include "runtime/report/tell.h"
#include "runtime/watch/watch.h"

/* `darn report` ends with these. */
#define DARN_STATUS_REPORTED   0
#define DARN_STATUS_SUPPRESSED 3
#define DARN_STATUS_PREDICTED  66

/* Starts a record, in memory of which there is one. Whether there is any: if not, what is written
 * is lost, and darn_part_send knows it. */
bool darn_part_start(struct darn_json *json);

/* Which process it is; after it comes what is found. */
void darn_part_process(struct darn_json *json);

/* The process, and what is found: all that findings have in common. */
void darn_part_head(struct darn_json *json, uint64_t id, const char *kind, const char *engine,
                    const char *certainty);

/* Has the record reported. Not `told`: there is no `darn report`, or the record is too long for the
 * memory; the caller says in a line or two what there is to say. */
enum darn_delivery darn_part_send(const struct darn_json *json, bool *told);

void darn_part_id(struct darn_json *json, const char *key, uint64_t id);
void darn_part_thread(struct darn_json *json, const char *key, uint32_t number);
void darn_part_stack(struct darn_json *json, struct darn_maps *maps,
                     const struct darn_stack *stack);
void darn_part_locks(struct darn_json *json, struct darn_maps *maps,
                     const struct darn_locks *locks);

/* The locks under which the address was accessed, by whoever. */
void darn_part_guards(struct darn_json *json, struct darn_maps *maps, uintptr_t address);

/* `module` and `offset` of an address that is in a file. */
void darn_part_position(struct darn_json *json, struct darn_maps *maps, uintptr_t address);

/* One of the accesses. `names`: with its variable, which is not that of the finding. */
void darn_part_side(struct darn_json *json, struct darn_maps *maps, const struct darn_side *side,
                    bool names);

/* Where its thread comes from. */
void darn_part_origin(struct darn_json *json, struct darn_maps *maps, const struct darn_side *side);

/* What the memory is; the key of the format is `place`. */
void darn_part_location(struct darn_json *json, struct darn_maps *maps, uintptr_t address);

/* The heap blocks in which the locks are that the sides hold or wait for, each once. A zeroed struct
 * knows none. */
#define DARN_PART_BLOCKS 8
struct darn_part_blocks {
    uintptr_t told[DARN_PART_BLOCKS];
    uint32_t count;
};
void darn_part_block(struct darn_json *json, struct darn_maps *maps,
                     struct darn_part_blocks *blocks, uintptr_t lock);
void darn_part_lock_blocks(struct darn_json *json, struct darn_maps *maps,
                           struct darn_part_blocks *blocks, const struct darn_locks *locks);

/* "read", "write", … */
const char *darn_part_op(const struct darn_side *side);

/* Without `darn report`: `bank.c:12:19: `, then what the caller says, then `write by thread T1`. */
void darn_part_say_start(struct darn_say *say, const struct darn_side *side);
void darn_part_say_end(struct darn_say *say, const struct darn_side *side);

#endif
