#!/bin/bash
# needs: compiler
# Deadlocks that are known do not happen again: signatures, gates, and gates that are of no use.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH
runtime=$bin/../lib/darn/libdarn_rt.so

# meet: two threads take two locks in different orders, and each waits a while until the other one
# has its first. apart: the same places, but nobody wants the second lock.
cat >locks.c <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int has_a, has_b, round_of, done;
static int apart;
static long value;
#ifdef OTHER
int unused_before(int x)
{
    return x * 3 + apart;
}
#endif
static void wait_for(_Atomic int *flag)
{
    for (int i = 0; i < 40 && !*flag; i++)
        usleep(500);
}
__attribute__((noinline)) void forth(void)
{
#ifdef OTHER
    value += unused_before((int)value);
#endif
    pthread_mutex_lock(&a);
    has_a = 1;
    if (apart) {
        round_of++;
        usleep(2000);
    } else {
        wait_for(&has_b);
        pthread_mutex_lock(&b);
        value += 2;
        pthread_mutex_unlock(&b);
    }
    pthread_mutex_unlock(&a);
}
__attribute__((noinline)) void back(void)
{
#ifdef MORE
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
#endif
    pthread_mutex_lock(&b);
    has_b = 1;
    if (!apart) {
        wait_for(&has_a);
        pthread_mutex_lock(&a);
        value--;
        pthread_mutex_unlock(&a);
    }
    pthread_mutex_unlock(&b);
}
static void *other(void *arg)
{
    for (int i = 1; i <= (apart ? 400 : 1); i++) {
        while (apart && round_of < i)
            usleep(50);
        back();
        done = i;
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    apart = argc > 1 && strcmp(argv[1], "apart") == 0;
    if (pthread_create(&thread, NULL, other, NULL))
        return 9;
    for (int i = 1; i <= (apart ? 400 : 1); i++) {
        forth();
        while (apart && done < i)
            usleep(50);
    }
    pthread_join(thread, NULL);
    puts("done");
    return apart ? 0 : value == 1 ? 0 : 8;
}
EOF

# Philosophers: each takes its left fork, waits a while until all have theirs, and wants the right.
cat >eat.c <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdint.h>
#include <unistd.h>
#define N 3
static pthread_mutex_t forks[N];
static _Atomic int have;
__attribute__((noinline)) void eat(pthread_mutex_t *left, pthread_mutex_t *right)
{
    pthread_mutex_lock(left);
    have++;
    for (int i = 0; i < 40 && have < N; i++)
        usleep(500);
    pthread_mutex_lock(right);
    pthread_mutex_unlock(right);
    pthread_mutex_unlock(left);
}
static void *philosopher(void *arg)
{
    intptr_t i = (intptr_t)arg;
    eat(&forks[i], &forks[(i + 1) % N]);
    return NULL;
}
int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
EOF

# see NAME OPTION… -- PROGRAM…: runs it until it deadlocks, and makes NAME.sections of that.
see() {
    local name=$1
    shift
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        rm -f "$name.jsonl"
        timeout 60 darn run --halt-on-error --json="$name.jsonl" "$@" >/dev/null 2>&1
        grep -q '"certainty":"observed"' "$name.jsonl" 2>/dev/null && break
    done
    rm -f "$name.sections"
    try darn heal --from="$name.jsonl" --write="$name.sections" -- "${@: -1}"
    expect_status 0
    expect_has "$(cat "$name.sections")" '"deadlocks": ['
}

# heal NAME RUNS PROGRAM…: each of the runs has to end well, and one of them was healed.
heal() {
    local name=$1 runs=$2 failed=0
    shift 2
    rm -f out.jsonl
    for _ in $(seq "$runs"); do
        DARN_OPTIONS=heal=$name.sections:heal_out=out.jsonl:heal_bound=60000 \
            timeout 60 "$@" >.out 2>.err || failed=$((failed + 1))
        [ "$(cat .out)" = "done" ] || failed=$((failed + 1))
    done
    expect_same "$failed" 0
    expect_has "$(cat out.jsonl)" '"match":"exact"'
    grep -q '"avoided":[1-9]' out.jsonl || fault "nothing was avoided: $(head -4 out.jsonl)"
    grep -q '"right":[1-9]' out.jsonl || fault "no wait was needed: $(head -4 out.jsonl)"
    expect_lacks "$(cat out.jsonl)" '"expired":1'
    expect_lacks "$(cat out.jsonl)" '"dropped":true'
}

darn cc -O1 -g locks.c -o locks -pthread || exit 1
darn cc -O1 -g eat.c -o eat -pthread || exit 1
gcc -O2 -g -fomit-frame-pointer locks.c -o plain -pthread || exit 1

claim "a deadlock that was seen does not happen again"
see locks -- ./locks
heal locks 200 ./locks

claim "nor one of three threads at the same place"
see eat -- ./eat
heal eat 50 ./eat

claim "nor one of a program that darn has not compiled"
see plain --preload -- ./plain
try env LD_PRELOAD="$runtime" DARN_OPTIONS=heal=plain.sections:heal_bound=60000 ./plain
expect_status 0
expect_same "$err" ""
heal plain 50 env LD_PRELOAD="$runtime" ./plain

claim "one that is predicted does not happen either"
cat >order.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) void take(pthread_mutex_t *first, pthread_mutex_t *second, int pause)
{
    pthread_mutex_lock(first);
    usleep((unsigned)pause);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static void *other(void *pause)
{
    take(&b, &a, *(int *)pause);
    alarm(1000);
    return NULL;
}
int main(int argc, char **argv)
{
    int pause = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t thread;
    pthread_create(&thread, NULL, other, &pause);
    while (!pause && !alarm(0)) /* nobody knows that this orders */
        usleep(1000);
    take(&a, &b, pause);
    pthread_join(thread, NULL);
    puts("done");
}
EOF
gcc -O2 -g -fomit-frame-pointer order.c -o order -pthread || exit 1
timeout 60 darn run --preload --json=order.jsonl -- ./order >/dev/null 2>&1
try darn heal --from=order.jsonl --write=order.sections -- ./order
expect_status 0
heal order 20 env LD_PRELOAD="$runtime" ./order 20000
grep -q '"function": "other"' order.sections || fault "the stacks are not whole: $(cat order.sections)"

claim "a gate that only slows down is dropped"
rm -f out.jsonl
DARN_OPTIONS=heal=locks.sections:heal_out=out.jsonl:heal_bound=60000 try timeout 100 ./locks apart
expect_status 0
expect_same "$out" "done"
expect_has "$err" "only slows the program down"
expect_has "$(cat out.jsonl)" '"dropped":true'
expect_has "$(cat out.jsonl)" '"right":0'

claim "places of another build do not count"
darn cc -O1 -g -DOTHER locks.c -o locks2 -pthread && mv locks locks1 && mv locks2 locks || exit 1
DARN_OPTIONS=heal=locks.sections:heal_bound=60000 try timeout 100 ./locks apart
expect_status 0
expect_has "$err" "is not kept away: it is from another build of locks"

claim "but darn heal finds them again"
try timeout 100 darn heal --sections=locks.sections --bound=60000 --json=heal.jsonl -- ./locks
expect_status 0
expect_same "$out" "done"
expect_has "$(cat heal.jsonl)" '"match":"moved"'

claim "unless it is not clear which call is meant"
darn cc -O1 -g -DMORE locks.c -o locks3 -pthread && mv locks3 locks || exit 1
try timeout 100 darn heal --sections=locks.sections -- ./locks apart
expect_has "$err" "the function has more or fewer such calls now"

claim "a controlled run shows that no schedule deadlocks"
try timeout 300 darn heal --verify --schedules=300 --from=eat.jsonl -- ./eat
expect_status 0

finish
