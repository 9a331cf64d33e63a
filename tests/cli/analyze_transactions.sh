#!/bin/bash
# Which functions of a compiled program are transactions: those that other files can call.
# needs: compiler
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

# add NAME STORAGE: a counter with a section for the read and one for the write.
program() {
    cat >"$1.c" <<END
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
$2 void add(int n);
$2 void add(int n)
{
    int old;

    pthread_mutex_lock(&lock);
    old = sum;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    sum = old + n;
    pthread_mutex_unlock(&lock);
}
static void *run(void *arg)
{
    for (int i = 0; i < 3; i++)
        add(i);
    return arg;
}
int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, run, NULL);
    pthread_create(&b, NULL, run, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END
    "$darn" cc -O0 --darn-functions "$1.c" -o "$1" 2>.cc || fault "$1.c does not compile"
    "$darn" record -o "$1.trace" -- "./$1" >/dev/null 2>&1
}

claim "a function with external linkage is one, and its two sections are not atomic"
program external ''
try "$darn" analyze --engine=blocks external.trace
expect_status 66
expect_has "$out" "external.c:10:11: warning: possible atomicity violation on 'sum' [atomicity-violation, predicted by blocks]"
expect_has "$out" "  section: transaction in add"
try "$darn" analyze --engine=reduction external.trace
expect_has "$out" "possible atomicity violation in add: its steps cannot be moved together"

claim "a static function is none: each of its sections is one"
program internal static
try "$darn" analyze --engine=blocks,reduction internal.trace
expect_status 0

claim "names override it both ways"
try "$darn" analyze --engine=blocks --transactions='a*' internal.trace
expect_status 66
expect_has "$out" "  section: transaction in add"
try "$darn" analyze --engine=blocks --no-transactions=add external.trace
expect_status 0

finish
