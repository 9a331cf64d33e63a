#define _GNU_SOURCE
#include "runtime/control/turn_sync.h"

#include <errno.h>

#include "runtime/control/livelock.h"
#include "runtime/control/vtime.h"
#include "runtime/heal/gates.h"
#include "runtime/interpose/lockops.h"
#include "runtime/os/glibc.h"
#include "runtime/os/os.h"
#include "runtime/os/real_function.h"

const char darn_turn_world __attribute__((aligned(8)));

static void set_deadline(struct darn_slot *slot, uint64_t deadline)
{
    slot->deadline = deadline;
    slot->timed = deadline != DARN_NO_DEADLINE;
}

/* The thread was asked to end while it waited. Returns if it does not want to be. */
static void end_if_cancelled(struct darn_slot *slot)
{
    if (!slot->cancelled)
        return;
    slot->cancelled = false;
    pthread_testcancel();
}

/* ---- locks ---- */

static void now_held(struct darn_slot *slot, struct darn_object *object, enum darn_step_op op)
{
    if (op == DARN_STEP_READLOCK) {
        object->depth++; /* readers do not keep each other out: only a writer is a holder */
        return;
    }
    object->holder = slot->number + 1;
    object->depth++;
}

static bool is_taken(int result)
{
    return result == 0 || result == EOWNERDEAD;
}

static int keep_trying(struct darn_slot *slot, enum darn_step_op op, volatile void *lock,
                       int (*try)(volatile void *lock))
{
    int result;

    while ((result = try(lock)) == EBUSY) {
        if (slot->timed_out && op != DARN_STEP_RELOCK)
            return ETIMEDOUT;
        darn_turn_again(slot);
    }
    if (is_taken(result))
        now_held(slot, slot->target, op);
    return result;
}

int darn_turn_lock(struct darn_slot *slot, enum darn_step_op op, volatile void *lock, uint32_t size,
                   int (*try)(volatile void *lock), uint64_t deadline, const void *frame)
{
    darn_turn_step(slot, op, lock, frame);
    slot->size = size;
    set_deadline(slot, deadline);
    darn_turn_take(slot);
    return keep_trying(slot, op, lock, try);
}

int darn_turn_try(struct darn_slot *slot, enum darn_step_op op, volatile void *lock,
                  int (*try)(volatile void *lock), const void *frame)
{
    int result;

    darn_turn_step(slot, DARN_STEP_TRYLOCK, lock, frame);
    darn_turn_take(slot);
    result = try(lock);
    if (is_taken(result))
        now_held(slot, slot->target, op);
    else
        slot->yielded = true; /* it will try again */
    return result;
}

static void no_more_held(struct darn_object *object)
{
    if (object->depth)
        object->depth--;
    if (!object->depth)
        object->holder = 0;
    darn_turn_changed(object);
}

int darn_turn_unlock(struct darn_slot *slot, enum darn_step_op op, volatile void *lock,
                     int (*give)(volatile void *lock), const void *frame)
{
    int result;

    darn_turn_step(slot, op, lock, frame);
    darn_turn_take(slot);
    result = give(lock);
    if (result == 0)
        no_more_held(slot->target);
    return result;
}

/* ---- condition variables ---- */

/* From now on it wants the mutex back. */
static void want_mutex(struct darn_slot *slot)
{
    slot->op = DARN_STEP_RELOCK;
    slot->object = slot->mutex;
    slot->target = darn_object((const volatile void *)(uintptr_t)slot->mutex);
    slot->size = sizeof(pthread_mutex_t);
    slot->tried = false;
}

/* Other processes know nothing of our play. `deadline` is virtual, the wait is not. */
static int wait_for_processes(struct darn_slot *slot, pthread_cond_t *cond, pthread_mutex_t *mutex,
                              uint64_t deadline)
{
    static int (*real)(pthread_cond_t * cond, pthread_mutex_t * mutex, clockid_t clock,
                       const struct timespec *until);
    uint64_t now = darn_vtime_now(), longest = UINT64_C(1000000000) * 86400, until;
    struct timespec time;
    int result;

    if (!real)
        real = (int (*)(pthread_cond_t *, pthread_mutex_t *, clockid_t,
                        const struct timespec *))darn_real("pthread_cond_clockwait");
    until = deadline <= now ? 0 : deadline - now < longest ? deadline - now : longest;
    until += darn_os_now();
    time = (struct timespec){.tv_sec = (time_t)(until / 1000000000),
                             .tv_nsec = (long)(until % 1000000000)};
    no_more_held(darn_object(mutex));
    darn_turn_leave(slot);
    result = real(cond, mutex, CLOCK_MONOTONIC, &time);
    darn_turn_return(slot);
    now_held(slot, darn_object(mutex), DARN_STEP_LOCK);
    end_if_cancelled(slot);
    return result;
}

