/*
 * Tian's shapes of hand-made synchronization, and what only looks like them, with shared variables
 * of type SHARED: sites/spins_*.c say what it is and which sites come out.
 */
#include <sched.h>
#include <unistd.h>

typedef SHARED shared;

enum { THREADS = 4 };

static inline void relax(void)
{
    __asm__ volatile("pause" ::: "memory");
}

shared flag, lock, counter, turn, next_ticket, sense;
_Thread_local int own_sense;

void flag_wait(void)
{
    while (!flag)
        relax();
}

void flag_yield(void)
{
    while (flag != 3)
        sched_yield();
}

/* With a limit, and with a sleep that grows. */
int flag_limit(int limit)
{
    int us = 1;

    for (int i = 0; i < limit; i++) {
        if (flag & 4)
            return 1;
        usleep((unsigned)us);
        us = us < 1000 ? 2 * us : us;
    }
    return 0;
}

int flag_value(int old)
{
    int value;

    while ((value = flag) == old)
        relax();
    return value;
}

void test_and_set(void)
{
    while (__sync_lock_test_and_set((int *)&lock, 1))
        relax();
}

void compare_and_set(void)
{
    while (!__sync_bool_compare_and_swap((int *)&lock, 0, 1))
        ;
}

void test_and_test_and_set(void)
{
    while (__sync_lock_test_and_set((int *)&lock, 1)) {
        while (lock)
            relax();
    }
}

/* As Tian's own: by a decrement. */
void test_and_decrement(void)
{
    while (__sync_fetch_and_sub((int *)&lock, 1) != 1) {
        while (lock <= 0)
            relax();
    }
}

/* Waits while there is a writer; but the increment is a retry, and no wait. */
void read_lock(void)
{
    for (;;) {
        int old = lock;

        if (old < 0) {
            relax();
            continue;
        }
        if (__sync_bool_compare_and_swap((int *)&lock, old, old + 1))
            return;
    }
}

struct node {
    struct node *shared_next;
    shared locked;
};

struct node *tail;

void clh(struct node *me)
{
    struct node *before;

    me->locked = 1;
    before = __atomic_exchange_n(&tail, me, __ATOMIC_ACQ_REL);
    while (before->locked)
        relax();
}

void mcs(void)
{
    struct node me = {0}, *before;

    before = __atomic_exchange_n(&tail, &me, __ATOMIC_ACQ_REL);
    if (before) {
        me.locked = 1;
        __atomic_store_n(&before->shared_next, &me, __ATOMIC_RELEASE);
        while (me.locked)
            relax();
    }
}

/* Both reads: that of the pointer, and that of the flag. */
void through_pointer(struct node *of)
{
    while (__atomic_load_n(&of->shared_next, __ATOMIC_ACQUIRE)->locked)
        relax();
}

void ticket(void)
{
    int mine = __sync_fetch_and_add((int *)&next_ticket, 1);

    while (turn != mine)
        relax();
}

/* The longer the queue, the longer the pause. */
void ticket_backoff(int mine)
{
    int ahead;

    while ((ahead = mine - turn) != 0) {
        for (int i = 0; i < ahead; i++)
            relax();
    }
}

void central_barrier(void)
{
    __sync_fetch_and_add((int *)&counter, 1);
    while (counter != THREADS)
        relax();
}

void sense_barrier(void)
{
    own_sense = !own_sense;
    if (__sync_sub_and_fetch((int *)&counter, 1) == 0) {
        counter = THREADS;
        sense = own_sense;
    }
    while (sense != own_sense)
        relax();
}

struct tree {
    shared child_not_ready[4];
    shared parent_sense;
};

void tree_children(struct tree *t)
{
    while (t->child_not_ready[0] || t->child_not_ready[1] || t->child_not_ready[2] ||
           t->child_not_ready[3])
        relax();
}

void tree_scan(struct tree *t, int children)
{
    int waiting;

    do {
        waiting = 0;
        for (int i = 0; i < children; i++) {
            if (t->child_not_ready[i])
                waiting = 1;
        }
        relax();
    } while (waiting);
}

void tree_parent(struct tree *t, int id, int now)
{
    if (id != 0) {
        while (t->parent_sense != now)
            relax();
    }
}

void each(struct tree *t, int children)
{
    for (int i = 0; i < children; i++) {
        while (t->child_not_ready[i])
            relax();
    }
}

/* Functions that only read, in the place of the read. */
static int is_set(shared *f)
{
    return *f != 0;
}

static int is_ready(struct tree *t)
{
    return is_set(&t->parent_sense);
}

void by_function(struct tree *t)
{
    while (!is_ready(t))
        relax();
}

/* No spin loops from here on. */
void unknown(void);

void works(void)
{
    while (!flag)
        unknown();
}

void writes(void)
{
    while (!flag)
        counter = 1;
}

int retry(void)
{
    int old;

    do {
        old = counter;
    } while (!__sync_bool_compare_and_swap((int *)&counter, old, old + 1));
    return old;
}

/* The next piece of work. */
int share_out(const int *pieces, int count)
{
    int sum = 0, i;

    while ((i = __sync_fetch_and_add((int *)&counter, 1)) < count)
        sum += pieces[i];
    return sum;
}

int length(shared *text)
{
    int n = 0;

    while (text[n])
        n++;
    return n;
}

struct list {
    struct list *volatile next;
    shared key;
};

struct list *find(struct list *l, int key)
{
    while (l && l->key != key)
        l = l->next;
    return l;
}

int bounded(shared *numbers)
{
    int sum = 0;

    for (int i = 0; i < counter; i++)
        sum += numbers[i];
    return sum;
}

int nested(shared *numbers)
{
    int sum = 0;

    for (int j = 0; j < 100; j++) {
        for (int i = 0; i < counter; i++)
            sum += numbers[i] ^ j;
    }
    return sum;
}

int once(void)
{
    return flag ? lock : 0;
}
