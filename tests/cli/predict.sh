#!/bin/bash
# needs: compiler
# darn predict: what it runs, prints, writes and returns. No schedule of these programs shows the
# race or the deadlock but by chance: all of it is predicted.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >late.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static long shared, tidy;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t tidy_lock = PTHREAD_MUTEX_INITIALIZER;
static void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static void add(long *to)
{
    pthread_mutex_lock(&tidy_lock);
    *to += 1;
    pthread_mutex_unlock(&tidy_lock);
}
static void *early(void *mode)
{
    add(&tidy);
    if (strcmp(mode, "race") == 0)
        shared = 1;
    if (strcmp(mode, "order") == 0)
        take(&b, &a);
    return mode;
}
int main(int argc, char **argv)
{
    char *mode = argc > 1 ? argv[1] : "", line[100];
    pthread_t thread;
    FILE *runs = getenv("RUNS") ? fopen(getenv("RUNS"), "a") : NULL;
    if (runs) {
        fprintf(runs, "run %s\n", fgets(line, sizeof(line), stdin) ? line : "nothing");
        fclose(runs);
    }
    pthread_create(&thread, NULL, early, mode);
    usleep(100000);
    add(&tidy);
    if (strcmp(mode, "race") == 0)
        shared = 2;
    if (strcmp(mode, "order") == 0)
        take(&a, &b);
    pthread_join(thread, NULL);
    printf("%s: shared %ld, tidy %ld\n", mode, shared, tidy);
    fprintf(stderr, "said on stderr\n");
    return argc > 2 ? atoi(argv[2]) : 0;
}
EOF
darn cc -O1 -g late.c -o late -pthread || exit 1

claim "a race that did not happen is predicted: status 66, reports on stderr, output shown once"
try darn predict -- ./late race
expect_status 66
expect_same "$out" "race: shared 2, tidy 2"
expect_has "$err" "warning: possible data race on 'shared' [data-race, predicted by "
expect_same "$(grep -c 'said on stderr' .err)" 1
expect_lacks "$err" "'tidy'"
expect_has "$err" "  see it: darn run --noise="
expect_has "$(tail -1 .err)" "SUMMARY: darn: 1 possible data race ("
[ ! -e late.trace ] || fault "the trace was kept"

claim "locks that are taken in different orders are a possible deadlock"
try darn predict -- ./late order
expect_status 66
expect_has "$err" "warning: possible deadlock between "
expect_has "$err" "holds mutex 'a' (taken at late.c:"
expect_has "$err" "holds mutex 'b' (taken at late.c:"
try darn predict --sync-only --engine=deadlock -- ./late order
expect_has "$err" "warning: possible deadlock between "

claim "nothing found is the program's own success, and its own failure wins over 66"
try darn predict -- ./late
expect_status 0
expect_has "$(tail -1 .err)" "SUMMARY: darn: nothing found in "
expect_has "$(tail -1 .err)" "hybrid, deadlock, notify)"
try darn predict -- ./late race 7
expect_status 7
expect_has "$(tail -1 .err)" "SUMMARY: darn: 1 possible data race ("
try darn predict -- ./late quiet 7
expect_status 7

claim "-o keeps the trace, for another look"
try darn predict -o kept.trace -- ./late race
expect_status 66
try darn analyze --engine=hb kept.trace
expect_status 66
expect_has "$out" "[data-race, predicted by hb]"

claim "nothing is left behind"
mkdir tmp
try env TMPDIR="$PWD/tmp" darn predict -- ./late race
expect_status 66
expect_same "$(ls -A tmp)" ""

claim "--json has a valid object for each finding, predicted, with the fields that tools rely on"
try darn predict --json=out.jsonl --engine=hb,hybrid,deadlock -- ./late race
try darn predict --json=out.jsonl -- ./late order
expect_same "$(wc -l <out.jsonl)" 2
for field in '"id":"' '"kind":"' '"certainty":"predicted"' '"variable":"' '"count":' '"accesses":[{"op":"' \
    '"thread":"T' '"file":"late.c"' '"line":' '"column":' '"function":"' '"stack":[' '"locks":[' \
    '"engine":"'; do
    expect_same "$(grep -cF -- "$field" out.jsonl)" 2
done
expect_has "$(head -1 out.jsonl)" '"kind":"data-race"'
expect_has "$(head -1 out.jsonl)" '"engine":"hb, hybrid"'
expect_has "$(tail -1 out.jsonl)" '"kind":"deadlock"'
expect_has "$(tail -1 out.jsonl)" '"engine":"deadlock"'
# It is read by darn itself, with a library for JSON.
try darn run --exitcode=0 --noise-from=out.jsonl -- ./late
expect_status 0
if command -v python3 >/dev/null; then
    python3 -c 'import json,sys
for line in open("out.jsonl"): json.loads(line)' || fault "not valid"
fi

claim "the same finding has the same id in the next run"
id_of() { sed 's/.*"id":"\([^"]*\)".*/\1/' "$1" | head -1; }
try darn predict --json=again.jsonl -- ./late race
expect_same "$(id_of again.jsonl)" "$(id_of out.jsonl)"

claim "what is predicted can be made to happen"
try darn run --noise="site:late.c:$(grep -n 'shared = 1' late.c | cut -d: -f1):1000/2000000" -- ./late race
expect_has "$err" "warning: data race on 'shared' [data-race]"
expect_status 66

claim "suppressions, paths and colour"
echo 'race:late.c' >known
try darn predict --suppressions=known -- ./late race
expect_status 0
expect_lacks "$err" "warning"
try darn predict --color=always -- ./late race
expect_has "$err" $'\e['

claim "a profile is made, used and merged as darn record does"
export RUNS=$PWD/runs
try darn predict --profile=p -- ./late race
expect_same "$(wc -l <runs)" 2
expect_has "$(cat p)" " shared"
try darn predict --profile=p -- ./late race
expect_status 66
expect_same "$(wc -l <runs)" 3
rm runs

claim "every run gets the input"
echo first | darn predict -- ./late >/dev/null 2>&1
expect_same "$(grep -c 'run first' runs)" 2
rm runs

claim "wrong use: one line, status 2, before the program is run"
try darn predict
expect_refused "darn predict: no program; usage: darn predict [options] -- PROGRAM [arguments]"
try darn predict --frob ./late
expect_refused "darn predict: there is no option --frob; 'darn predict --help' lists them"
try darn predict -o
expect_refused "darn predict: -o needs a file"
try darn predict -o nowhere/t ./late
expect_refused "darn predict: nowhere/t cannot be written: No such file or directory"
try darn predict --engine=frob ./late
expect_refused "darn predict: there is no engine 'frob'; --engine=help lists them"
try darn predict --json=nowhere/x ./late
expect_refused "darn predict: json: nowhere/x cannot be written: No such file or directory"
try darn predict --suppressions=missing ./late
expect_status 2
expect_same "$(wc -l <.err)" 1
echo nonsense >bad
try darn predict --profile=bad ./late
expect_refused "darn predict: profile: bad:1: this is no line of a profile"
try darn predict ./missing
expect_refused "darn predict: ./missing: there is no such program"
cp /bin/true bank
try darn predict ./bank
expect_status 2
expect_has "$err" "darn predict: ./bank was not compiled by darn; "
try env TMPDIR=/nonexistent darn predict ./late
expect_status 2
expect_same "$(wc -l <.err)" 1
[ ! -e runs ] || fault "the program was run"

claim "the engines are listed without a program"
try darn predict --engine=help
expect_status 0
expect_has "$out" "hybrid"

finish
