/*
 * The ceiling for schedules per second: a process is forked for each run, two threads in it pass a
 * turn on by futex at ten points each, at random, and that is all. Each job is pinned to a core.
 *
 * usage: bare JOBS SECONDS
 *
 * Prints runs per second, of all jobs together. Exit status: 0, 1 if something failed, 2 for wrong
 * usage.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, POINTS = 10, MOST_JOBS = 256 };

static atomic_uint turn; /* the number of the thread that runs; a futex */
static atomic_uint alive;
static uint64_t state; /* of the random numbers; whoever has the turn uses it */

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static unsigned draw(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned)(state >> 63);
}

static void wait_for_turn(unsigned self)
{
    for (unsigned seen; (seen = atomic_load(&turn)) != self;)
        syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void hand_over(unsigned to)
{
    atomic_store(&turn, to);
    syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, THREADS, NULL, NULL, 0);
}

static void *work(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg, other = !self;

    wait_for_turn(self);
    for (int i = 0; i < POINTS; i++) {
        if (atomic_load(&alive) == THREADS && draw()) {
            hand_over(other);
            wait_for_turn(self);
        }
    }
    atomic_fetch_sub(&alive, 1);
    hand_over(other);
    return NULL;
}

static _Noreturn void run(uint64_t seed)
{
    pthread_t threads[THREADS];

    state = seed;
    atomic_store(&alive, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, (void *)i))
            _exit(1);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    _exit(0);
}

/* To the core number `job` of those that we may use. */
static void pin(unsigned job)
{
    cpu_set_t all, one;
    unsigned at;

    if (sched_getaffinity(0, sizeof(all), &all))
        return;
    at = job % (unsigned)CPU_COUNT(&all);
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET(core, &all) && at-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            sched_setaffinity(0, sizeof(one), &one);
            return;
        }
    }
}

static int make_runs(unsigned job, double until, uint64_t *runs)
{
    pin(job);
    for (*runs = 0; now() < until; ++*runs) {
        int status = 1;
        pid_t child = fork();

        if (child == 0)
            run(*runs * 2 + 1);
        if (child < 0 || waitpid(child, &status, 0) != child || status)
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    unsigned jobs = argc == 3 ? (unsigned)atoi(argv[1]) : 0;
    double seconds = argc == 3 ? atof(argv[2]) : 0, start = now();
    uint64_t *runs, all = 0;
    int failed = 0;

    if (jobs < 1 || jobs > MOST_JOBS || !(seconds > 0)) {
        fprintf(stderr, "usage: bare JOBS SECONDS\n");
        return 2;
    }
    runs = mmap(NULL, MOST_JOBS * sizeof(*runs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                -1, 0);
    if (runs == MAP_FAILED)
        return 1;
    for (unsigned job = 0; job < jobs; job++) {
        pid_t child = fork();

        if (child == 0)
            _exit(make_runs(job, start + seconds, &runs[job]));
        failed |= child < 0;
    }
    for (int status; wait(&status) > 0;)
        failed |= status != 0;
    for (unsigned job = 0; job < jobs; job++)
        all += runs[job];
    printf("%.0f\n", (double)all / (now() - start));
    return failed;
}
