/*
 * How candidates are made. Each kind of fix is a file: it begins a patch, changes files of it, and
 * adds it to the list.
 */
#ifndef DARN_REPORT_PATCH_PRIVATE_H
#define DARN_REPORT_PATCH_PRIVATE_H

#include "report/fix/patch.h"

struct darn_patch *darn_patch_begin(const struct darn_patches *patches);

/* Takes the patch over. One that changes nothing, or is there already, is dropped. */
void darn_patches_add(struct darn_patches *patches, struct darn_patch *patch, const char *what);

/* ---- text (patch_text.c) ---- */

bool darn_text_is_of_name(char c);

/* Where the word stands in the line; NULL: nowhere. */
const char *darn_text_word(const char *line, const char *word);

/* `lock` of `&acct->lock` and `acct->lock`, `forks` of `forks[1]`; empty: there is none. */
const char *darn_text_last_name(struct darn_text_pool *pool, const char *expression);

bool darn_text_is_cxx(const char *file);

/* The first line of the function that the line is in, from which on it is indented; 0: none. */
unsigned darn_source_function(const struct darn_source *source, unsigned line);

/* The last line of the function that begins with this one. */
unsigned darn_source_function_end(const struct darn_source *source, unsigned first);

/* The line before which something can be declared for the function of the line. */
unsigned darn_source_before_function(const struct darn_source *source, unsigned line);

bool darn_source_mentions(const struct darn_source *source, const char *text);

/* Puts an include in front of the others, unless it is there. */
void darn_source_include(struct darn_source *source, const char *header);

/* The line gets another text. */
void darn_source_replace(struct darn_source *source, unsigned line, const char *text);

/* The lines `first` to `last` go before or behind another line, as they are. */
void darn_source_move_before(struct darn_source *source, unsigned first, unsigned last,
                             unsigned line);
void darn_source_move_behind(struct darn_source *source, unsigned first, unsigned last,
                             unsigned line);

/* ---- kinds of fixes ---- */

/* How a lock is taken and given back, as statements. */
struct darn_guard_words {
    const char *take, *give;
    const char *name;        /* its last part */
    const char *declaration; /* of a new one; NULL: it is there */
    const char *header;      /* that a new one needs */
    const char *elsewhere;   /* the declaration in a second file */
};

/* guard_words.c: of a lock that the program has, from the line in which it was taken. False when
 * nobody can say. */
bool darn_guard_words_of(struct darn_patch *patch, const struct darn_lock *lock,
                         struct darn_guard_words *words);

/* A new one, for this variable; `source` is the file that uses it. */
void darn_guard_words_new(struct darn_text_pool *pool, const char *variable, const char *suffix,
                          const struct darn_source *source, struct darn_guard_words *words);

/* Lines that belong together. */
struct darn_stretch {
    const char *dir, *file;
    unsigned first, last;
    const struct darn_lock *locks; /* held there already */
    size_t lock_count;
    bool merges; /* a lock that is given back in between is to be kept instead */
};

/* The lines that both frames lie in, of the innermost function that both stacks have: false when
 * there is none. */
bool darn_stretch_of(const struct darn_finding_stack *one, const struct darn_finding_stack *other,
                     struct darn_stretch *stretch);

#define DARN_MOST_STRETCHES 32

/* patch_guard.c: the lines under the lock. False when the source does not allow it. */
bool darn_patch_guard(struct darn_patch *patch, const struct darn_guard_words *words,
                      const struct darn_stretch *list, size_t count);

/* Each adds its candidates. */
void darn_patches_guard(struct darn_patches *patches, const struct darn_finding *finding);
void darn_patches_gate(struct darn_patches *patches, const struct darn_finding *finding);
void darn_patches_atomic(struct darn_patches *patches, const struct darn_finding *finding);
void darn_patches_order(struct darn_patches *patches, const struct darn_finding *finding);
void darn_patches_once(struct darn_patches *patches, const struct darn_finding *finding);
/* `story`: of docs/story-format.md. */
void darn_patches_switch(struct darn_patches *patches, const json_t *story);
void darn_patches_copy(struct darn_patches *patches, const struct darn_finding *finding);
void darn_patches_keep(struct darn_patches *patches, const struct darn_finding *finding,
                       const json_t *story);
void darn_patches_wait(struct darn_patches *patches, const struct darn_finding *finding);
void darn_patches_predicate(struct darn_patches *patches, const struct darn_finding *finding);

#endif
