/*
 * The event: what the runtime tells an engine about one step of one thread.
 *
 * Events of a trace come in one order that agrees with the order of each thread and with the order
 * in which synchronization really happened: a release comes before the acquire that it made
 * possible, a fork before the first event of the new thread. Plain accesses of different threads
 * with no synchronization between them stand in any order; an engine must not conclude anything
 * from it.
 */
#ifndef DARN_TRACE_EVENT_H
#define DARN_TRACE_EVENT_H

#include <assert.h>
#include <stdint.h>

enum darn_event_kind {
    DARN_EVENT_NONE,

    /* Accesses: `target` is the address, `size` the number of bytes. */
    DARN_EVENT_READ,
    DARN_EVENT_WRITE,
    DARN_EVENT_UPDATE, /* an atomic read-modify-write */

    /* Locks: `target` is the lock, `lock` its kind. A recursive lock is acquired and released once
     * for each level. */
    DARN_EVENT_ACQUIRE, /* the lock is ours */
    DARN_EVENT_RELEASE, /* it is about to be given back */
    DARN_EVENT_REQUEST, /* the lock is not free, the thread is about to wait for it */

    /* Threads: `target` is the number of the other thread. */
    DARN_EVENT_FORK,
    DARN_EVENT_JOIN,
    DARN_EVENT_START, /* the first event of a thread; `target` is its creator, or itself */
    DARN_EVENT_EXIT,  /* the last event of a thread */

    /* Barriers: `target` is the barrier. */
    DARN_EVENT_ARRIVE,
    DARN_EVENT_DEPART,

    /* Condition variables: `target` is the condition variable, `extra` the mutex. A wait is four
     * events: WAIT, RELEASE of the mutex, ACQUIRE of the mutex, WAKE. */
    DARN_EVENT_WAIT,
    DARN_EVENT_WAKE,
    DARN_EVENT_SIGNAL,
    DARN_EVENT_BROADCAST,

    /* Semaphores: `target` is the semaphore. */
    DARN_EVENT_POST,
    DARN_EVENT_TAKE,

    /* Any other message, from all sends to all later receives of one `target`: pthread_once,
     * pipes, annotations. */
    DARN_EVENT_SEND,
    DARN_EVENT_RECEIVE,

    DARN_EVENT_FENCE,

    /* Memory: `target` is the block, `extra` its size. FREE comes before it is really free, ALLOC
     * after it is really ours. A FREE that has a site or a stack is a call of the program's own,
     * and as good as a write of all of it; another one only says that the memory has no past. The
     * flags of an ALLOC are how many bytes the block has behind those that were asked for. */
    DARN_EVENT_ALLOC,
    DARN_EVENT_FREE,

    /* The beginning and the end of a function or another transaction; they nest. */
    DARN_EVENT_BEGIN,
    DARN_EVENT_END,

    /* From here on, the read at `site` spinning for the store at site `extra` is synchronization.
     */
    DARN_EVENT_SPIN,

    /* The thread's stack: `target` is its lowest address, `extra` its size. Right after START. */
    DARN_EVENT_STACK,

    /* A pointer is stored at `target`, or given to a new thread (`target` is 0). `extra` is an
     * address in the block that it points into; `size` is 0. Of the thread's own stack, `extra` and
     * `size` tell the whole piece that it may point to: a frame, or more. Not every pointer that is
     * stored is told. */
    DARN_EVENT_POINTER,

    /* What the thread does from here on comes after all that anybody has done: it may have
     * synchronized in a way that nobody has seen. */
    DARN_EVENT_AFTER_ALL,

    /* Objects of libc and the kernel, with darn_event_object: `target` is the object. A call uses
     * it, or ends it; `extra` is its size then. What a RELEASE, SIGNAL and the like are about is
     * used without a USE. */
    DARN_EVENT_USE,
    DARN_EVENT_DESTROY,

    DARN_EVENT_KINDS
};

/* The target of a SEND or RECEIVE that stands for code that nobody sees into: what it synchronizes
 * with is not known, only when. No address of a program. */
#define DARN_EVENT_OUTSIDE (UINT64_C(1) << 59)

/* The target of a SEND to any channel that an epoll waits for: who waits there may have heard of it.
 * No address of a program. */
#define DARN_EVENT_POLLED (UINT64_C(1) << 57 | 2)

/* The target of a SEND or RECEIVE by whatever socket, and of one that has made room there: which
 * of them is the other end of which is not known. No addresses of a program. */
#define DARN_EVENT_SOCKETS     (UINT64_C(1) << 62 | 1)
#define DARN_EVENT_SOCKET_ROOM (DARN_EVENT_SOCKETS | UINT64_C(1) << 57)

