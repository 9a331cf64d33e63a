/*
 * Makes a trace of a program that does not exist, as long as is wanted; or packs one that a program
 * has left, as darn record does.
 *
 * usage: trace_make EVENTS FILE
 *        trace_make --pack FILE
 *
 * Eight threads work on variables of their own, read a table that they share, change what locks
 * protect, count with atomic operations, fill and free blocks of the heap, and meet at a barrier
 * now and then. Few counters are not protected: the races. How many variables there are at a time
 * does not depend on the length; the blocks of the heap never come back to the same address,
 * though, so that an engine which does not forget them is found out. The same length gives the same
 * trace.
 */
#include "trace/pack.h"
#include "trace_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/bench.h"

enum {
    THREADS = 8, /* besides the main one */
    OWN = 1024,
    TABLE = 4096,
    LOCKS = 64,
    PER_LOCK = 64,
    COUNTERS = 16,
    UNPROTECTED = 8,
    BLOCK = 64,
    BLOCKS_TO_BARRIER = 100000,
};

/* Where things lie in the memory of the program. */
#define AT_LOCKS     UINT64_C(0x10000)
#define AT_TABLE     UINT64_C(0x100000)
#define AT_PROTECTED UINT64_C(0x200000)
#define AT_OWN       UINT64_C(0x300000)
#define AT_COUNTERS  UINT64_C(0x400000)
#define AT_RACY      UINT64_C(0x500000)
#define AT_BARRIER   UINT64_C(0x600000)
#define AT_HEAP      UINT64_C(0x10000000)

/* What a site is about; each has some places in the source that read and some that write. */
enum topic { ON_OWN, ON_TABLE, ON_PROTECTED, ON_COUNTER, ON_RACY, ON_BLOCK, TOPICS };
static const char *const variables[TOPICS] = {"own[]",   "table[]", "account.balance",
                                              "counter", "hits",    "node.next"};
enum { PLACES = 24 };

static struct darn_trace_writer *writer;
static uint64_t random_state = 1, written, heap = AT_HEAP;

static uint64_t below(uint64_t limit)
{
    return (bench_random(&random_state) >> 33) % limit;
}

static void put(struct darn_event event)
{
    darn_trace_writer_event(writer, &event);
    written++;
}

/* A variable is read at three places, and written at two. */
static uint32_t site(enum topic topic, uint64_t address, bool writes)
{
    uint64_t place = (address / 8 * 5 + below(writes ? 2 : 3)) % PLACES;

    return 1 + (uint32_t)(topic * 2 + writes) * PLACES + (uint32_t)place;
}

static void access_at(uint32_t thread, enum topic topic, uint64_t address, bool writes)
{
    put((struct darn_event){.kind = writes ? DARN_EVENT_WRITE : DARN_EVENT_READ,
                            .thread = thread,
                            .target = address,
                            .size = 8,
                            .site = site(topic, address, writes)});
}

static void sync_on(uint32_t thread, enum darn_event_kind kind, uint64_t target)
{
    put((struct darn_event){.kind = (uint8_t)kind, .thread = thread, .target = target});
}

static void work_alone(uint32_t thread)
{
    for (uint64_t i = 8 + below(16); i > 0; i--)
        access_at(thread, ON_OWN, AT_OWN + 8 * (thread * OWN + below(OWN)), below(3) == 0);
}

static void read_table(uint32_t thread)
{
    for (uint64_t i = 8 + below(8); i > 0; i--)
        access_at(thread, ON_TABLE, AT_TABLE + 8 * below(TABLE), false);
}

static void change_protected(uint32_t thread, uint64_t lock, bool nested)
{
    sync_on(thread, DARN_EVENT_ACQUIRE, AT_LOCKS + 64 * lock);
    for (uint64_t i = 4 + below(8); i > 0; i--)
        access_at(thread, ON_PROTECTED, AT_PROTECTED + 8 * (lock * PER_LOCK + below(PER_LOCK)),
                  below(3) == 0);
    /* Always in the same order: there is no deadlock. */
    if (nested && lock + 1 < LOCKS)
        change_protected(thread, lock + 1 + below(LOCKS - lock - 1), false);
    sync_on(thread, DARN_EVENT_RELEASE, AT_LOCKS + 64 * lock);
}

