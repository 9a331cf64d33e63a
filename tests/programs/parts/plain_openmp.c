/* Teams and tasks of code that darn has not compiled, with a lock that darn never sees. */
#include <sched.h>
#include <stdatomic.h>

void plain_team(void (*call)(void));
void plain_task(void (*call)(void));

static atomic_flag busy = ATOMIC_FLAG_INIT;

static void call_alone(void (*call)(void))
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        sched_yield();
    call();
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

void plain_team(void (*call)(void))
{
#pragma omp parallel for
    for (int i = 0; i < 300; i++)
        call_alone(call);
}

void plain_task(void (*call)(void))
{
#pragma omp task
    call_alone(call);
}