/* The target of a SEND from which on accesses are left out of the trace: which write a read has seen
 * is not known any more. */
#define DARN_EVENT_THINNED (UINT64_C(1) << 58)

enum darn_event_flag {
    DARN_EVENT_ATOMIC = 1 << 0,   /* accesses: an atomic operation */
    DARN_EVENT_VOLATILE = 1 << 1, /* accesses */
    DARN_EVENT_ACQUIRES = 1 << 2, /* atomic accesses and fences: memory order acquire or stronger */
    DARN_EVENT_RELEASES = 1 << 3, /* atomic accesses and fences: memory order release or stronger */
    DARN_EVENT_SYNC = 1 << 4,     /* accesses: at a site of a recognised spin: not a race, but an
                                     edge from the writes to the reads of the address */
    DARN_EVENT_TRY = 1 << 5,      /* ACQUIRE, REQUEST, WAIT, JOIN: by trylock or with a timeout: it
                                     never waits for ever */
    DARN_EVENT_TIMEOUT = 1 << 6,  /* WAKE: nobody woke the thread */
    DARN_EVENT_GAPS = 1 << 7,     /* accesses: not every byte is touched, `extra` says which */
    DARN_EVENT_HALF = 1 << 8,     /* READ: the second half of an atomic update, which acquires; the
                                     access itself was the first half, an UPDATE that releases */
    DARN_EVENT_STAYS = 1 << 9,    /* FREE, DESTROY: whoever uses it afterwards may not even notice;
                                     its next owner is known by an ALLOC or STACK */
    DARN_EVENT_OBJECT = 15 << 10, /* FREE, DESTROY, USE: of what, enum darn_event_object */
};

/* What is used or ends, if it is no block of memory. The numbers of src/runtime/watch/touch.h. */
enum darn_event_object {
    DARN_EVENT_NO_OBJECT,
    DARN_EVENT_IS_MUTEX,
    DARN_EVENT_IS_RWLOCK,
    DARN_EVENT_IS_SPIN,
    DARN_EVENT_IS_COND,
    DARN_EVENT_IS_BARRIER,
    DARN_EVENT_IS_SEMAPHORE,
    DARN_EVENT_IS_DESCRIPTOR,
    DARN_EVENT_IS_STREAM, /* of a FREE: the memory of a stream goes with it */
    DARN_EVENT_IS_STACK,  /* of a FREE: the stack of the thread, with the thread */
    DARN_EVENT_OBJECTS
};

/* The numbers of src/runtime/thread/locks.h. */
enum darn_event_lock {
    DARN_EVENT_MUTEX,
    DARN_EVENT_RDLOCK, /* a read-write lock, held for reading */
    DARN_EVENT_WRLOCK,
    DARN_EVENT_SPINLOCK,
};

struct darn_event {
    uint64_t target;
    uint64_t extra;  /* accesses with DARN_EVENT_GAPS: bit i is set if byte i is touched */
    uint32_t thread; /* 0 is the main thread; numbers are never used again */
    uint32_t size;
    uint32_t site;  /* id in the trace's table of sites; 0: not known */
    uint32_t stack; /* id in the trace's table of stacks; 0: not known */
    uint16_t flags; /* enum darn_event_flag, or-ed */
    uint8_t kind;   /* enum darn_event_kind */
    uint8_t lock;   /* enum darn_event_lock */
};

static_assert(sizeof(struct darn_event) == 40, "many of them are held in memory");

static inline int darn_event_is_access(const struct darn_event *event)
{
    return event->kind >= DARN_EVENT_READ && event->kind <= DARN_EVENT_UPDATE;
}

static inline int darn_event_has_size(const struct darn_event *event)
{
    return darn_event_is_access(event) || event->kind == DARN_EVENT_POINTER;
}

static inline enum darn_event_object darn_event_object(const struct darn_event *event)
{
    return (enum darn_event_object)((event->flags & DARN_EVENT_OBJECT) >> 10);
}

static inline uint16_t darn_event_about(enum darn_event_object object)
{
    return (uint16_t)(object << 10);
}

/* The target of what is about a file descriptor is no address of a program: it has the number, and
 * what tells its files apart. */
#define DARN_EVENT_FILES (UINT64_C(1) << 56)

static inline uint32_t darn_event_file(uint64_t target)
{
    return target >> 4 & 0xfffff;
}

static inline int darn_event_ends(const struct darn_event *event)
{
    return event->kind == DARN_EVENT_FREE || event->kind == DARN_EVENT_DESTROY;
}

static inline int darn_event_writes(const struct darn_event *event)
{
    return event->kind == DARN_EVENT_WRITE || event->kind == DARN_EVENT_UPDATE;
}

#endif
