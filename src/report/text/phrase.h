/*
 * The words of the text form: how threads, locks, values and accesses are called.
 */
#ifndef DARN_REPORT_PHRASE_H
#define DARN_REPORT_PHRASE_H

#include "report/finding.h"
#include "report/text/ink.h"
#include "report/text/style.h"

/* `thread T1 'teller'`, `main thread T0` */
void darn_phrase_thread(struct darn_ink *ink, const struct darn_finding *finding,
                        const char *thread);

/* The short name of a thread: `T1`. */
const char *darn_phrase_short(const char *thread);

/* `'acct->balance'`, or `8 bytes at 0x55550010` */
void darn_phrase_variable(struct darn_ink *ink, const struct darn_finding *finding);

/* What becomes of what a `free` is about: `closed`. */
const char *darn_phrase_ending(const struct darn_finding_access *access);

/* `writes 8 bytes`; `reads the same 8 bytes` when it comes after `first`, which may be NULL. */
void darn_phrase_access(struct darn_ink *ink, const struct darn_finding *finding,
                        const struct darn_finding_access *access,
                        const struct darn_finding_access *first);

/* Those that threads of the finding hold or wait for, in the order in which they are told. */
#define DARN_PHRASE_LOCKS 32
size_t darn_phrase_all_locks(const struct darn_finding *finding,
                             const struct darn_lock *locks[DARN_PHRASE_LOCKS]);

/* What tells locks apart that the source calls by the same expression, or one that it calls by two:
 * 1 for M1. 0: that is not needed. */
unsigned darn_phrase_lock_number(const struct darn_finding *finding, const struct darn_lock *lock);

/* `mutex 'bank_lock'`, `mutex 'savings.lock'`, `read lock 'table+64'`, `mutex 0x55550020`,
 * `condition variable 'ready'`, `mutex 'from->lock' (M1)` */
void darn_phrase_lock(struct darn_ink *ink, const struct darn_finding *finding,
                      const struct darn_lock *lock);

/* `holding no lock`, `holding mutex 'a' and mutex 'b'` */
void darn_phrase_locks(struct darn_ink *ink, const struct darn_finding *finding,
                       const struct darn_finding_access *access);

/* Decimal, hexadecimal or both: what people can compare with what they know. */
void darn_phrase_value(struct darn_ink *ink, uint64_t bits, uint64_t size);

/* `bank.c:12:19`; less where less is known. False when nothing is, and nothing is printed. */
bool darn_phrase_position(struct darn_ink *ink, const struct darn_style *style, const char *file,
                          unsigned line, unsigned column);

#endif
