/*
 * The signature of a deadlock, as the repository has it under the key "deadlocks":
 *
 *     "deadlocks": [
 *      {"locks": "a, b", "builds": {"bank": "5f0c…"},
 *       "threads": [
 *        {"holds": [
 *          {"at": "bank+0x12f1", "calls": "pthread_mutex_lock", "function": "take",
 *           "file": "bank.c", "line": 11}],
 *         "wants": [
 *          {"at": "bank+0x1303", "function": "take", "file": "bank.c", "line": 14}]},
 *        {"holds": […], "wants": […]}]}]
 *
 * One entry of "threads" for each thread of the circle: the call stack, the innermost frame first,
 * with which it took the lock that it holds, and the one with which it asked for the next. `at` is
 * a return address: the name of a module and an address in its ELF file; "builds" says which build
 * of the module that is (build.h). A frame without `at` is the function into which the one before
 * was inlined. "calls" is what is called there, as
 * the symbol table has it; "nth": "1/2" says that this is the first of two lines of the function
 * that call it. Of "holds" the return addresses count in the
 * program; all the rest is for people, and for finding the place again in another build.
 * "moved": true says that it was found in that way.
 *
 * The list "orders" has entries of the same form with two threads and "until": before the second
 * takes its lock as it does in "holds", the first has to have taken its own and given it back
 * ("done"), or every thread that has taken it so has to have ended ("gone"). In the place of
 * "holds" the first may have "starts", the call that starts a thread: each such thread is one of
 * those that have to have ended. The second may have "ends", the call that ends the memory or the
 * object. With "until": "through" there are three: from where a thread has taken a lock as the
 * first does, until it has taken it as the second does and given it back, nobody takes it as the
 * third does, nor as the first.
 *
 * Lives in the program under test as well: no allocation, no stdio, no locale.
 */
#ifndef DARN_SECTION_DEADLOCK_H
#define DARN_SECTION_DEADLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "section/section.h"

#define DARN_DEADLOCK_THREADS 16
#define DARN_DEADLOCK_FRAMES  12 /* of a stack, with those that were inlined */
#define DARN_DEADLOCK_DEPTH   4  /* frames with an address: what is further out does not matter */
#define DARN_DEADLOCK_MODULES 16

struct darn_deadlock_frame {
    const char *module; /* NULL: the frame before was inlined here */
    uint64_t offset;
    const char *function, *file; /* NULL: not known */
    const char *calls;
    uint32_t line;
    uint32_t nth, of; /* of the lines of the function that call it, this is the nth; 0: not known */
};

struct darn_deadlock_stack {
    uint32_t count;
    struct darn_deadlock_frame frames[DARN_DEADLOCK_FRAMES];
};

enum darn_deadlock_by { DARN_BY_LOCK, DARN_BY_START, DARN_BY_END };

struct darn_deadlock_thread {
    enum darn_deadlock_by by; /* what the stack `holds` calls; of a deadlock a lock */
    struct darn_deadlock_stack holds, wants;
};

/* The key of that stack: "holds", "starts" or "ends". */
const char *darn_deadlock_by_name(enum darn_deadlock_by by);

struct darn_deadlock {
    enum darn_deadlock_until until;
    const char *locks; /* their names; NULL: not known */
    bool moved;
    uint32_t position, column; /* where it begins in the file */
    uint32_t module_count, thread_count;
    struct {
        const char *name, *build;
    } modules[DARN_DEADLOCK_MODULES];
    struct darn_deadlock_thread threads[DARN_DEADLOCK_THREADS];
};

struct darn_deadlock_reader {
    /* Strings live until the callback returns. It may return false to stop. */
    bool (*deadlock)(void *context, const struct darn_deadlock *deadlock);
    void (*error)(void *context, const struct darn_repository_error *error);
    void *context;
    char *room; /* for the strings of one signature */
    size_t room_size;
};

/*
 * Reads the signatures of a repository, deadlocks and orders, and nothing else. A signature that is
 * not what it should be is told and left out. Wrong syntax ends the reading; darn_repository_read
 * tells it, wherever it is. Returns the number of errors in "deadlocks".
 */
uint32_t darn_deadlocks_read(const char *text, size_t size, struct darn_deadlock *deadlock,
                             const struct darn_deadlock_reader *reader);

/* Appends one signature to a list, as the file has it (darn_repository_style). */
void darn_deadlock_write(struct darn_json *json, const struct darn_deadlock *deadlock);

#endif
