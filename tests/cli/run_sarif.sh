#!/bin/bash
# needs: compiler
# SARIF and a baseline of ordinary runs, of predictions and of hunts.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

cat >race.c <<'END'
#include <pthread.h>
#include <unistd.h>
int shared;
static void *one(void *p) { for (int i = 0; i < 300; i++) { shared = i; usleep(20); } return p; }
static void *two(void *p) { for (int i = 0; i < 300; i++) { shared = -i; usleep(20); } return p; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    chdir("/");
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
try "$darn" cc -O1 -g race.c -o race -pthread
expect_status 0

claim "a run puts its findings into a SARIF file, wherever the program has gone"
try "$darn" run --sarif=run.sarif --json=run.jsonl -- ./race
expect_status 66
expect_has "$(cat run.sarif)" '"ruleId":"data-race"'
expect_has "$(cat run.sarif)" '"uri":"race.c"'
expect_has "$(tail -c 7 run.sarif)" ']}]}'

claim "without findings the file has none, and is whole"
printf 'int main(void) { return 0; }\n' >none.c
try "$darn" cc none.c -o none
try "$darn" run --sarif=none.sarif ./none
expect_status 0
expect_has "$(cat none.sarif)" '"results":['
expect_lacks "$(cat none.sarif)" '"ruleId"'

claim "what the baseline has does not count, and is not printed, but tools see it"
try "$darn" run --baseline=run.jsonl --json=today.jsonl -- ./race
expect_status 0
expect_lacks "$err" "warning"
expect_has "$err" "suppressed"
expect_has "$(cat today.jsonl)" '"kind":"data-race"'
try "$darn" run --baseline=missing.jsonl -- ./race
expect_refused "darn run: baseline: missing.jsonl: No such file or directory"

claim "predictions and hunts do the same"
try "$darn" predict --sarif=predict.sarif --suspects=s -- ./race
expect_status 66
expect_has "$(cat predict.sarif)" '"level":"warning"'
try "$darn" hunt --seconds=60 --no-explore --no-shrink -o out --sarif=hunt.sarif -- ./race
expect_has "$(cat hunt.sarif)" '"ruleId":"data-race"'
try "$darn" report --sarif=report.sarif out
expect_has "$(cat report.sarif)" '"ruleId":"data-race"'

claim "what a hunt has predicted and not confirmed is no result"
cp -r out tried && rm tried/index.jsonl
try "$darn" predict --json=tried/index.jsonl --suspects=s -- ./race
expect_status 66
try "$darn" report --annotate=github out
expect_has "$out" "data race"
try "$darn" report --annotate=github tried
expect_same "$status $out" "0 "

claim "--json=- is stdout where that is free"
try "$darn" run --json=- -- ./race
expect_refused "darn run: --json=-: stdout is the program's own; name a file"
try "$darn" record -o race.trace -- ./race
try "$darn" analyze --json=- race.trace
expect_status 66
expect_same "${out:0:6}" '{"id":'
expect_has "$err" "SUMMARY: darn:"
[ ! -e - ] || fault "a file is called -"

claim "a file of others is left alone"
echo '{}' >other.sarif
try "$darn" run --sarif=other.sarif -- ./race
expect_refused "darn run: sarif: other.sarif cannot be written: it is there, and is no SARIF file of darn"
expect_same "$(cat other.sarif)" '{}'

finish
