/* Atomics, fences and volatile are marked as such. */
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

/* site: load read atomic 4 flag */
int load(void)
{
    return flag;
}

/* site: load_relaxed read atomic 4 flag */
int load_relaxed(void)
{
    return atomic_load_explicit(&flag, memory_order_relaxed);
}

/* site: store write atomic 4 flag */
void store(int v)
{
    flag = v;
}

/* site: add update atomic 8 sum */
long add(void)
{
    return atomic_fetch_add(&sum, 1);
}

/* site: exchange update atomic 4 flag */
int exchange(int v)
{
    return atomic_exchange_explicit(&flag, v, memory_order_acq_rel);
}

/* site: compare update atomic 4 flag */
int compare(int o, int n)
{
    return atomic_compare_exchange_weak(&flag, &o, n);
}

/* site: floating update atomic 4 real */
/* may: floating read atomic 4 real */
void floating(void)
{
    real += 1.5f;
}

/* site: take update atomic 1 _ */
/* site: take write atomic 1 _ */
void take(void)
{
    while (atomic_flag_test_and_set(&lock))
        ;
    atomic_flag_clear(&lock);
}

/* site: builtin read atomic 4 plain */
/* site: builtin update atomic 4 plain */
int builtin(void)
{
    return __atomic_load_n(&plain, __ATOMIC_ACQUIRE) + __sync_fetch_and_add(&plain, 1);
}

/* site: unmarked write - 4 plain */
void unmarked(void)
{
    plain = 1;
}

/* site: fence fence atomic 0 - */
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
