/*
 * claim: locks of all kinds, taken and given back in all ways, keep what they guard and who waits for them is woken up
 * build: -O0
 * build: -O1
 * build: -O2
 * alone: right
 * runs: 5
 * heals: total
 */
#include "crowd.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>

enum { THREADS = 4, ROUNDS = 1500, MANY = 20, FORKS = 4 };

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, recursive, checking, row[MANY];
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* Guarded by `plain`, */
static volatile long total, tokens, taken;
/* by `recursive`, `checking`, and each by its own. */
static volatile long nested, checked, cells[MANY];
static _Atomic long wanted_total, failures;

static void expect(int is_so)
{
    failures += !is_so;
}

__attribute__((noinline)) static void add(void)
{
    pthread_mutex_lock(&plain);
    long seen = total;
    dawdle(10);
    total = seen + 1;
    pthread_mutex_unlock(&plain);
}

__attribute__((noinline)) static void try(void)
{
    while (pthread_mutex_trylock(&plain) != 0)
        sched_yield();
    total = total + 1;
    pthread_mutex_unlock(&plain);
}

__attribute__((noinline)) static void lock_in_time(void)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 100;
    expect(pthread_mutex_timedlock(&plain, &end) == 0);
    total = total + 1;
    pthread_mutex_unlock(&plain);
}

__attribute__((noinline)) static void nest(int depth)
{
    pthread_mutex_lock(&recursive);
    nested = nested + 1;
    if (depth > 1)
        nest(depth - 1);
    pthread_mutex_unlock(&recursive);
}

__attribute__((noinline)) static void check(void)
{
    expect(pthread_mutex_lock(&checking) == 0);
    expect(pthread_mutex_lock(&checking) == EDEADLK);
    checked = checked + 1;
    expect(pthread_mutex_unlock(&checking) == 0);
    expect(pthread_mutex_unlock(&checking) == EPERM);
}

/* Given back in the order in which they were taken. */
__attribute__((noinline)) static void hold_all(void)
{
    for (int i = 0; i < MANY; i++) {
        pthread_mutex_lock(&row[i]);
        cells[i] = cells[i] + 1;
    }
    for (int i = 0; i < MANY; i++)
        pthread_mutex_unlock(&row[i]);
}

static void put(void)
{
    pthread_mutex_lock(&plain);
    tokens = tokens + 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&plain);
}

static void take(void)
{
    pthread_mutex_lock(&plain);
    while (tokens == 0)
        pthread_cond_wait(&changed, &plain);
    tokens = tokens - 1;
    taken = taken + 1;
    pthread_mutex_unlock(&plain);
}

/* The child has the lock, as the parent has: it gives it back, and takes it again. */
static void fork_locked(void)
{
    int status = 0;
    pid_t child;
    pthread_mutex_lock(&plain);
    child = fork();
    if (child == 0) {
        long before = total;
        pthread_mutex_unlock(&plain);
        for (int i = 0; i < 10; i++)
            add();
        _exit(total != before + 10);
    }
    total = total + 1;
    pthread_mutex_unlock(&plain);
    expect(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void *works(void *arg)
{
    long number = (long)arg;
    crowd_begin_apart(number);
    for (int i = 0; i < ROUNDS; i++) {
        add();
        try();
        lock_in_time();
        nest(3);
        check();
        if (i % 8 == 0)
            hold_all();
        if (number % 2)
            put();
        else
            take();
        if (number == 0 && i % (ROUNDS / FORKS) == 0)
            fork_locked();
    }
    wanted_total += 3L * ROUNDS + (number == 0 ? FORKS : 0);
    return arg;
}

static void init(pthread_mutex_t *mutex, int kind)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

int main(void)
{
    init(&recursive, PTHREAD_MUTEX_RECURSIVE);
    init(&checking, PTHREAD_MUTEX_ERRORCHECK);
    for (int i = 0; i < MANY; i++)
        init(&row[i], PTHREAD_MUTEX_NORMAL);
    crowd(THREADS, works);
    expect(total == wanted_total);
    expect(tokens == 0 && taken == (long)THREADS / 2 * ROUNDS);
    expect(nested == 3L * THREADS * ROUNDS);
    expect(checked == (long)THREADS * ROUNDS);
    for (int i = 0; i < MANY; i++)
        expect(cells[i] == (long)THREADS * ((ROUNDS + 7) / 8));
    expect(pthread_mutex_destroy(&plain) == 0);
    if (failures)
        fprintf(stderr, "%ld failures; the total is %ld, not %ld\n", (long)failures, total, (long)wanted_total);
    return failures != 0;
}