int darn_turn_cond_wait(struct darn_slot *slot, pthread_cond_t *cond, pthread_mutex_t *mutex,
                        const struct darn_lockable *of, uint64_t deadline, const void *frame)
{
    bool timed_out;
    int result;

    darn_turn_step(slot, DARN_STEP_WAIT, cond, frame);
    slot->mutex = (uint64_t)(uintptr_t)mutex;
    darn_turn_take(slot);
    if (darn_cond_is_shared(cond))
        return wait_for_processes(slot, cond, mutex, deadline);
    result = of->give(mutex);
    if (result)
        return result;
    darn_gate_wait(slot->thread, mutex, true);
    no_more_held(darn_object(mutex));
    slot->inside = true;
    slot->order = darn_turn_next_order();
    slot->yielded = deadline != DARN_NO_DEADLINE;
    set_deadline(slot, deadline);
    darn_turn_take(slot);
    timed_out = slot->timed_out && !slot->signaled;
    slot->inside = true;
    if (slot->op == DARN_STEP_WAIT) { /* not woken: out of time, or cancelled */
        slot->timed = false;
        want_mutex(slot);
        darn_turn_take(slot);
    }
    slot->inside = true;
    result = keep_trying(slot, DARN_STEP_RELOCK, mutex, of->take);
    slot->inside = false;
    slot->order = 0;
    darn_gate_wait(slot->thread, mutex, false);
    end_if_cancelled(slot);
    return result ? result : timed_out ? ETIMEDOUT : 0;
}

void darn_turn_wake(struct darn_slot *waiter)
{
    darn_livelock_spoil(); /* who waits for how long is not in the state */
    waiter->signaled = true;
    waiter->timed = false;
    want_mutex(waiter);
}

void darn_turn_cond_wake(struct darn_slot *slot, pthread_cond_t *cond, bool all, const void *frame)
{
    struct darn_object *object;
    struct darn_slot *waiter;

    darn_turn_step(slot, all ? DARN_STEP_BROADCAST : DARN_STEP_SIGNAL, cond, frame);
    darn_turn_take(slot);
    object = slot->target;
    slot->inside = true;
    if (all) {
        while ((waiter = darn_turn_first_waiter(object)))
            darn_turn_wake(waiter);
    } else {
        waiter = darn_turn_choose_waiter(object);
        if (waiter)
            darn_turn_wake(waiter);
    }
    slot->inside = false;
}

/* ---- semaphores, barriers, once ---- */

static int try_semaphore(sem_t *semaphore)
{
    static int (*real)(sem_t * semaphore);

    if (!real)
        real = (int (*)(sem_t *))darn_real("sem_trywait");
    return real(semaphore);
}

int darn_turn_sem_wait(struct darn_slot *slot, sem_t *semaphore, uint64_t deadline,
                       const void *frame)
{
    darn_turn_step(slot, DARN_STEP_TAKE, semaphore, frame);
    slot->interrupts = DARN_MAY_RESTART;
    set_deadline(slot, deadline);
    darn_turn_take(slot);
    for (;;) {
        end_if_cancelled(slot);
        if (try_semaphore(semaphore) == 0)
            return 0;
        if (errno != EAGAIN)
            return -1;
        if (slot->timed_out || slot->interrupted) {
            errno = slot->interrupted ? EINTR : ETIMEDOUT;
            return -1;
        }
        darn_turn_again(slot);
    }
}

void darn_turn_barrier_init(pthread_barrier_t *barrier, uint32_t count)
{
    struct darn_object *object = darn_object(barrier);

    object->limit = count;
    object->arrived = 0;
}

