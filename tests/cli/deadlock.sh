#!/bin/bash
# needs: compiler
# Deadlocks in `darn run`: a report while the program hangs, and lock orders at its end.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >stuck.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static int hang, gated, come;
static void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
    if (gated)
        pthread_mutex_lock(&gate);
    pthread_mutex_lock(first);
    if (hang)
        pthread_barrier_wait(&both);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    if (gated)
        pthread_mutex_unlock(&gate);
}
static void *other(void *arg)
{
    take(&b, &a);
    alarm(1000);
    return arg;
}
static void *wait_for(void *arg)
{
    pthread_mutex_lock(&a);
    while (!come)
        pthread_cond_wait(&never, &a);
    pthread_mutex_unlock(&a);
    return arg;
}
int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    pthread_t thread;
    hang = strcmp(mode, "hang") == 0;
    gated = strcmp(mode, "gated") == 0;
    pthread_barrier_init(&both, NULL, 2);
    if (strcmp(mode, "self") == 0) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&a);
    }
    if (pthread_create(&thread, NULL, strcmp(mode, "cond") ? other : wait_for, NULL))
        return 9;
    if (strcmp(mode, "cond")) {
        while (!hang && !alarm(0)) /* nobody knows that this orders */
            usleep(1000);
        take(&a, &b);
    }
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
EOF
darn cc -O1 -g stuck.c -o stuck -pthread || exit 1
run() { try timeout 30 "$bin/darn" run "$@"; }

claim "the report comes while the program hangs, which goes on hanging"
darn run --log-path=log -- ./stuck hang &
victim=$!
is_told() { grep -q suppress: log.* 2>/dev/null; }
await is_told
kill -0 $victim 2>/dev/null || fault "the program has ended"
expect_has "$(cat log.*)" "warning: deadlock between "
{ kill $victim && wait $victim; } 2>/dev/null

claim "who holds what and waits for what is said, and halt_on_error ends it"
run --halt-on-error --json=out.jsonl -- ./stuck hang
expect_status 66
expect_same "$out" ""
expect_has "$err" "warning: deadlock between "
expect_has "$err" "holds mutex 'a' (taken at stuck.c:"
expect_has "$err" "and waits for mutex 'b'"
expect_has "$err" "holds mutex 'b' (taken at stuck.c:"
expect_has "$err" "and waits for mutex 'a'"
expect_has "$err" "  suppress: deadlock:take"
expect_has "$(tail -1 .err)" "SUMMARY: darn: 1 deadlock ("
expect_same "$(wc -l <out.jsonl)" 1
for field in '"kind":"deadlock"' '"certainty":"observed"' '"engine":"wait-for"' '"accesses":[{"op":"acquire"'; do
    expect_has "$(cat out.jsonl)" "$field"
done

cat >heap.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
struct account {
    long number;
    pthread_mutex_t guard;
};
static struct account *alice, *bob;
static pthread_barrier_t both;
static struct account *new_account(void)
{
    struct account *account = calloc(1, sizeof(*account)); /* block */
    pthread_mutex_init(&account->guard, NULL);
    return account;
}
static void transfer(struct account *from, struct account *to)
{
    pthread_mutex_lock(&from->guard);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&to->guard);
    pthread_mutex_unlock(&to->guard);
    pthread_mutex_unlock(&from->guard);
}
static void *other(void *arg)
{
    transfer(bob, alice);
    return arg;
}
int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&both, NULL, 2);
    alice = new_account(); /* hers */
    bob = new_account();   /* his */
    pthread_create(&thread, NULL, other, NULL);
    transfer(alice, bob);
    pthread_join(thread, NULL);
}
EOF
darn cc -g -O1 heap.c -o heap -pthread || exit 1

claim "locks in heap blocks that the source calls alike are told apart, and where they come from is said"
try timeout 60 darn run --halt-on-error --json=heap.jsonl -- ./heap
expect_status 66
expect_has "$err" "holds mutex 'from->guard' (M1) (taken at heap.c:17"
expect_has "$err" "and waits for mutex 'to->guard' (M2)"
expect_has "$err" "holds mutex 'from->guard' (M2) (taken at heap.c:17"
expect_has "$err" "and waits for mutex 'to->guard' (M1)"
expect_has "$err" "(M1) is at byte 8 of a heap block of 48 bytes allocated by main thread T0:"
expect_has "$err" "(M2) is at byte 8 of a heap block of 48 bytes allocated by main thread T0:"
for word in block hers his; do
    line=$(grep -n "/\* $word \*/" heap.c | cut -d: -f1)
    expect_has "$err" "heap.c:$line:"
done
expect_has "$(cat heap.jsonl)" '"blocks":[{"kind":"heap","thread":"T0","address":"0x'

claim "a thread that waits for itself"
run --halt-on-error -- ./stuck self
expect_status 66
expect_has "$err" "warning: deadlock: T0 waits for mutex 'a', which it holds itself [deadlock]"

claim "a wait that nobody is left to end"
run --halt-on-error -- ./stuck cond
expect_status 66
expect_has "$err" "[notification]"
expect_has "$err" "'never'"

claim "lock orders are reported on demand, after the program's end"
run -- ./stuck
expect_status 0
expect_same "$out" "done"
expect_has "$err" "darn: nothing found in stuck: 2 threads, "
run --detect-deadlocks=1 --json=predicted.jsonl -- ./stuck
expect_status 66
expect_same "$out" "done"
expect_has "$err" "warning: possible deadlock between "
expect_has "$(tail -1 .err)" "SUMMARY: darn: 1 possible deadlock ("
expect_has "$(cat predicted.jsonl)" '"certainty":"predicted"'
try env DARN_OPTIONS=detect_deadlocks=1 ./stuck
expect_status 66

claim "a gate lock around both orders makes them harmless"
run --detect-deadlocks=1 -- ./stuck gated
expect_status 0
expect_has "$err" "darn: nothing found in stuck: 2 threads, "

claim "suppressed deadlocks do not count"
echo 'deadlock:take' >known
run --detect-deadlocks=1 --suppressions=known -- ./stuck
expect_status 0
expect_lacks "$err" "warning"

claim "nothing is left behind"
mkdir tmp
TMPDIR=$PWD/tmp run --detect-deadlocks=1 -- ./stuck
expect_status 66
expect_same "$(ls -A tmp)" ""

finish
