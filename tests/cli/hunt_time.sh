#!/bin/bash
# needs: compiler
# darn hunt: --seconds is kept in every stage, findings are printed when they are confirmed, and a hunt that learns
# nothing new ends by itself.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >slow.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void compute(double seconds)
{
    struct timespec now;
    double until;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    until = (double)now.tv_sec + (double)now.tv_nsec / 1e9 + seconds;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < until);
}
static void *work(void *number)
{
    pthread_mutex_t *first = number ? &a : &b, *second = number ? &b : &a;
    usleep(number ? 20000 : 0); /* in usual runs they do not meet */
    pthread_mutex_lock(first);
    x++;
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    x++;
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (argc > 1)
        compute(atof(argv[1]));
    while (argc > 2)
        pause();
    return 0;
}
END
darn cc -O1 -g slow.c -o slow -pthread || exit 1

# elapsed COMMAND: how many milliseconds it takes, in $took.
elapsed() {
    local start=${EPOCHREALTIME/./}
    try timeout 100 "$@"
    took=$(((${EPOCHREALTIME/./} - start) / 1000))
}

# expect_shrunk: of the last hunt: no schedule has become longer.
expect_shrunk() {
    local counts
    counts=$(sed -n 's/.* shrink: .* preemptions \([0-9]*\) -> \([0-9]*\), context switches \([0-9]*\) -> \([0-9]*\) .*/\1 \2 \3 \4/p' .err)
    [ -n "$counts" ] || return 0
    awk '{ exit !($2 <= $1 && $4 <= $3) }' <<<"$counts" || fault "shrunk: $counts"
}

# The machine may be busy: two and a half seconds are for that. What is not kept takes many times as long.
for seconds in 0.05 0.4 3; do
    claim "4 seconds are 4 seconds, for a program that computes for $seconds s in each run"
    elapsed darn hunt --seconds=4 -o "slow$seconds" -- ./slow "$seconds"
    [ "$took" -lt 6900 ] || fault "it took $took ms"
    expect_lacks "$err" "not when replayed"
    expect_shrunk
done

claim "16 seconds are 16 seconds, for a program that waits for ever in the end, and enough for its deadlock"
elapsed darn hunt --seconds=16 --no-explore --no-shrink -o endless -- ./slow 0 endless
[ "$took" -lt 18900 ] || fault "it took $took ms"
expect_has "$out" "deadlock between T1 and T2 [deadlock, confirmed]"

claim "2 seconds of exploring are 2 seconds, learning included"
elapsed darn explore --seconds=2 -- ./slow 3
[ "$took" -lt 4900 ] || fault "it took $took ms"

