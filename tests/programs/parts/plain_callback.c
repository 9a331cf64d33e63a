/* Calls back under a lock that darn never sees, from the caller's thread and from one of its own: compiled by
 * the plain compiler. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

void plain_call(void (*callback)(void *), void *argument);
int plain_start(void (*callback)(void *), void *argument, int count);
void plain_await(void);

static atomic_flag busy = ATOMIC_FLAG_INIT;
static atomic_int left;

static struct {
    void (*callback)(void *);
    void *argument;
    int count;
} job;

void plain_call(void (*callback)(void *), void *argument)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        sched_yield();
    callback(argument);
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

static void *run(void *unused)
{
    for (int i = 0; i < job.count; i++)
        plain_call(job.callback, job.argument);
    atomic_store_explicit(&left, 0, memory_order_release);
    return unused;
}

int plain_start(void (*callback)(void *), void *argument, int count)
{
    pthread_t thread;

    job.callback = callback;
    job.argument = argument;
    job.count = count;
    atomic_store(&left, 1);
    return pthread_create(&thread, NULL, run, NULL) || pthread_detach(thread);
}

void plain_await(void)
{
    while (atomic_load_explicit(&left, memory_order_acquire))
        sched_yield();
}
