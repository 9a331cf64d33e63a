/*
 * The index of a hunt: what is in its directory (docs/cmd-hunt.md), and all that the next hunt has
 * to know to go on there.
 *
 * - state.json: the program, and what was done so far
 * - index.jsonl: one object for each finding: the proofs, the worst first, then what was predicted
 *   and could not be confirmed
 * - 1, 2, …: the directory of a proof (kept.h), with report.txt: the report for people
 */
#ifndef DARN_DRIVER_INDEX_H
#define DARN_DRIVER_INDEX_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "driver/process/listener.h"
#include "report/text/style.h"

struct darn_index {
    char directory[PATH_MAX];
    json_t *state;   /* an object */
    json_t *entries; /* an array of objects; proofs and suspicions have a `directory` */
};

/* Reads what is there; a directory without an index has an empty one. 0, or
 * DARN_REFUSED. */
int darn_index_open(struct darn_index *index, struct darn_listener *listener,
                    const char *directory);
void darn_index_close(struct darn_index *index);

/* Writes it, each file as a whole. 0 or a negative errno. */
int darn_index_write(const struct darn_index *index);

/* The entry of the finding; NULL when there is none. */
json_t *darn_index_find(const struct darn_index *index, const char *id);

/* Takes the object over, in the place of one that has the same id; keeps them sorted. */
void darn_index_put(struct darn_index *index, json_t *entry);

void darn_index_drop(struct darn_index *index, const char *id);

/* The fields of an entry. Every one has an id and a kind; of others NULL says that it has none. */
const char *darn_index_id(const json_t *entry);
const char *darn_index_kind(const json_t *entry);
const char *darn_index_directory(const json_t *entry); /* of a proof */
const char *darn_index_leader(const json_t *entry);    /* of a variant: the id of the first one */
bool darn_index_is_shrunk(const json_t *entry);

bool darn_index_is_proof(const json_t *entry);

/* An atomic section that nobody has declared was interrupted, and nothing came of it. It replays
 * like a proof, but is none. */
bool darn_index_is_suspicion(const json_t *entry);
size_t darn_index_proofs(const struct darn_index *index);

/* Entries with the same cause get a `variant_of`: the id of the first of them. */
void darn_index_group(struct darn_index *index);

/* The smaller, the sooner it should be read. */
int darn_index_rank(const json_t *entry);

/* JSON Lines: the entries. */
void darn_index_print_json(const struct darn_index *index, FILE *out);

#endif
