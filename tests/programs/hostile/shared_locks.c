/*
 * claim: locks in memory that processes share, robust and PI, and owners that die
 * build: -O1
 * modes: run max record hunt explore heal only
 * stdout: two processes counted together
 * stdout: a dead process left its lock, twice
 * stdout: a dead thread left its lock
 * stdout: what cannot be mended stays so
 */
#include "hostile.h"
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>

enum { ROUNDS = 50 };

static struct shared {
    pthread_mutex_t robust, pi;
    pthread_rwlock_t rwlock;
    pthread_cond_t cond;
    pthread_barrier_t barrier;
    sem_t semaphore;
    int turn;
    long by_robust, by_pi, by_rwlock, by_semaphore;
} * shared;

static void make_mutex(pthread_mutex_t *mutex, int protocol)
{
    pthread_mutexattr_t attr;
    must(pthread_mutexattr_init(&attr) == 0);
    must(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    must(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
    must(pthread_mutexattr_setprotocol(&attr, protocol) == 0);
    must(pthread_mutex_init(mutex, &attr) == 0);
}

static void make_shared(void)
{
    pthread_rwlockattr_t rwlock;
    pthread_condattr_t cond;
    pthread_barrierattr_t barrier;
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(shared != MAP_FAILED);
    make_mutex(&shared->robust, PTHREAD_PRIO_NONE);
    make_mutex(&shared->pi, PTHREAD_PRIO_INHERIT);
    pthread_rwlockattr_init(&rwlock);
    must(pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED) == 0);
    must(pthread_rwlock_init(&shared->rwlock, &rwlock) == 0);
    pthread_condattr_init(&cond);
    must(pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED) == 0);
    must(pthread_cond_init(&shared->cond, &cond) == 0);
    pthread_barrierattr_init(&barrier);
    must(pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED) == 0);
    must(pthread_barrier_init(&shared->barrier, &barrier, 4) == 0);
    must(sem_init(&shared->semaphore, 1, 1) == 0);
}

static void *count(void *arg)
{
    pthread_barrier_wait(&shared->barrier);
    for (int i = 0; i < ROUNDS; i++) {
        must(pthread_mutex_lock(&shared->robust) == 0);
        shared->by_robust++;
        must(pthread_mutex_unlock(&shared->robust) == 0);
        must(pthread_mutex_lock(&shared->pi) == 0);
        shared->by_pi++;
        must(pthread_mutex_unlock(&shared->pi) == 0);
        must(pthread_rwlock_wrlock(&shared->rwlock) == 0);
        shared->by_rwlock++;
        must(pthread_rwlock_unlock(&shared->rwlock) == 0);
        must(sem_wait(&shared->semaphore) == 0);
        shared->by_semaphore++;
        must(sem_post(&shared->semaphore) == 0);
    }
    return arg;
}

/* The processes take turns ten times, then two threads of each count with those of the other. */
static void play(int me)
{
    for (int i = 0; i < 10; i++) {
        must(pthread_mutex_lock(&shared->robust) == 0);
        while (shared->turn % 2 != me)
            must(pthread_cond_wait(&shared->cond, &shared->robust) == 0);
        shared->turn++;
        must(pthread_cond_broadcast(&shared->cond) == 0);
        must(pthread_mutex_unlock(&shared->robust) == 0);
    }
    pthread_t other = start(count, NULL);
    count(NULL);
    join(other);
}

static void count_together(void)
{
    pid_t child = fork();
    play(child == 0);
    if (child == 0)
        _exit(0);
    must(status_of(child) == 0 && shared->turn == 20);
    must(shared->by_robust == 4 * ROUNDS && shared->by_pi == 4 * ROUNDS);
    must(shared->by_rwlock == 4 * ROUNDS && shared->by_semaphore == 4 * ROUNDS);
}

static void *die_with(void *lock)
{
    must(pthread_mutex_lock(lock) == 0);
    return lock;
}

/* In a thread of its own, killed in the middle. */
static void lose_in_process(pthread_mutex_t *lock)
{
    pid_t child = fork();
    if (child == 0) {
        join(start(count_in_pair, &(struct hostile_pair){.lock = PTHREAD_MUTEX_INITIALIZER}));
        must(pthread_mutex_lock(lock) == 0);
        kill(getpid(), SIGKILL);
    }
    must(status_of(child) == 128 + SIGKILL);
}

static void *inherit(void *lock)
{
    must(pthread_mutex_lock(lock) == EOWNERDEAD);
    must(pthread_mutex_consistent(lock) == 0 && pthread_mutex_unlock(lock) == 0);
    must(pthread_mutex_trylock(lock) == 0 && pthread_mutex_unlock(lock) == 0);
    return lock;
}

static void *give_up(void *lock)
{
    must(pthread_mutex_lock(lock) == EOWNERDEAD && pthread_mutex_unlock(lock) == 0);
    must(pthread_mutex_lock(lock) == ENOTRECOVERABLE);
    return lock;
}

int main(void)
{
    make_shared();
    count_together();
    say("two processes counted together");
    lose_in_process(&shared->robust);
    join(start(inherit, &shared->robust));
    lose_in_process(&shared->pi);
    join(start(inherit, &shared->pi));
    say("a dead process left its lock, twice");
    join(start(die_with, &shared->pi));
    inherit(&shared->pi);
    join(start(die_with, &shared->robust));
    join(start(inherit, &shared->robust));
    say("a dead thread left its lock");
    join(start(die_with, &shared->robust));
    join(start(give_up, &shared->robust));
    must(pthread_mutex_trylock(&shared->robust) == ENOTRECOVERABLE);
    say("what cannot be mended stays so");
    return 0;
}
