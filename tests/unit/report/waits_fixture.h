/* A deadlock and a notification, as the runtime tells of them. */
#ifndef DARN_TESTS_WAITS_FIXTURE_H
#define DARN_TESTS_WAITS_FIXTURE_H

#include "report_fixture.h"

#include <jansson.h>

#include "report/counts.h"
#include "report/suppress.h"
#include "report/symbol/resolve.h"

#define FRAME(offset)                                                                              \
    "{\"pc\":\"0x40" offset "\",\"module\":\"/nowhere/bank\",\"offset\":\"0x" offset "\"}"

/* T1 holds a and waits for b, T2 the other way round. */
#define RAW_DEADLOCK                                                                               \
    "{\"raw\":1,\"pid\":4711,\"program\":\"/nowhere/bank\",\"id\":\"00000000000000aa\","           \
    "\"kind\":\"deadlock\",\"certainty\":\"observed\",\"engine\":\"wait-for\",\"count\":1,"        \
    "\"accesses\":["                                                                               \
    "{\"op\":\"acquire\",\"thread\":\"T1\",\"thread_name\":\"teller\",\"tid\":4712,"               \
    "\"stack\":[" FRAME("1234") "," FRAME(                                                         \
        "1300") "],"                                                                               \
                "\"target\":{\"address\":\"0x404080\",\"kind\":\"mutex\"},"                        \
                "\"locks\":[{\"address\":\"0x404040\",\"kind\":\"mutex\",\"stack\":[" FRAME(       \
                    "1200") "]}]},"                                                                \
                            "{\"op\":\"acquire\",\"thread\":\"T2\",\"thread_name\":\"audit\","     \
                            "\"tid\":4713,"                                                        \
                            "\"stack\":[" FRAME(                                                   \
                                "1400") "],"                                                       \
                                        "\"target\":{\"address\":\"0x404040\",\"kind\":\"mutex\"}" \
                                        ","                                                        \
                                        "\"locks\":[{\"address\":\"0x404080\",\"kind\":\"mutex\"," \
                                        "\"stack\":[" FRAME(                                       \
                                            "1380") "]}]}],"                                       \
                                                    "\"threads\":[{\"thread\":\"T1\",\"name\":"    \
                                                    "\"teller\",\"tid\":4712,\"parent\":\"T0\","   \
                                                    "\"stack\":[]}]}"

static inline void name_lock(struct darn_lock *lock)
{
    lock->symbol.name = lock->address == 0x404040 ? "a" : "b";
}

static inline void place(struct darn_finding_access *access, const char *dir, const char *function,
                         unsigned line)
{
    access->dir = dir;
    access->file = "bank.c";
    access->function = function;
    access->line = line;
    access->column = 5;
    set_frame(&access->stack, 0, function, "bank.c", line, 5);
}

/* RAW_DEADLOCK as it is when the program is there. */
static inline struct darn_finding *deadlock(const char *dir)
{
    struct darn_finding *finding = read_finding(RAW_DEADLOCK);

    for (size_t i = 0; i < 2; i++) {
        struct darn_finding_access *access = &finding->accesses[i];

        name_lock(&access->target);
        name_lock(&access->locks[0]);
        set_frame(&access->locks[0].stack, 0, i ? "audit" : "transfer", "bank.c", i ? 8 : 3, 5);
        access->locks[0].taken = access->locks[0].stack.frames[0];
    }
    place(&finding->accesses[0], dir, "transfer", 4);
    set_frame(&finding->accesses[0].stack, 1, "teller_thread", "bank.c", 31, 9);
    place(&finding->accesses[1], dir, "audit", 9);
    finding->variable = "a, b";
    return finding;
}

#define WAIT(thread)                                                                               \
    "{\"op\":\"wait\",\"thread\":\"" thread "\",\"file\":\"queue.c\",\"line\":7,\"column\":9,"     \
    "\"function\":\"take\",\"stack\":[" FRAME(                                                     \
        "1234") "],"                                                                               \
                "\"predicate\":\"queue->count\","                                                  \
                "\"target\":{\"address\":\"0x404080\",\"kind\":\"cond\"},"                         \
                "\"mutex\":{\"address\":\"0x404040\",\"kind\":\"mutex\"},"                         \
                "\"locks\":[{\"address\":\"0x404040\",\"kind\":\"mutex\"}]}"

#define SIGNAL                                                                                     \
    "{\"op\":\"signal\",\"thread\":\"T1\",\"file\":\"queue.c\",\"line\":3,\"column\":5,"           \
    "\"function\":\"put\",\"target\":{\"address\":\"0x404080\",\"kind\":\"cond\"},\"locks\":[]}"

#define NOTIFICATION(certainty, reason, accesses)                                                  \
    "{\"raw\":1,\"id\":\"1\",\"kind\":\"notification\",\"certainty\":\"" certainty                 \
    "\",\"engine\":\"notify\",\"reason\":\"" reason "\",\"program\":\"/nowhere/queue\","           \
    "\"accesses\":[" accesses "]}"

/* With the names that the symbols would give. */
static inline struct darn_finding *notification(const char *json)
{
    struct darn_finding *finding = read_finding(json);

    darn_resolve(finding);
    for (size_t i = 0; i < finding->access_count; i++) {
        finding->accesses[i].target.symbol.name = "ready";
        finding->accesses[i].mutex.symbol.name = "m";
    }
    return finding;
}

#endif
