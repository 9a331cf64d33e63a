#!/bin/bash
# needs: compiler
# What darn run has observed is where a hunt starts; and races on what a loop waits for, when asked. That a build is
# optimized is said.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# The two threads stand before the same line; which no run makes while there is no file `rare`.
cat >seen.c <<'EOF'
#include <pthread.h>
#include <unistd.h>
static int total;
static void *work(void *unused)
{
    if (access("rare", F_OK) == 0)
        for (int i = 0; i < 100; i++)
            total++;
    return unused;
}
int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    return pthread_join(b, NULL);
}
EOF
darn cc -O0 -g seen.c -o seen -pthread || exit 1
touch rare
for _ in $(seq 20); do
    darn run --budget=max --noise=var:total:1000/5000 --report=observed --json=seen.jsonl -- ./seen >.out 2>.err
    grep -q '"certainty":"observed"' seen.jsonl && break
done
rm rare

claim "a run writes what a hunt needs to find the place again"
expect_has "$(cat seen.jsonl)" '"certainty":"observed"'
expect_has "$(cat seen.jsonl)" '"site_key":"0x'

claim "what was observed is tried, also when no run that the hunt records shows it"
try darn hunt --no-explore --seconds=20 --reset='test ! -e out/trace || touch rare' --predicted=seen.jsonl -o out -- ./seen
expect_status 66
expect_has "$out" "data race on 'total' [data-race, confirmed]"
rm -f rare

claim "what was observed, and cannot be made to happen, is called that and not possible"
try darn hunt --no-explore --seconds=20 --predicted=seen.jsonl -o never -- ./seen
expect_status 0
expect_has "$out" "seen.c:8: data race on 'total' with seen.c:8: observed, not confirmed in 20 trials"
expect_lacks "$out" possible

cat >flag.c <<'EOF'
#include <pthread.h>
#include <sched.h>
static int ready;
static void *work(void *unused)
{
    ready = 1;
    return unused;
}
int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
    while (!ready)
        sched_yield();
    return pthread_join(thread, NULL);
}
EOF
darn cc -O1 -g flag.c -o flag -pthread || exit 1

claim "a loop that waits for a plain variable is synchronization, unless asked"
try darn hunt --no-explore --seconds=20 -o loop -- ./flag
expect_status 0
expect_has "$out" "nothing found"
try darn hunt --report-spins --no-explore --seconds=20 -o spins -- ./flag
expect_status 66
expect_has "$out" "data race on 'ready' [data-race, confirmed]"

claim "its schedule replays"
try darn replay --times=5 spins/1
expect_same "$out" "5 of 5"

claim "of an optimized build it is said that another one may show more, once"
echo 'int more(int *at) { return *at; }' >more.c
darn cc -O0 -c seen.c && darn cc -Os -c more.c && darn cc seen.o more.o -o mixed -pthread || exit 1
for program in flag:-O1 mixed:-Os; do
    try darn hunt --no-explore --seconds=10 -o "level-${program%:*}" -- ./"${program%:*}"
    expect_same "$(grep -c "darn hunt: built at ${program#*:}: a build at -O0 may show more" .err)" 1
done
strip flag
try darn hunt --no-explore --seconds=10 -o stripped -- ./flag
expect_has "$err" "built at -O1"
try darn hunt --no-explore --seconds=10 -o plain -- ./seen
expect_lacks "$err" "built at"

finish
