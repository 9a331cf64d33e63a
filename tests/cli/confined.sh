#!/bin/bash
# needs: compiler
# Programs that put a filter on their own system calls: the runtime makes none that would kill them.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# The calls that libc needs for printf, a mutex, two threads and the end, and those that docs/security.md lists for
# the runtime. Any other one kills the process.
cat >filter.h <<'E'
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int calls[] = {
    SYS_write, SYS_exit_group, SYS_newfstatat, SYS_fstat, SYS_brk, SYS_ioctl, SYS_mmap, SYS_munmap,
#ifndef ALONE
    SYS_exit, SYS_futex, SYS_clone3, SYS_clone, SYS_mprotect, SYS_madvise, SYS_rt_sigprocmask,
    SYS_set_robust_list, SYS_rseq, SYS_rt_sigaction, SYS_getrandom,
#endif
#ifdef WATCHED
    SYS_gettid, SYS_getpid, SYS_sched_yield, SYS_get_robust_list,
#endif
#ifdef HEALED
    SYS_membarrier,
#endif
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

static void confine(void)
{
    struct sock_filter code[2 * CALLS + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

    for (size_t i = 0; i < CALLS; i++) {
        code[2 * i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
        code[2 * i + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    code[2 * CALLS + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#ifdef BY_SYSCALL
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
#else
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
#endif
        exit(77);
}
E
cat >threads.c <<'E'
#include "filter.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long locked, raced;

static void *work(void *none)
{
    for (int i = 0; i < 300; i++) {
        pthread_mutex_lock(&lock);
        locked++;
        pthread_mutex_unlock(&lock);
#ifdef RACE
        raced++;
#endif
    }
    free(malloc(100000));
    return none;
}

int main(void)
{
    confine();
    for (int round = 0; round < 3; round++) {
        pthread_t one, two;

        pthread_create(&one, NULL, work, NULL);
        pthread_create(&two, NULL, work, NULL);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
    }
    printf("%ld\n", locked);
    fflush(stdout);
#ifdef BY_SYSCALL
    _exit(0);
#endif
    return 0;
}
E
cat >alone.c <<'E'
#define ALONE
#include "filter.h"

static char *text;

int main(void)
{
    text = malloc(100);
    confine();
    strcpy(text, "alone");
    puts(text);
    return 0;
}
E
cat >strict.c <<'E'
#include "filter.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void *work(void *none)
{
    for (int i = 0; i < 300; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return none;
}

/* Nothing but read, write and the exit of a thread is allowed from then on. */
int main(int argc, char **argv)
{
    pthread_t one;

    pthread_create(&one, NULL, work, NULL);
    pthread_join(one, NULL);
    if (argc > 1 ? syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL)
                 : prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
        return 77;
    work(NULL);
    write(1, counter == 600 ? "all\n" : "few\n", 4);
    syscall(SYS_exit, 3);
    (void)argv;
    return 0;
}
E
clang-19 -O1 threads.c -o plain -pthread && clang-19 -O1 alone.c -o plain_alone && clang-19 -O1 strict.c -o plain_strict -pthread || exit 1
claim "the filter allows what the plain programs do"
for program in plain plain_alone plain_strict; do
    try ./$program
    if [ "$status" -eq 77 ] || [[ $program = plain_strict && $status -ne 3 ]]; then
        echo "no filters here: not tested"
        exit 77
    fi
done
try ./plain
expect_same "$status $out" "0 1800"

darn cc -O1 -g threads.c -o unfiltered -pthread || exit 1
darn sections infer -o all.sections ./unfiltered >/dev/null || exit 1

for by in -DBY_PRCTL -DBY_SYSCALL; do
    claim "built by --only, with nothing to heal, a program makes its own calls alone ($by)"
    darn cc --only=all.sections $by -O1 -g threads.c -o only -pthread || exit 1
    try ./only
    expect_same "$status $out$err" "0 1800"

    for options in "" --budget=max --noise=random:300/50 "--detect-deadlocks=0 --verbosity=0"; do
        claim "a watched program makes few calls more ($by $options)"
        darn cc -DWATCHED $by -O1 -g threads.c -o watched -pthread || exit 1
        try darn run $options -- ./watched
        expect_same "$status $out$err" "0 1800"
    done

    claim "what is found there is reported in the short form ($by)"
    darn cc -DWATCHED -DRACE $by -O1 -g threads.c -o racy -pthread || exit 1
    try darn run --noise=var:raced:1000/500 -- ./racy
    expect_same "$status $out" "66 1800"
    expect_has "$err" "threads.c:13:14: warning: data race on 'raced' [data-race]: write by thread T"
    expect_has "$err" "SUMMARY: darn: 1 data race"

    claim "healing makes one more ($by)"
    darn cc --only=all.sections -DWATCHED -DHEALED -DRACE $by -O1 -g threads.c -o healed -pthread || exit 1
    try env DARN_OPTIONS=heal=all.sections ./healed
    expect_same "$status $out$err" "0 1800"
done

claim "a program of one thread needs no call of ours"
darn cc -O1 -g alone.c -o alone || exit 1
for options in "" --budget=max --noise=random:300/50; do
    try darn run $options -- ./alone
    expect_same "$status $out$err" "0 alone"
done

claim "strict mode ends the watching, not the program"
darn cc -O1 -g strict.c -o strict -pthread || exit 1
darn cc --only=all.sections -O1 -g strict.c -o strict_only -pthread || exit 1
for how in "" syscall; do
    for options in "" --budget=max --noise=random:300/50; do
        try timeout 60 darn run $options -- ./strict $how
        expect_same "$status $out$err" "3 all"
    done
    try timeout 60 ./strict_only $how
    expect_same "$status $out$err" "3 all"
    try timeout 60 env DARN_OPTIONS=heal=all.sections ./strict_only $how
    expect_same "$status $out" "3 all"
done

finish
