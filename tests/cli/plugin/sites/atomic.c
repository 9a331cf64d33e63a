/* Atomics, fences and volatile are marked as such, and with what their memory order orders. */
#include <stdatomic.h>

struct triple {
    long a, b, c;
};

_Atomic int flag;
atomic_long sum;
_Atomic float real;
atomic_flag lock;
int plain;
volatile int port;
volatile struct triple ports;

/* site: load read atomic,acquires 4 flag */
int load(void)
{
    return flag;
}

/* site: load_relaxed read atomic 4 flag */
int load_relaxed(void)
{
    return atomic_load_explicit(&flag, memory_order_relaxed);
}

/* site: store write atomic,releases 4 flag */
void store(int v)
{
    flag = v;
}

/* site: add update atomic,acquires,releases 8 sum */
long add(void)
{
    return atomic_fetch_add(&sum, 1);
}

/* site: exchange update atomic,acquires,releases 4 flag */
int exchange(int v)
{
    return atomic_exchange_explicit(&flag, v, memory_order_acq_rel);
}

/* site: compare update atomic,acquires,releases 4 flag */
int compare(int o, int n)
{
    return atomic_compare_exchange_weak(&flag, &o, n);
}

/* site: floating update atomic,acquires,releases 4 real */
/* may: floating read atomic,acquires 4 real */
void floating(void)
{
    real += 1.5f;
}

/* site: take update atomic,spin,acquires,releases 1 _ */
/* site: take write atomic,releases 1 _ */
void take(void)
{
    while (atomic_flag_test_and_set(&lock))
        ;
    atomic_flag_clear(&lock);
}

/* site: builtin read atomic,acquires 4 plain */
/* site: builtin update atomic,acquires,releases 4 plain */
int builtin(void)
{
    return __atomic_load_n(&plain, __ATOMIC_ACQUIRE) + __sync_fetch_and_add(&plain, 1);
}

/* site: unmarked write - 4 plain */
void unmarked(void)
{
    plain = 1;
}

/* site: fence fence atomic,acquires,releases 0 - */
void fence(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

/* It orders nothing between threads. */
/* none: signal_fence */
void signal_fence(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

/* site: volatile_read read volatile 4 port */
int volatile_read(void)
{
    return port;
}

/* site: volatile_write write volatile 4 port */
void volatile_write(int v)
{
    port = v;
}

/* Each access of a volatile variable is one of its own. */
/* site: volatile_update read volatile 4 port */
/* site: volatile_update write volatile 4 port */
void volatile_update(void)
{
    port++;
}

/* not yet: volatile_copy read volatile,range 0 ports */
void volatile_copy(struct triple *to)
{
    *to = ports;
}

/* site: orders read atomic 4 plain */
/* site: orders read atomic,acquires 4 plain */
/* site: orders write atomic 4 plain */
/* site: orders write atomic,releases 4 plain */
/* site: orders write - 4 *v */
/* site: orders write - 4 v[1] */
void orders(int v[2])
{
    v[0] = __atomic_load_n(&plain, __ATOMIC_RELAXED);
    v[1] = __atomic_load_n(&plain, __ATOMIC_SEQ_CST);
    __atomic_store_n(&plain, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&plain, 2, __ATOMIC_SEQ_CST);
}

/* site: update_orders update atomic 4 plain */
/* site: update_orders update atomic,acquires 4 plain */
/* site: update_orders update atomic,releases 4 plain */
/* site: update_orders update atomic,acquires,releases 4 plain */
void update_orders(void)
{
    __atomic_fetch_add(&plain, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&plain, 1, __ATOMIC_ACQUIRE);
    __atomic_fetch_add(&plain, 1, __ATOMIC_RELEASE);
    __atomic_fetch_add(&plain, 1, __ATOMIC_ACQ_REL);
}

/* Success counts. */
/* site: compare_orders update atomic,releases 4 plain */
/* site: compare_orders update atomic,acquires 4 plain */
int compare_orders(int o)
{
    int p = o;

    return __atomic_compare_exchange_n(&plain, &p, 1, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED) +
           __atomic_compare_exchange_n(&plain, &o, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* site: fence_orders fence atomic,acquires 0 - */
/* site: fence_orders fence atomic,releases 0 - */
/* site: fence_orders write - 4 plain */
void fence_orders(void)
{
    atomic_thread_fence(memory_order_acquire);
    plain = 0;
    atomic_thread_fence(memory_order_release);
}