cat >long.c <<'END'
/* A race at the beginning, and then a long way to go. */
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared, steps;
static void *race(void *unused)
{
    shared++;
    return unused;
}
static void *go_on(void *unused)
{
    for (int i = 0; i < 40000; i++) {
        pthread_mutex_lock(&lock);
        steps++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i < 2 ? race : go_on, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return steps != 80000;
}
END
darn cc -O1 -g long.c -o long -pthread || exit 1

claim "of a long run only what leads to a race is replayed, and what is one race is not two findings"
try darn hunt --seconds=60 --trials=4 --no-explore -o long.out -- ./long
expect_status 66
expect_has "$out" "data race on 'shared' [data-race, confirmed]"
expect_has "$out" "the run was stopped after "
expect_lacks "$out" "[atomicity-violation"
expect_shrunk
try darn replay --times=10 long.out/1
expect_same "$out" "10 of 10"

cat >middle.c <<'END'
/* A race in the middle of a long way. */
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, n;
static void *work(void *unused)
{
    for (int i = 0; i < 300; i++) {
        pthread_mutex_lock(&lock);
        n++;
        pthread_mutex_unlock(&lock);
    }
    x = x + 1;
    for (int i = 0; i < 300; i++) {
        pthread_mutex_lock(&lock);
        n++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return n != 1800 || x == 0;
}
END
darn cc -O1 -g middle.c -o middle -pthread || exit 1

claim "what is shrunk in two goes is counted once"
for seed in 1 2 3; do
    try darn hunt --seconds=2 --seed=$seed -o "middle$seed" -- ./middle
    expect_shrunk
done

cat >past.c <<'END'
/* The pair on x never meets (RaceFuzzer, figure 1). Then there is a long way to go, at the end of which a file grows. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void *give(void *unused)
{
    x = 1;
    pthread_mutex_lock(&a);
    y = 1;
    pthread_mutex_unlock(&a);
    return unused;
}
static void *take(void *unused)
{
    for (int i = 0, seen = 0; i < 1000 && !seen; i++) {
        pthread_mutex_lock(&a);
        seen = y;
        if (seen && x != 1)
            _exit(9); /* in no schedule */
        pthread_mutex_unlock(&a);
        usleep(1000);
    }
    return unused;
}
static void *go_on(void *unused)
{
    for (int i = 0; i < 20000; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void)
{
    void *(*work[])(void *) = {give, take, go_on, go_on};
    pthread_t threads[4];
    FILE *ends;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    ends = fopen("ends", "a");
    fputs("end\n", ends);
    fclose(ends);
    return 0;
}
END
darn cc -O1 -g past.c -o past -pthread || exit 1

claim "a trial does not go on to the end when the places that it aims at are past"
try darn hunt --seconds=100 --no-explore --jobs=1 -o past.out -- ./past
expect_status 0
expect_has "$out" "possible data race on 'x' with past.c:$(grep -n 'x != 1' past.c | cut -d: -f1): predicted, not confirmed in 20 trials"
runs=$(sed -n 's/.*runs: \([0-9]*\) recorded .* \([0-9]*\) under control.*/\1 + \2/p' .err)
[ "$(wc -l <ends)" -le $((runs - 10)) ] || fault "$(wc -l <ends) of $runs runs have come to their end"
expect_lacks "$err" "cut off"

claim "a finding is printed when it is confirmed, and the hunt goes on"
darn hunt --seconds=60 -o soon -- ./slow >.out 2>.err </dev/null &
hunt=$!
await grep -q "deadlock between T1 and T2 \[deadlock, confirmed\]" .out || fault "it was not printed"
kill -0 $hunt 2>/dev/null || fault "the hunt was over"
expect_lacks "$(cat .err)" "explore:"
expect_lacks "$(cat .out)" "SUMMARY"

claim "it ends when nothing new has come for as long as it took to get there"
start=$SECONDS
wait $hunt
[ $((SECONDS - start)) -lt 45 ] || fault "it took $((SECONDS - start)) s"
expect_same "$(grep -c '\[deadlock, confirmed\]' .out)" 1
expect_has "$(tail -2 .out)" "SUMMARY: darn: "
expect_has "$(cat .err)" "explore:"
cat >before.c <<'END'
#include <unistd.h>
static void __attribute__((constructor)) begin(void)
{
    for (;;)
        pause();
}
int main(void)
{
    return 0;
}
END
darn cc -O1 -g before.c -o before -pthread || exit 1

cat >slowly.c <<'END'
/* When it is recorded it does not even begin. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int x;
static void begin(int count, char **arguments, char **environment)
{
    char path[4096];
    (void)arguments;
    for (; *environment; environment++) {
        const char *option = strncmp(*environment, "DARN_OPTIONS=", 13) ? NULL : strstr(*environment, "trace=");
        if (count > 1 && option && sscanf(option, "trace=%4095[^:]", path) == 1)
            close(creat(path, 0600));
        while (option)
            pause();
    }
}
__attribute__((section(".preinit_array"), used)) static void (*first)(int, char **, char **) = begin;
static void *work(void *unused)
{
    x++;
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return x == 0;
}
END
darn cc -O1 -g slowly.c -o slowly -pthread || exit 1

claim "without a trace nothing is predicted, and the rest of the time is used all the same"
try darn hunt --seconds=5 -o slowly.out -- ./slowly
expect_status 66
expect_has "$err" "./slowly left no trace: it did not begin within "
expect_has "$out" "data race on 'x' [data-race, confirmed]"

claim "an empty one is none"
try darn hunt --seconds=5 -o empty.out -- ./slowly empty
expect_status 66
expect_has "$err" "./slowly left no trace: it did not begin within "
expect_has "$out" "data race on 'x' [data-race, confirmed]"

claim "a time that is over before main is too short, and no refusal"
for command in hunt explore; do
    try darn $command --seconds=1 -- ./before
    expect_same "$command $status" "$command 0"
    expect_has "$command $err" "darn $command: the time was over before ./before could be run under control; --seconds=S gives more"
    expect_has "$out$err" "SUMMARY: darn: nothing found in 0 "
done

finish
