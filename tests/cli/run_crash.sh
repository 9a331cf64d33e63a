#!/bin/bash
# needs: compiler
# A program that dies by a signal under darn run: what is reported, and that it dies as it would without.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH
ulimit -c 0

cat >crash.c <<'E'
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct conn {
    long id, size;
};
static struct conn one, *conn = &one;
static pthread_barrier_t barrier;
static void (*volatile function)(void);
static const char *volatile text;
static int is(const char *a, const char *b) { return strcmp(a, b) == 0; }
static void *closer(void *arg)
{
    conn = NULL; /* closed */
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return arg;
}
static long deep(long n)
{
    volatile char room[4096];
    room[0] = (char)n;
    return deep(n + 1) + room[0];
}
static void use(const char *how)
{
    stack_t other = {.ss_sp = malloc(16384), .ss_size = 16384};
    volatile int zero = 0;
    if (is(how, "read"))
        printf("%ld\n", conn->size); /* read */
    if (is(how, "write"))
        conn->size = 1;
    if (is(how, "call"))
        function();
    if (is(how, "text"))
        printf("%zu\n", strlen(text));
    if (is(how, "far"))
        *(volatile char *)0x123456789abcdef0 = 1;
    if (is(how, "abort"))
        abort();
    if (is(how, "assert"))
        assert(conn);
    if (is(how, "divide"))
        printf("%d\n", 7 / zero);
    if (is(how, "trap"))
        __builtin_trap();
    if (is(how, "overflow-alt"))
        sigaltstack(&other, NULL);
    if (is(how, "overflow") || is(how, "overflow-alt"))
        deep(0);
    if (is(how, "raise"))
        raise(SIGSEGV);
    if (is(how, "sent"))
        exit(system("kill -SEGV $PPID; sleep 5"));
    if (is(how, "term"))
        raise(SIGTERM);
}
static void *user(void *how)
{
    pthread_barrier_wait(&barrier);
    use(how);
    return NULL;
}
static void own(int number)
{
    (void)!write(1, "own\n", 4);
    _exit(number);
}
static void twice(int number)
{
    (void)!write(1, "twice\n", 6);
    signal(number, SIG_DFL);
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    struct sigaction old = {.sa_handler = own};
    if (sigaction(SIGSEGV, NULL, &old) || old.sa_handler != SIG_DFL || old.sa_flags)
        return 9;
    if (argc > 2 && is(argv[2], "own") && signal(SIGSEGV, own) != SIG_DFL)
        return 9;
    if (argc > 2 && is(argv[2], "twice") && signal(SIGSEGV, twice) != SIG_DFL)
        return 9;
    if (argc > 2 && is(argv[2], "alone"))
        use(argv[1]);
    if (argc > 2 && is(argv[2], "default") &&
        (signal(SIGSEGV, own) != SIG_DFL || signal(SIGSEGV, SIG_DFL) != own || signal(SIGSEGV, SIG_DFL) != SIG_DFL))
        return 9;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, closer, NULL);
    pthread_create(&threads[1], NULL, user, argv[1]);
    pthread_join(threads[1], NULL);
    return 0;
}
E
darn cc -O1 -g -w crash.c -o crash -pthread || exit 1
line() { grep -n "$1" crash.c | cut -d: -f1; }

claim "the thread, its stack, the address, who has written the pointer, and how to find the schedule"
try darn run --json=found.jsonl -- ./crash read
expect_status 139
expect_has "$err" "crash.c:$(line '/\* read'):31: warning: T2 crashes with SIGSEGV [failure]"
expect_has "$err" "  thread T2 reads from address 0x8, by a null pointer, holding no lock
    #0 use   crash.c:$(line '/\* read'):31
    #1 user  crash.c:"
expect_has "$err" "crash.c:$(line '/\* closed'):10: note: the last seen of another: thread T1 writes 'conn', holding no lock"
expect_has "$err" "  again: darn hunt -- $PWD/crash read"
expect_has "$err" "SUMMARY: darn: 1 failure (crash.c:$(line '/\* read') use), seen once"
expect_has "$(cat found.jsonl)" '"kind":"failure","certainty":"observed"'
expect_has "$(cat found.jsonl)" '"reason":"crash","detail":"SIGSEGV","address":"0x8"'
expect_has "$(cat found.jsonl)" '"op":"stop","thread":"T2"'

# crash HOW STATUS TITLE [DEED]
crash()
{
    try darn run -- ./crash $1
    expect_status "$2"
    expect_has "$err" ": warning: T2 $3 [failure]"
    expect_has "$err" "  thread T2 ${4:-was here when the run ended}, holding no lock"
    expect_has "$err" " user "
    expect_lacks "$err" "nothing found"
}

claim "each signal, and what is known of the address"
crash write 139 "crashes with SIGSEGV" "writes to address 0x8, by a null pointer"
crash call 139 "crashes with SIGSEGV" "calls or jumps to address 0x0, by a null pointer"
crash text 139 "crashes with SIGSEGV" "reads from address 0x0, by a null pointer"
expect_has "$err" "suppress: failure:use"
crash far 139 "crashes with SIGSEGV"
crash abort 134 "aborts"
crash assert 134 "fails an assertion"
crash divide 136 "crashes with SIGFPE"
crash trap 132 "crashes with SIGILL"
crash raise 139 "crashes with SIGSEGV"
crash "read default" 139 "crashes with SIGSEGV" "reads from address 0x8, by a null pointer"

claim "a stack that overflows kills as ever"
try darn run -- ./crash overflow
expect_status 139
try darn run -- ./crash overflow-alt
expect_status 139
expect_has "$err" "warning: T2 crashes with SIGSEGV [failure]"
expect_has "$err" "    #0 deep  crash.c:"

claim "a program's own handler is called, and nothing is reported"
try darn run -- ./crash read own
expect_status 11
expect_same "$out" own
expect_lacks "$err" failure

claim "a handler that restores the default leaves the rest to it"
try darn run -- ./crash read twice
expect_status 139
expect_same "$out" twice
expect_has "$err" "  thread T2 reads from address 0x8, by a null pointer, holding no lock"

claim "without a second thread there is no schedule to look for"
try darn run -- ./crash abort alone
expect_status 134
expect_has "$err" "warning: T0 aborts [failure]"
expect_lacks "$err" "darn hunt"

claim "what others send, or what is no fault, is no crash"
try darn run -- ./crash sent
expect_status 139
expect_same "$err" ""
try darn run -- ./crash term
expect_status 143
expect_same "$err" ""

claim "a failure can be suppressed"
echo failure:use >known
try darn run --suppressions=known -- ./crash abort
expect_status 134
expect_lacks "$err" "warning: "

claim "a child of fork reports its crash, too; a program without darn run says nothing"
try darn run --any -- sh -c './crash abort; exit 3'
expect_status 3
expect_has "$err" "warning: T2 aborts [failure]"
try ./crash abort
expect_status 134
expect_same "$err" ""

cat >terminate.cpp <<'E'
#include <stdexcept>
#include <thread>
static void fail() { throw std::runtime_error("no"); }
int main() { std::thread(fail).join(); }
E
claim "std::terminate"
darn c++ -O1 -g terminate.cpp -o terminate -pthread || exit 1
try darn run -- ./terminate
expect_status 134
expect_has "$err" "warning: T1 aborts [failure]"

finish
