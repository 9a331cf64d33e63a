#!/bin/bash
# needs: compiler
# Stacks in reports lead through code without frame pointers, as deep as a debugger shows them: each list of functions below is
# what gdb says, without the frames of libraries. Those are folded.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH
ulimit -c 0

# Each thread comes to each place at about the same time. No call is the last of its function: it would be a jump.
cat >stacks.cpp <<'E'
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <signal.h>
#include <thread>
#include <vector>
#define NI __attribute__((noinline))
extern "C" void each(int n, void (*call)(int, void *), void *p);
struct Obj {
    long pad;
    int field;
};
static thread_local volatile int sink;
static int in_qsort, in_once, in_pthread_once, in_thread, in_signal, in_altstack, in_each;
static Obj *in_new;
static std::shared_ptr<Obj> in_shared;
static std::vector<int> *grown;
static std::once_flag flags[2];
static pthread_once_t pflags[2] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
static pthread_barrier_t barrier;
static int me[2] = {0, 1};
NI void hit_qsort() { in_qsort++; }
NI int compare(const void *a, const void *b) { hit_qsort(); return *(const int *)a - *(const int *)b; }
NI void sort_them() { int v[] = {3, 1, 2}; qsort(v, 3, sizeof(int), compare); sink = v[0]; }
NI void hit_once() { for (int i = 0; i < 25; i++) in_once++; }
NI void init_all() { hit_once(); sink = 1; }
NI void once_user(int i) { std::call_once(flags[i], init_all); sink = 2; }
NI void hit_ponce() { for (int i = 0; i < 25; i++) in_pthread_once++; }
NI void pinit_all() { hit_ponce(); sink = 1; }
NI void ponce_user(int i) { pthread_once(&pflags[i], pinit_all); sink = 2; }
NI void hit_signal() { in_signal++; }
NI void handler(int) { hit_signal(); sink = 3; }
NI void raiser() { raise(SIGUSR1); sink = 4; }
NI void hit_alt() { in_altstack++; }
NI void alt_handler(int) { hit_alt(); sink = 3; }
NI void alt_raiser() { raise(SIGUSR2); sink = 4; }
NI void hit_each() { in_each++; }
NI void each_call(int, void *) { hit_each(); sink = 5; }
NI void each_user() { each(1, each_call, nullptr); sink = 6; }
NI void hit_thread() { in_thread++; }
NI void deep_thread() { hit_thread(); sink = 7; }
NI void use_new() { in_new->field++; }
NI void use_shared() { in_shared->field++; }
NI void grow() { grown->push_back(1); /* headline */ sink = 9; }
NI Obj *make_obj() { Obj *o = new Obj(); o->pad = sink; return o; }
NI void build_new() { in_new = make_obj(); sink = 8; }
NI void build_shared() { in_shared = std::make_shared<Obj>(); sink = 8; }
NI void many(void (*call)()) { for (int i = 0; i < 25; i++) call(); sink = 11; }
NI void all(int *number)
{
    static char stacks[2][65536];
    stack_t stack = {};
    stack.ss_sp = stacks[*number];
    stack.ss_size = sizeof(stacks[0]);
    sigaltstack(&stack, nullptr);
    void (*const places[])() = {sort_them, raiser, alt_raiser, each_user, deep_thread, use_new, use_shared, grow};
    for (auto place : places) {
        pthread_barrier_wait(&barrier);
        many(place);
    }
    pthread_barrier_wait(&barrier);
    once_user(*number);
    pthread_barrier_wait(&barrier);
    ponce_user(*number);
    pthread_barrier_wait(&barrier);
}
NI void start(std::vector<std::thread> &threads)
{
    for (int &number : me)
        threads.emplace_back(all, &number);
}
NI void check(int argc) { assert(argc == 1); sink = 10; }
int main(int argc, char **)
{
    struct sigaction action = {};
    std::vector<std::thread> threads;
    check(argc);
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, nullptr);
    action.sa_handler = alt_handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR2, &action, nullptr);
    build_new();
    build_shared();
    grown = new std::vector<int>;
    grown->reserve(1000);
    pthread_barrier_init(&barrier, nullptr, 2);
    start(threads);
    for (auto &thread : threads)
        thread.join();
}
E
cat >each.c <<'E'
void each(int n, void (*call)(int, void *), void *p)
{
    volatile int left = n;
    for (int i = 0; i < left; i++)
        call(i, p);
}
E
cc -O2 -fomit-frame-pointer -shared -fPIC each.c -o libeach.so || fault "cc cannot compile"

expected="
hit_qsort compare sort_them many all
hit_once init_all once_user all
hit_ponce pinit_all ponce_user all
hit_signal handler raiser many all
hit_alt alt_handler alt_raiser many all
hit_each each_call each_user many all
hit_thread deep_thread many all
use_new many all
use_shared many all
grow many all
make_obj build_new main
build_shared main
start main
main"

