#include "runtime/watch/annotate.h"

#include <stdatomic.h>
#include <stddef.h>

#include "runtime/control/turn.h"
#include "runtime/record/record.h"
#include "runtime/report/counters.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"

/* Weak: a program may bring its own, as those with dynamic_annotations.c do. */
#define API __attribute__((weak, visibility("default")))

#define MAX_BENIGN 1024

struct range {
    uintptr_t start;
    _Atomic uintptr_t end; /* written last: a range counts from then on */
};

static struct range benign[MAX_BENIGN];
static _Atomic uint32_t benign_count;

bool darn_benign(const struct darn_touch *touch)
{
    uint32_t count = atomic_load_explicit(&benign_count, memory_order_acquire);

    for (uint32_t i = 0; i < count && i < MAX_BENIGN; i++) {
        uintptr_t end = atomic_load_explicit(&benign[i].end, memory_order_acquire);

        if (touch->address < end && touch->address + touch->size > benign[i].start)
            return true;
    }
    return false;
}

API void darn_benign_race(const volatile void *address, size_t size)
{
    uint32_t index = atomic_fetch_add(&benign_count, 1);

    if (index >= MAX_BENIGN) {
        darn_count(DARN_COUNT_BENIGN_FULL);
        return;
    }
    benign[index].start = (uintptr_t)address;
    atomic_store_explicit(&benign[index].end, (uintptr_t)address + size, memory_order_release);
}

API void darn_ignore_begin(void)
{
    struct darn_thread *thread = darn_thread_self();

    if (thread)
        thread->ignore++;
}

API void darn_ignore_end(void)
{
    struct darn_thread *thread = darn_thread_self();

    if (thread && thread->ignore)
        thread->ignore--;
}

/* The plugin puts the guard in front of these calls; there is nothing left to do. */
API void darn_assert_exclusive_writer(const volatile void *address, size_t size)
{
    (void)address;
    (void)size;
}

API void darn_assert_exclusive_access(const volatile void *address, size_t size)
{
    (void)address;
    (void)size;
}

/*
 * TSan's annotations. What tells TSan about an order that it cannot see is not needed here: a
 * window sees the lack of order itself, whatever makes the order. What silences reports does so
 * here as well.
 */
#define NOTHING(name, ...)                                                                         \
    API void name(__VA_ARGS__)                                                                     \
    {                                                                                              \
    }

#define WHERE                const char *file __attribute__((unused)), int line __attribute__((unused))
#define UNUSED_POINTER(name) const volatile void *name __attribute__((unused))
#define UNUSED_LONG(name)    long name __attribute__((unused))

void __tsan_acquire(void *address);
void __tsan_release(void *address);

/* A trace has no windows: there, annotations that tell of an order are messages. */
static void tell(enum darn_event_kind kind, const volatile void *address, const void *frame)
{
    darn_record(darn_thread_peek(), kind, address, NULL, 0, frame);
}

#define SENDS(name, ...)                                                                           \
    API void name(__VA_ARGS__)                                                                     \
    {                                                                                              \
        tell(DARN_EVENT_SEND, address, __builtin_frame_address(0));                                \
    }
#define RECEIVES(name, ...)                                                                        \
    API void name(__VA_ARGS__)                                                                     \
    {                                                                                              \
        tell(DARN_EVENT_RECEIVE, address, __builtin_frame_address(0));                             \
        darn_turn_receive();                                                                       \
    }

RECEIVES(__tsan_acquire, void *address)
SENDS(__tsan_release, void *address)

#pragma clang diagnostic ignored "-Wmissing-prototypes"

SENDS(AnnotateHappensBefore, WHERE, const volatile void *address)
RECEIVES(AnnotateHappensAfter, WHERE, const volatile void *address)
NOTHING(AnnotateCondVarSignal, WHERE, UNUSED_POINTER(cond))
NOTHING(AnnotateCondVarSignalAll, WHERE, UNUSED_POINTER(cond))
NOTHING(AnnotateCondVarWait, WHERE, UNUSED_POINTER(cond), UNUSED_POINTER(lock))
NOTHING(AnnotateMutexIsNotPHB, WHERE, UNUSED_POINTER(mutex))
NOTHING(AnnotateMutexIsUsedAsCondVar, WHERE, UNUSED_POINTER(mutex))
NOTHING(AnnotateRWLockCreate, WHERE, UNUSED_POINTER(lock))
NOTHING(AnnotateRWLockCreateStatic, WHERE, UNUSED_POINTER(lock))
NOTHING(AnnotateRWLockDestroy, WHERE, UNUSED_POINTER(lock))
NOTHING(AnnotateRWLockAcquired, WHERE, UNUSED_POINTER(lock), UNUSED_LONG(is_w))
NOTHING(AnnotateRWLockReleased, WHERE, UNUSED_POINTER(lock), UNUSED_LONG(is_w))
NOTHING(AnnotatePublishMemoryRange, WHERE, UNUSED_POINTER(address), UNUSED_LONG(size))
NOTHING(AnnotateUnpublishMemoryRange, WHERE, UNUSED_POINTER(address), UNUSED_LONG(size))
NOTHING(AnnotateNewMemory, WHERE, UNUSED_POINTER(address), UNUSED_LONG(size))
NOTHING(AnnotateTraceMemory, WHERE, UNUSED_POINTER(address))
NOTHING(AnnotatePCQCreate, WHERE, UNUSED_POINTER(pcq))
NOTHING(AnnotatePCQDestroy, WHERE, UNUSED_POINTER(pcq))
NOTHING(AnnotatePCQPut, WHERE, UNUSED_POINTER(pcq))
NOTHING(AnnotatePCQGet, WHERE, UNUSED_POINTER(pcq))
NOTHING(AnnotateExpectRace, WHERE, UNUSED_POINTER(address), UNUSED_POINTER(description))
NOTHING(AnnotateFlushExpectedRaces, WHERE)
NOTHING(AnnotateFlushState, WHERE)
NOTHING(AnnotateNoOp, WHERE, UNUSED_POINTER(address))
NOTHING(AnnotateThreadName, WHERE, UNUSED_POINTER(name))
NOTHING(AnnotateIgnoreSyncBegin, WHERE)
NOTHING(AnnotateIgnoreSyncEnd, WHERE)
NOTHING(AnnotateEnableRaceDetection, WHERE, int enable __attribute__((unused)))

API void AnnotateIgnoreReadsBegin(WHERE)
{
    darn_ignore_begin();
}

API void AnnotateIgnoreReadsEnd(WHERE)
{
    darn_ignore_end();
}

API void AnnotateIgnoreWritesBegin(WHERE)
{
    darn_ignore_begin();
}

API void AnnotateIgnoreWritesEnd(WHERE)
{
    darn_ignore_end();
}

API void AnnotateBenignRaceSized(WHERE, const volatile void *address, size_t size,
                                 UNUSED_POINTER(description))
{
    darn_benign_race(address, size);
}

API void AnnotateBenignRace(WHERE, const volatile void *address, UNUSED_POINTER(description))
{
    darn_benign_race(address, 1);
}

API int RunningOnValgrind(void)
{
    return 0;
}
