/*
 * claim: threads fork, vfork, spawn and exec at the same time, and fork handlers take locks
 * build: -O1
 * modes: run max record hunt explore heal only
 * stdout: forked, with a thread in the child
 * stdout: vforked
 * stdout: spawned
 * stdout: became another program
 */
#include "hostile.h"
#include <spawn.h>
#include <stdatomic.h>

enum { FORKERS = 3, ROUNDS = 3 };

extern char **environ;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter; /* under the lock, which fork handlers keep whole in the child */
static atomic_int stop;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    counter++;
}

static void after_fork(void)
{
    counter--;
    pthread_mutex_unlock(&lock);
}

static void *use_lock(void *arg)
{
    while (!atomic_load(&stop)) {
        pthread_mutex_lock(&lock);
        counter++;
        free(malloc(100));
        counter--;
        pthread_mutex_unlock(&lock);
        usleep(100);
    }
    return arg;
}

static int be_child(void)
{
    pthread_mutex_lock(&lock); /* free: the handlers have seen to that */
    must(counter == 0);
    pthread_mutex_unlock(&lock);
    two_threads_count();
    return 7;
}

static void *fork_here(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(be_child());
        must(status_of(child) == 7);
    }
    return arg;
}

static void *vfork_here(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pid_t child = vfork();
        if (child == 0) {
            execl("/bin/sh", "sh", "-c", "exit 8", (char *)NULL);
            _exit(1);
        }
        must(status_of(child) == 8);
    }
    return arg;
}

static void *spawn_here(void *arg)
{
    char *arguments[] = {"sh", "-c", "exit 9", NULL};
    for (int i = 0; i < ROUNDS; i++) {
        pid_t child;
        must(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0);
        must(status_of(child) == 9);
    }
    return arg;
}

/* Not the first thread: this one is gone at once, with all others. */
static void *become_another(void *arg)
{
    execl("/bin/sh", "sh", "-c", "echo became another program", (char *)NULL);
    go_wrong(__FILE__, __LINE__, "exec");
    return arg;
}

static void each(void *(*work)(void *), const char *what)
{
    pthread_t threads[FORKERS];
    for (int i = 0; i < FORKERS; i++)
        threads[i] = start(work, NULL);
    for (int i = 0; i < FORKERS; i++)
        join(threads[i]);
    say(what);
}

int main(void)
{
    must(pthread_atfork(before_fork, after_fork, after_fork) == 0);
    pthread_t user = start(use_lock, NULL);
    each(fork_here, "forked, with a thread in the child");
    each(vfork_here, "vforked");
    each(spawn_here, "spawned");
    atomic_store(&stop, 1);
    join(user);
    join(start(become_another, NULL));
    return 1;
}
