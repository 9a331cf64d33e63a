#!/bin/bash
# needs: compiler
# What a trace does not have: how much is missing, why, and that each command that reads it says so.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# Threads take turns, so that each run does the same. With a second argument they stay.
cat >turns.c <<'EOF'
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static long sum;
static long rounds;
static sem_t turn[4];
static void *work(void *arg)
{
    sem_t *mine = arg;
    sem_wait(mine);
    for (long i = 0; i < rounds; i++) {
        sum++;
        sem_post(mine);
        sem_wait(mine);
    }
    sem_post(mine == &turn[3] ? turn : mine + 1);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t threads[4];
    rounds = atol(argv[1]);
    for (int i = 0; i < 4; i++)
        sem_init(&turn[i], 0, 0);
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, work, &turn[i]))
            return 3;
    sem_post(turn);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", sum);
    if (argc > 2) {
        fclose(fopen(argv[2], "w"));
        pause();
    }
    return 0;
}
EOF
darn cc -O1 -g turns.c -o turns -pthread || exit 1
number() { darn trace stat --json "$1" | sed "s/.*\"$2\":\([0-9a-z\"-]*\).*/\1/"; }

# Whether the end of a thread's stack is an event depends on what else lives then.
expect_whole() { [ $(($1 - whole)) -ge -4 ] && [ $(($1 - whole)) -le 4 ] || fault "$1 of $whole events"; }

# Only synchronization: which of the accesses of a busy site are recorded depends on addresses.
claim "what is missing and what is there are all that there was"
try darn record --sync-only -o whole.trace -- ./turns 60000
expect_status 0
expect_same "$out" 240000
try darn record --sync-only --max-size=1 -o part.trace -- ./turns 60000
expect_status 0
expect_same "$out" 240000
whole=$(number whole.trace events) part=$(number part.trace events) lost=$(number part.trace lost)
expect_same "$(number whole.trace lost)" 0
expect_whole $((part + lost))
[ "$lost" -gt 100000 ] || fault "$lost of $whole events were lost"
expect_same "$err" "darn record: $part events in part.trace (0.0 MB)
darn record: $lost events are missing, because the trace has reached --max-size"

claim "what was recorded before the first loss is analyzed"
[ "$part" -gt 10000 ] || fault "only $part events are read"

claim "'nothing found' does not sound as if all had been seen"
try darn analyze part.trace
expect_status 0
expect_same "$err" "darn analyze: warning: part.trace: $lost events are missing, because the trace has reached --max-size"
expect_has "$out" "SUMMARY: darn: nothing found in $part of $((part + lost)) events ("
try darn predict --runs=1 --sync-only --max-size=1 -- ./turns 60000
expect_status 0
expect_has "$err" " events are missing, because the trace has reached --max-size"
expect_whole "$(sed -n 's/.* of \([0-9]*\) events (.*/\1/p' <<<"$err")"
try darn sections infer -o turns.sections ./turns
expect_status 0
try darn sections shared turns.sections part.trace
expect_has "$err" "part.trace: $lost events are missing, because the trace has reached --max-size"

claim "the limit of files is not called --max-size"
try bash -c 'ulimit -f 512; darn record --sync-only -o limited.trace -- ./turns 60000'
expect_status 0
expect_same "$out" 240000
expect_has "$err" " events are missing, because files may not be larger (ulimit -f)"
expect_whole $(($(number limited.trace events) + $(number limited.trace lost)))
expect_same "$(number limited.trace why_lost)" '"file-limit"'

claim "neither is that of memory"
try bash -c 'ulimit -s 256; ulimit -v 50000; DARN_OPTIONS=trace=memory.trace:trace_what=sync ./turns 200000'
expect_status 0
expect_same "$out" 800000
expect_same "$(number memory.trace why_lost)" '"memory"'
try darn analyze memory.trace
expect_has "$err" " events are missing, because there was no memory for more (ulimit -v)"

claim "of a program that was killed it is known how much is missing at least"
DARN_OPTIONS=trace=$PWD/killed.trace:trace_what=sync:max_size=1 ./turns 60000 ready >/dev/null &
victim=$!
await [ -e ready ]
{ kill -9 $victim && wait $victim; } 2>/dev/null
lost=$(number killed.trace lost) part=$(number killed.trace events)
[ $((part + lost)) -gt $((whole - 5 * 1024)) ] && [ $((part + lost)) -le $((whole + 4)) ] ||
    fault "$part and $lost of $whole events"
try darn analyze killed.trace
expect_has "$err" "killed.trace: at least $lost events are missing, because the trace has reached --max-size"
expect_has "$err" "killed.trace: the program did not end in good order"
expect_has "$out" "nothing found in $part of at least $((part + lost)) events ("

finish