static void count(uint32_t thread)
{
    uint64_t counter = AT_COUNTERS + 64 * below(COUNTERS);

    put((struct darn_event){.kind = DARN_EVENT_UPDATE,
                            .flags = DARN_EVENT_ATOMIC | DARN_EVENT_ACQUIRES | DARN_EVENT_RELEASES,
                            .thread = thread,
                            .target = counter,
                            .size = 8,
                            .site = site(ON_COUNTER, counter, true)});
}

static void use_block(uint32_t thread)
{
    uint64_t block = heap;

    heap += BLOCK;
    put((struct darn_event){
        .kind = DARN_EVENT_ALLOC, .thread = thread, .target = block, .extra = BLOCK});
    for (uint64_t i = 0; i < BLOCK; i += 8)
        access_at(thread, ON_BLOCK, block + i, true);
    for (uint64_t i = 0; i < BLOCK; i += 8)
        access_at(thread, ON_BLOCK, block + i, false);
    put((struct darn_event){
        .kind = DARN_EVENT_FREE, .thread = thread, .target = block, .extra = BLOCK});
}

static void do_something(uint32_t thread)
{
    uint64_t what = below(1000);

    if (what < 500)
        work_alone(thread);
    else if (what < 700)
        read_table(thread);
    else if (what < 900)
        change_protected(thread, below(LOCKS), what < 720);
    else if (what < 950)
        count(thread);
    else if (what < 999)
        use_block(thread);
    else
        access_at(thread, ON_RACY, AT_RACY + 8 * below(UNPROTECTED), true);
}

static void meet(void)
{
    for (uint32_t thread = 1; thread <= THREADS; thread++)
        sync_on(thread, DARN_EVENT_ARRIVE, AT_BARRIER);
    for (uint32_t thread = 1; thread <= THREADS; thread++)
        sync_on(thread, DARN_EVENT_DEPART, AT_BARRIER);
}

static void put_sites(void)
{
    for (uint32_t i = 0; i < TOPICS * 2 * PLACES; i++) {
        struct darn_trace_site record = {.file = "made.c",
                                         .function = "work",
                                         .variable = variables[i / (2 * PLACES)],
                                         .key = bench_mix(i),
                                         .line = 10 + i,
                                         .column = 5,
                                         .size = 8};
        darn_trace_writer_site(writer, i + 1, &record);
    }
}

static void put_events(uint64_t wanted)
{
    uint64_t blocks = 0;

    sync_on(0, DARN_EVENT_START, 0);
    for (uint64_t i = 0; i < TABLE; i++)
        access_at(0, ON_TABLE, AT_TABLE + 8 * i, true);
    for (uint32_t thread = 1; thread <= THREADS; thread++) {
        sync_on(0, DARN_EVENT_FORK, thread);
        sync_on(thread, DARN_EVENT_START, 0);
    }
    while (written < wanted) {
        do_something(1 + (uint32_t)below(THREADS));
        if (++blocks % BLOCKS_TO_BARRIER == 0)
            meet();
    }
    for (uint32_t thread = 1; thread <= THREADS; thread++) {
        sync_on(thread, DARN_EVENT_EXIT, 0);
        sync_on(0, DARN_EVENT_JOIN, thread);
    }
}

int main(int argc, char **argv)
{
    char error[512];
    bool packs = argc == 3 && strcmp(argv[1], "--pack") == 0;
    uint64_t wanted = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
    int result;

    if (packs) {
        result = darn_trace_pack(argv[2], error, sizeof error);
    } else if (wanted > 0) {
        writer = darn_trace_writer_open(argv[2], error, sizeof error);
        if (writer != NULL) {
            put_sites();
            put_events(wanted);
        }
        result = writer == NULL ? -1 : darn_trace_writer_close(writer, error, sizeof error);
    } else {
        fprintf(stderr, "usage: trace_make EVENTS FILE\n       trace_make --pack FILE\n");
        return 2;
    }
    if (result < 0)
        fprintf(stderr, "trace_make: %s\n", error);
    return result < 0 ? 2 : 0;
}
