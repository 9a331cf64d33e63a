/* A lock that darn never sees: compiled by the plain compiler. */
#include <sched.h>
#include <stdatomic.h>

void plain_lock(void);
void plain_unlock(void);

static atomic_flag busy = ATOMIC_FLAG_INIT;

void plain_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        sched_yield();
}

void plain_unlock(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}
