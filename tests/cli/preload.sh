#!/bin/bash
# needs: compiler
# darn run --preload: deadlocks of programs that darn did not compile.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# Takes its locks in different orders, but at different times; with `hang` the threads wait for each
# other to hold the first lock.
cat >order.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int hang;
__attribute__((noinline)) void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    if (hang)
        pthread_barrier_wait(&both);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static void *other(void *arg)
{
    take(&b, &a);
    alarm(1000);
    return arg;
}
int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    pthread_t thread;
    hang = strcmp(mode, "hang") == 0;
    pthread_barrier_init(&both, NULL, 2);
    if (pthread_create(&thread, NULL, other, NULL))
        return 9;
    while (!hang && !alarm(0)) /* nobody knows that this orders */
        usleep(1000);
    if (strcmp(mode, "same") == 0)
        take(&b, &a);
    else
        take(&a, &b);
    pthread_join(thread, NULL);
    puts("done");
    return argc > 2 ? atoi(argv[2]) : 0;
}
EOF
cat >order.cpp <<'EOF'
#include <chrono>
#include <mutex>
#include <thread>
#include <unistd.h>
struct Account {
    std::mutex lock;
    long value = 0;
} one, two;
__attribute__((noinline)) void transfer(Account &from, Account &to)
{
    std::lock_guard<std::mutex> first(from.lock);
    std::lock_guard<std::mutex> second(to.lock);
    from.value--;
    to.value++;
}
int main()
{
    std::thread x([] { transfer(one, two); alarm(1000); });
    while (!alarm(0))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    transfer(two, one);
    x.join();
}
EOF
gcc -O2 -fomit-frame-pointer order.c -o order -pthread || exit 1
gcc -O2 -g order.c -o order-g -pthread || exit 1
strip -o stripped order
g++ -O2 -fomit-frame-pointer order.cpp -o order++ -pthread || exit 1
preload() { try timeout 30 "$bin/darn" run --preload "$@"; }

claim "locks taken in different orders are reported by name, without -g and frame pointers"
preload -- ./order
expect_status 66
expect_same "$out" "done"
expect_has "$err" "warning: possible deadlock between "
expect_has "$err" "holds mutex 'a' (taken in take) and then takes mutex 'b'"
expect_has "$err" "holds mutex 'b' (taken in take) and then takes mutex 'a'"
expect_has "$err" "#1 other"
expect_has "$err" "#1 main"
expect_has "$(tail -1 .err)" "SUMMARY: darn: 1 possible deadlock ("

claim "with -g there are lines"
preload -- ./order-g
expect_status 66
expect_has "$err" "order.c:14:5: warning: possible deadlock between "

claim "a stripped program has addresses"
preload -- ./stripped
expect_status 66
expect_has "$err" "warning: possible deadlock between "
expect_has "$err" "stripped+0x"

claim "a program in C++"
preload -- ./order++
expect_status 66
expect_has "$err" "holds mutex 'one'"
expect_has "$err" "transfer(Account&, Account&)"

claim "one order is no finding, and the status is the program's own"
preload -- ./order same
expect_status 0
expect_same "$out" "done"
expect_has "$err" "darn: nothing found in order: 2 threads; "
preload -- ./order same 7
expect_status 7
preload -- ./order "" 7
expect_status 7
preload -- bash -c 'exit 4'
expect_status 4

claim "a deadlock that happens is reported"
preload --halt-on-error --json=out.jsonl -- ./order hang
expect_status 66
expect_has "$err" "warning: deadlock between "
expect_has "$err" "holds mutex 'a' (taken in take) and waits for mutex 'b'"
expect_has "$(grep observed out.jsonl)" '"kind":"deadlock"'
preload --halt-on-error -- ./stripped hang
expect_status 66
expect_has "$err" "warning: deadlock between "

claim "what the program starts is looked at, too"
preload -- sh -c './order; exit 3'
expect_status 3
expect_has "$err" "warning: possible deadlock between "

claim "the first hook that a library calls changes no register"
programs=$(dirname "$0")/../programs
darn cc -O2 -g -shared -fPIC "$programs/parts/lazily_bound.c" -o libfill.so &&
    clang-19 -O2 -Wl,-z,lazy,--allow-shlib-undefined "$programs/robust/lazily_bound.c" -o fills -L. -lfill "-Wl,-rpath,$PWD" -pthread ||
    fault "cannot compile"
preload --budget=max -- ./fills
expect_status 0

claim "nothing is left behind"
mkdir tmp
TMPDIR=$PWD/tmp preload -- ./order
expect_status 66
expect_same "$(ls -A tmp)" ""

claim "where it cannot work it is refused"
darn cc -O1 -g order.c -o compiled -pthread || fault "cannot compile"
preload -- ./compiled
expect_refused "darn run: ./compiled was compiled by darn: it needs no --preload, but --detect-deadlocks=1"
if gcc -static order.c -o static -pthread 2>/dev/null; then
    preload -- ./static
    expect_refused "darn run: --preload: ./static is linked statically: nothing can be preloaded"
fi
preload -- ./missing
expect_refused "darn run: ./missing: there is no such program"
preload
expect_refused "darn run: no program; usage: darn run [options] -- PROGRAM [arguments]"

finish
