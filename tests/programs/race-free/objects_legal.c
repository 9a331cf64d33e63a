/*
 * claim: locks and conditions that are used in odd but legal ways are not misused
 * build: -O0
 * build: -O2
 * run: x 3
 * run: --budget=max --noise=random:300/100 x 3
 * predict: hb x 2
 * expect: none
 * tsan: no
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 24, ROUNDS = 50, WAITERS = 3 };

static pthread_mutex_t forked = PTHREAD_MUTEX_INITIALIZER, mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t locks[MANY];
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t ready, done;
static int failures;

static void check(int is_right)
{
    if (!is_right)
        __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

/* The program has asked for these to fail. */
static void *refused(void *lock)
{
    check(pthread_mutex_unlock(lock) == EPERM);
    return NULL;
}

static void try_kind(int kind)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t lock;
    pthread_t thread;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(&lock, &attributes);
    check(pthread_mutex_unlock(&lock) == EPERM);
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, refused, &lock);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&lock);
    check(pthread_mutex_destroy(&lock) == 0);
}

/* More than a thread's list has room for, given back in another order. */
static void hold_many(void)
{
    for (int i = 0; i < MANY; i++) {
        pthread_mutex_init(&locks[i], NULL);
        pthread_mutex_lock(&locks[i]);
    }
    for (int i = 0; i < MANY; i++)
        pthread_mutex_unlock(&locks[i]);
    for (int i = 0; i < MANY; i++)
        pthread_mutex_destroy(&locks[i]);
}

struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    pthread_barrier_t passed;
    int is_open, inside;
};

static void *pass(void *argument)
{
    struct gate *gate = argument;

    pthread_mutex_lock(&gate->mutex);
    gate->inside++;
    while (!gate->is_open)
        pthread_cond_wait(&gate->opened, &gate->mutex);
    pthread_mutex_unlock(&gate->mutex);
    if (pthread_barrier_wait(&gate->passed) == PTHREAD_BARRIER_SERIAL_THREAD)
        pthread_barrier_destroy(&gate->passed);
    return NULL;
}

/* All are woken: the condition may go while they are on their way out, and so may the barrier. */
static void destroy_early(void)
{
    struct gate *gate = calloc(1, sizeof(*gate));
    pthread_t threads[WAITERS];

    pthread_mutex_init(&gate->mutex, NULL);
    pthread_cond_init(&gate->opened, NULL);
    pthread_barrier_init(&gate->passed, NULL, WAITERS);
    for (int i = 0; i < WAITERS; i++)
        pthread_create(&threads[i], NULL, pass, gate);
    pthread_mutex_lock(&gate->mutex);
    while (gate->inside < WAITERS) {
        pthread_mutex_unlock(&gate->mutex);
        sched_yield();
        pthread_mutex_lock(&gate->mutex);
    }
    gate->is_open = 1;
    pthread_cond_broadcast(&gate->opened);
    pthread_mutex_unlock(&gate->mutex);
    pthread_cond_destroy(&gate->opened);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&gate->mutex);
    free(gate);
}

static void prepare(void)
{
    pthread_mutex_lock(&forked);
    pthread_mutex_lock(&mutex);
}

static void go_on(void)
{
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&forked);
}

/* The child makes anew what it cannot give back. */
static void begin_child(void)
{
    pthread_mutex_unlock(&mutex);
    pthread_mutex_init(&forked, NULL);
}

static void *hold_while_forking(void *unused)
{
    pthread_mutex_lock(&locks[0]);
    sem_post(&ready);
    sem_wait(&done);
    pthread_mutex_unlock(&locks[0]);
    return unused;
}

static void fork_with_locks(void)
{
    pthread_t thread;
    int status = 1;
    pid_t child;

    pthread_mutex_init(&locks[0], NULL);
    pthread_create(&thread, NULL, hold_while_forking, NULL);
    sem_wait(&ready);
    child = fork();
    if (child == 0) {
        pthread_mutex_init(&locks[0], NULL); /* its holder is not in this process */
        pthread_mutex_lock(&locks[0]);
        pthread_mutex_unlock(&locks[0]);
        pthread_mutex_lock(&forked);
        pthread_mutex_unlock(&forked);
        _exit(0);
    }
    waitpid(child, &status, 0);
    check(status == 0);
    sem_post(&done);
    pthread_join(thread, NULL);
}

/* Nobody gave it back, but it is not there any more. */
static void leave_locked(void)
{
    pthread_mutex_t *lock = malloc(sizeof(*lock));

    pthread_mutex_init(lock, NULL);
    pthread_mutex_lock(lock);
    free(lock);
    lock = malloc(sizeof(*lock));
    pthread_mutex_init(lock, NULL);
    check(pthread_mutex_trylock(lock) == 0);
    pthread_mutex_unlock(lock);
    pthread_mutex_destroy(lock);
    free(lock);
}

__attribute__((noinline)) static void leave_locked_on_stack(void)
{
    pthread_mutex_t lock;

    pthread_mutex_init(&lock, NULL);
    pthread_mutex_lock(&lock);
}

static void give_back(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&mutex);
    sem_post(&ready);
    sem_wait(&done);
}

static void *wait_in_vain(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(give_back, NULL);
    sem_post(&ready);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(0);
    return unused;
}

/* Who is cancelled does not wait any more, though it has not ended yet. */
static void cancel_wait(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, wait_in_vain, NULL);
    sem_wait(&ready);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_cancel(thread);
    sem_wait(&ready);
    pthread_cond_destroy(&never);
    check(pthread_mutex_destroy(&mutex) == 0);
    sem_post(&done);
    pthread_join(thread, NULL);
}

int main(void)
{
    struct timespec past = {0, 0};

    sem_init(&ready, 0, 0);
    sem_init(&done, 0, 0);
    pthread_atfork(prepare, go_on, begin_child);
    try_kind(PTHREAD_MUTEX_RECURSIVE);
    try_kind(PTHREAD_MUTEX_ERRORCHECK);
    hold_many();
    for (int i = 0; i < ROUNDS; i++)
        destroy_early();
    pthread_mutex_lock(&mutex);
    check(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    fork_with_locks();
    leave_locked();
    leave_locked_on_stack();
    leave_locked_on_stack();
    cancel_wait();
    return failures != 0;
}
