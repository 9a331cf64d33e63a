/* What the programs of this folder share: no result of a call goes unseen, and stdout has nothing
 * but what went right. To be included first: it chooses what the system's headers offer. */
#ifndef HOSTILE_H
#define HOSTILE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define must(condition) ((condition) ? (void)0 : go_wrong(__FILE__, __LINE__, #condition))

/* Ends the process at once: other threads may be anywhere. */
__attribute__((noreturn)) static inline void go_wrong(const char *file, int line,
                                                      const char *condition)
{
    dprintf(1, "%s:%d: not so: %s\n", file, line, condition);
    _exit(70);
}

/* One line on stdout, past stdio: a process that forks or is killed prints nothing twice and loses
 * nothing. */
static inline void say(const char *text)
{
    must(dprintf(1, "%s\n", text) > 0);
}

static inline pthread_t start(void *(*work)(void *), void *arg)
{
    pthread_t thread;
    must(pthread_create(&thread, NULL, work, arg) == 0);
    return thread;
}

static inline void *join(pthread_t thread)
{
    void *result;
    must(pthread_join(thread, &result) == 0);
    return result;
}

/* The exit status of a child; a signal that has ended it counts from 128 on. */
static inline int status_of(pid_t child)
{
    int status;
    must(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Two threads that count together under a lock: what every program still has to be able to do,
 * whatever it has done. */
struct hostile_pair {
    pthread_mutex_t lock;
    long counter;
};

static inline void *count_in_pair(void *arg)
{
    struct hostile_pair *pair = (struct hostile_pair *)arg;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&pair->lock);
        pair->counter++;
        pthread_mutex_unlock(&pair->lock);
    }
    return arg;
}

static inline void two_threads_count(void)
{
    struct hostile_pair pair = {.lock = PTHREAD_MUTEX_INITIALIZER, .counter = 0};
    pthread_t one = start(count_in_pair, &pair), two = start(count_in_pair, &pair);
    join(one);
    join(two);
    must(pair.counter == 100);
}

#endif