# The functions of the program in each stack of a report, one stack in a line.
functions() {
    awk 'function flush() { if (names != "") print names; names = "" }
        /^    #0 / { flush() }
        /^    #[0-9]+ .* stacks\.cpp:/ { name = $2; sub(/\(.*/, "", name); names = names (names == "" ? "" : " ") name; next }
        !/^    / { flush() }
        END { flush() }' "$1" | LC_ALL=C sort -u
}

has_all() {
    local line

    functions reports >shown
    while read -r line; do
        [ -z "$line" ] || grep -qxF "$line" shown || return 1
    done <<<"$expected"
}

# run_until_all LEVEL: the races happen by chance, so it is tried again; what is reported must be right each time.
run_until_all() {
    local i line

    darn c++ "-$1" -g -w stacks.cpp -o stacks -pthread -L. -leach "-Wl,-rpath,$PWD" || fault "darn c++ failed"
    : >reports
    for ((i = 0; i < 20; i++)); do
        timeout 60 darn run --all --budget=max --noise=random:400/300 --json=all.jsonl -- ./stacks >>reports 2>&1 </dev/null
        has_all && break
    done
    while read -r line; do
        [ -z "$line" ] || grep -qxF "$line" shown || fault "-$1: no stack is '$line': $(cat shown)"
    done <<<"$expected"
    while read -r line; do
        [[ "$expected"$'\n' == *$'\n'"$line"$'\n'* ]] || fault "-$1: a stack is '$line'"
    done <shown
}

for level in O0 O2; do
    claim "stacks lead through qsort, call_once, signal handlers and libraries to the thread's function"
    run_until_all $level
    said=$(cat reports)

    claim "frames of libraries are folded in between, and left out at the ends"
    grep -qE '^    \.\.\. [0-9]+ frames of the C library$' reports || fault "-$level: nothing is folded: $said"
    expect_lacks "$said" "execute_native_thread_routine"
    expect_lacks "$said" "operator new"
    grep -E '^    #.*/c\+\+/' reports && fault "-$level: a frame of a header is shown"

    claim "the headline is the first line of the program itself"
    line=$(grep -n '/\* headline \*/' stacks.cpp | cut -d: -f1)
    grep -E '^[^ ]*/c\+\+/.*(warning|note): ' reports && fault "-$level: a headline is in a header"
    grep -qE "^stacks\.cpp:$line:[0-9]+: (warning|note): " reports || fault "-$level: push_back has no headline: $said"

    claim "the JSON form has all frames"
    grep -q '"function":"qsort' all.jsonl || grep -q 'qsort_r' all.jsonl || fault "-$level: qsort is in no stack"
    grep -qE '/c\+\+/' all.jsonl || fault "-$level: no frame is of the C++ library"

    claim "darn's own frames never show"
    expect_lacks "$said$(cat all.jsonl)" "/runtime/"

    claim "of an assertion the stack begins with what the program has called"
    try timeout 60 darn run -- ./stacks fails
    [[ $err =~ '#0 '[^$'\n']*assert_fail[^$'\n']*$'\n    #1 check' ]] || fault "-$level: it begins otherwise: $err"
    expect_lacks "$err" "raise"
    expect_lacks "$err" "pthread_kill"
    rm -f all.jsonl
done

# The first thread that `begin` makes looks at nothing. Both ways to `begin` are the same but for the last function.
cat >ways.c <<'E'
#include <pthread.h>
#include <unistd.h>
static pthread_t thread;
static int started, waits[] = {0, 1};
static void *work(void *waits_for_it)
{
    usleep(30000);
    if (*(int *)waits_for_it)
        waits[0] = started;
    return waits_for_it;
}
__attribute__((noinline)) static void begin(void *what)
{
    pthread_create(&thread, NULL, work, what);
    started++;
}
__attribute__((noinline)) static void begin_well(void *what) { begin(what); usleep(1); }
__attribute__((noinline)) static void quiet(void) { begin_well(&waits[0]); pthread_join(thread, NULL); }
__attribute__((noinline)) static void racy(void) { begin_well(&waits[1]); pthread_join(thread, NULL); }
int main(void)
{
    quiet();
    racy();
    return 0;
}
E
claim "the stack of an earlier access is its own, not that of another call from the same place"
for level in O0 O2; do
    darn cc "-$level" -g ways.c -o ways -pthread || fault "darn cc failed"
    try timeout 60 darn run -- ./ways
    expect_has "$err" "possible data race on 'started'"
    expect_has "$err" " racy "
    expect_lacks "$err" " quiet "
done

finish