bool darn_turn_plays_barrier(pthread_barrier_t *barrier)
{
    return darn_object(barrier)->limit;
}

int darn_turn_barrier_wait(struct darn_slot *slot, pthread_barrier_t *barrier, const void *frame)
{
    struct darn_object *object;
    struct darn_slot *waiter;

    darn_turn_step(slot, DARN_STEP_BARRIER, barrier, frame);
    darn_turn_take(slot);
    object = slot->target;
    if (++object->arrived < object->limit) {
        slot->inside = true;
        slot->order = darn_turn_next_order();
        darn_turn_take(slot);
        return 0;
    }
    object->arrived = 0;
    slot->inside = true;
    while ((waiter = darn_turn_first_waiter(object)))
        waiter->signaled = true;
    slot->inside = false;
    return PTHREAD_BARRIER_SERIAL_THREAD;
}

void darn_turn_once_begin(struct darn_slot *slot, volatile void *once, const void *frame)
{
    darn_turn_step(slot, DARN_STEP_ONCE, once, frame);
    darn_turn_take(slot);
    slot->target->holder = slot->number + 1;
    slot->target->depth++;
}

void darn_turn_once_end(volatile void *once)
{
    no_more_held(darn_object(once));
}

/* ---- threads ---- */

int darn_turn_join(struct darn_slot *slot, uint32_t number, uint64_t deadline, const void *frame)
{
    darn_turn_step(slot, DARN_STEP_JOIN, (const volatile void *)(uintptr_t)number, frame);
    set_deadline(slot, deadline);
    darn_turn_take(slot);
    while (darn_turn_slot_of(number) && !slot->timed_out) {
        end_if_cancelled(slot);
        darn_turn_again(slot);
    }
    if (darn_turn_slot_of(number))
        return ETIMEDOUT;
    darn_turn_joined();
    return 0;
}

void darn_turn_cancel(struct darn_slot *slot, uint32_t number, const void *frame)
{
    struct darn_slot *other;

    darn_turn_pass(slot, DARN_STEP_CANCEL, (const volatile void *)(uintptr_t)number, frame);
    other = darn_turn_slot_of(number);
    if (other)
        other->cancelled = true;
}

void darn_turn_pass(struct darn_slot *slot, enum darn_step_op op, const volatile void *object,
                    const void *frame)
{
    darn_turn_step(slot, op, object, frame);
    darn_turn_take(slot);
}

void darn_turn_yield(struct darn_slot *slot, const void *frame)
{
    darn_turn_step(slot, DARN_STEP_YIELD, NULL, frame);
    slot->yielded = true;
    darn_turn_take(slot);
}

void darn_turn_sleep(struct darn_slot *slot, uint64_t deadline, const void *frame)
{
    darn_turn_step(slot, DARN_STEP_SLEEP, NULL, frame);
    /* A thread may sleep while nobody else makes a step: that is how long a step takes then. One
     * that comes back to the same sleep again and again waits for others. */
    slot->yielded = slot->slept_at == slot->place;
    slot->slept_at = slot->place;
    darn_turn_take(slot);
    darn_vtime_jump(deadline);
    end_if_cancelled(slot);
}

void darn_turn_outside(struct darn_slot *slot, const void *frame)
{
    darn_turn_pass(slot, DARN_STEP_CALL, &darn_turn_world, frame);
    darn_turn_leave(slot);
}

bool darn_turn_call(struct darn_slot *slot, const volatile void *object,
                    bool (*ready)(void *argument), void *argument, uint64_t deadline,
                    const void *frame)
{
    darn_turn_step(slot, DARN_STEP_CALL, object, frame);
    return darn_turn_await(slot, ready, argument, deadline);
}

bool darn_turn_await(struct darn_slot *slot, bool (*ready)(void *argument), void *argument,
                     uint64_t deadline)
{
    slot->ready = ready;
    slot->argument = argument;
    set_deadline(slot, deadline);
    darn_turn_take(slot);
    while (!ready(argument) && !slot->timed_out && !slot->interrupted) {
        end_if_cancelled(slot);
        darn_turn_again(slot);
    }
    slot->ready = NULL;
    return !slot->timed_out && ready(argument);
}
