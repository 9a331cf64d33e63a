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
cat >locks.c <<'EOF'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *take(void *arg)
{
    for (int i = 0; i < 5000; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, take, NULL);
    take(NULL);
    return pthread_join(thread, NULL);
}
EOF
darn cc -O1 -g locks.c -o locks -pthread || exit 1

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
try darn predict --runs=1 --sync-only --engine=deadlock -- ./late order
expect_has "$err" "warning: possible deadlock between "

claim "nothing found is the program's own success, and its own failure wins over 66"
try darn predict -- ./late
expect_status 0
expect_has "$(tail -1 .err)" "SUMMARY: darn: nothing found in "
expect_has "$(tail -1 .err)" "hybrid, deadlock, notify)"
try darn predict --runs=1 -- ./late race 7
expect_status 7
expect_has "$(tail -1 .err)" "SUMMARY: darn: 1 possible data race ("
try darn predict --runs=1 -- ./late quiet 7
expect_status 7

claim "what only hybrid predicts is one line, a file for darn hunt, and no exit status"
# The consumer sleeps, for hybrid knows what a wait for the condition orders.
cat >queue.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct item { struct item *next; long value; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct item *queue;
static void *produce(void *arg)
{
    struct item *item = malloc(sizeof(*item));
    item->value = 1;
    pthread_mutex_lock(&lock);
    item->next = queue;
    queue = item;
    pthread_mutex_unlock(&lock);
    pthread_cond_signal(&filled);
    return arg;
}
static struct item *take(void)
{
    pthread_mutex_lock(&lock);
    struct item *item = queue;
    if (item)
        queue = item->next;
    pthread_mutex_unlock(&lock);
    return item;
}
int main(void)
{
    pthread_t thread;
    struct item *item = NULL;
    pthread_create(&thread, NULL, produce, NULL);
    for (int i = 0; !item; i++) {
        usleep(i ? 1000000 : 50000);
        item = take();
    }
    item->value = -1; /* it is ours now */
    free(item);
    return pthread_join(thread, NULL);
}
EOF
darn cc -O1 -g queue.c -o queue -pthread || exit 1
try darn predict --runs=3 -- ./queue
expect_status 0
expect_same "$(grep -c 'only suspected' .err)" 1
expect_has "$(sed -n 2p .err)" " always kept, and enforced by nothing (orders): darn hunt --predicted=queue.suspects -- ./queue tries "
expect_has "$(sed -n 3p .err)" " before queue.c:"
expect_has "$(head -1 .err)" " only suspected (hybrid): darn hunt --predicted=queue.suspects -- ./queue tries "
expect_has "$(head -1 .err)" ", --engine=hybrid shows "
expect_has "$(tail -1 .err)" "SUMMARY: darn: nothing found in "
expect_has "$(tail -1 .err)" " events of 3 runs (hb, syncp, deadlock, notify)"
expect_has "$(head -1 queue.suspects)" '"certainty":"predicted"'
expect_has "$(head -1 queue.suspects)" '"engine":"hybrid"'
suspects=$(grep -c '"kind":"data-race"' queue.suspects)
expect_has "$(head -1 .err)" "darn predict: $suspects possible data race"
try darn hunt --no-explore --trials=2 --seconds=10 --predicted=queue.suspects -o hunted -- ./queue
expect_status 0
expect_has "$out" "predicted, not confirmed in 2 trials"

claim "an engine that is named tells all; darn analyze tells what can happen"
try darn predict --engine=hybrid -o queue.trace -- ./queue
expect_status 66
expect_has "$err" "[data-race, predicted by hybrid]"
expect_lacks "$err" "only suspected"
try darn analyze queue.trace
expect_status 0
try darn analyze --engine=hybrid queue.trace
expect_status 66

claim "--suspects names the file, which is written anew; what cannot be written is said or left out"
echo old >mine
try darn predict --suspects=mine --runs=1 -- ./queue
expect_status 0
expect_has "$err" "darn hunt --predicted=mine -- ./queue"
expect_lacks "$(cat mine)" "old"
try darn predict --suspects=mine -- ./late quiet
expect_same "$(cat mine)" ""
try darn predict --suspects=/dev/null --runs=1 -- ./queue
expect_status 0
expect_lacks "$err" "written"
expect_has "$(head -1 .err)" " only suspected (hybrid): darn hunt -- ./queue tries "
try darn predict --suspects=nowhere/x -- ./queue
expect_refused "darn predict: suspects: nowhere/x cannot be written: No such file or directory"
rm queue.suspects
mkdir queue.suspects
try darn predict --runs=1 -- ./queue
expect_status 0
expect_has "$(head -1 .err)" " only suspected (hybrid): darn hunt -- ./queue tries "
rmdir queue.suspects

claim "darn hunt tries what another run has shown"
cat >way.c <<'EOF'
#include <pthread.h>
#include <unistd.h>
int shared;
static int is_long;
static void *other(void *arg)
{
    if (is_long)
        shared = 1;
    return arg;
}
int main(void)
{
    pthread_t thread;
    is_long = access("long", F_OK) == 0;
    pthread_create(&thread, NULL, other, NULL);
    if (is_long)
        shared = 2;
    return pthread_join(thread, NULL);
}
EOF
darn cc -O1 -g way.c -o way -pthread || exit 1
touch long
try darn predict --json=way.jsonl --runs=1 -- ./way
expect_status 66
rm long
try darn hunt --no-explore --seconds=10 --reset='touch long' --predicted=way.jsonl -o way.out -- ./way
expect_status 66
expect_has "$out" "data race on 'shared' [data-race, confirmed]"
rm -f long
try darn hunt --predicted=missing -o other.out -- ./way
expect_refused "darn hunt: predicted: missing: No such file or directory"
echo '{' >broken
try darn hunt --predicted=broken -o other.out -- ./way
expect_status 2
expect_has "$err" "darn hunt: predicted: broken:"

claim "-o keeps the trace, for another look; those of several runs, too"
try darn predict -o several.trace --runs=2 -- ./late race
expect_status 66
expect_same "$(echo several.trace*)" "several.trace several.trace.2"
try darn analyze --engine=hb several.trace several.trace.2
expect_same "$(grep -c '\[data-race, predicted by hb\]' .out)" 1
try darn predict --explain=1 --runs=2 -- ./late race
expect_refused "darn predict: --explain takes one run, not 2"
try darn predict --explain=1 -- ./late race
expect_status 66
expect_has "$err" "  steps: "
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
try darn predict --runs=1 --json=out.jsonl --engine=hb,hybrid,deadlock -- ./late race
try darn predict --runs=1 --json=out.jsonl -- ./late order
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
try darn predict --runs=1 --json=again.jsonl -- ./late race
expect_same "$(id_of again.jsonl)" "$(id_of out.jsonl)"

claim "what is predicted can be made to happen"
try darn run --noise="site:late.c:$(grep -n 'shared = 1' late.c | cut -d: -f1):1000/2000000" -- ./late race
expect_has "$err" "warning: data race on 'shared' [data-race]"
expect_status 66

claim "suppressions, paths and colour"
echo 'race:late.c' >known
try darn predict --runs=1 --suppressions=known -- ./late race
expect_status 0
expect_lacks "$err" "warning"
try darn predict --runs=1 --color=always -- ./late race
expect_has "$err" $'\e['

claim "a profile is made, used and merged as darn record does"
export RUNS=$PWD/runs
try darn predict --profile=p --runs=1 -- ./late race
expect_same "$(wc -l <runs)" 2
expect_has "$(cat p)" " shared"
try darn predict --profile=p --runs=1 -- ./late race
expect_status 66
expect_same "$(wc -l <runs)" 3
rm runs

# On a machine that is busy no run may be short.
claim "a short run is recorded three times, and learned from as often; every run gets the input"
for _ in {1..10}; do
    rm -f runs
    echo first | darn predict -- ./late >.out 2>&1
    [ "$(grep -c 'run first' runs)" = 2 ] || break
done
expect_same "$(grep -c 'run first' runs)" 6
expect_same "$(grep -c 'shared 0' .out)" 1
rm runs
echo first | darn predict --every-access --runs=2 -- ./late >/dev/null 2>&1
expect_same "$(grep -c 'run first' runs)" 2
rm runs

claim "noise ends when it has taken as long as it may"
try timeout 60 darn run --exitcode=0 --noise=random:1000/200000 --noise-limit=200 -- ./locks
expect_status 0

claim "a later run that ends otherwise is named, and its status counts"
cat >counts.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    FILE *runs = fopen("counted", "a");
    fputs("x", runs);
    int count = ftell(runs);
    fclose(runs);
    return count == 4 ? 5 : 0; /* learn, record, learn, record */
}
EOF
darn cc -O1 -g counts.c -o counts || exit 1
try darn predict --runs=2 -- ./counts
expect_status 5
expect_has "$err" "darn predict: run 2, whose output is not shown, ended with the status 5"

claim "wrong use: one line, status 2, before the program is run"
try darn predict
expect_refused "darn predict: no program; usage: darn predict [options] -- PROGRAM [arguments]"
try darn predict --frob ./late
expect_refused "darn predict: there is no option --frob; 'darn predict --help' lists them"
try darn predict -o
expect_refused "darn predict: -o needs a value: -o FILE"
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

cat >pairs.c <<'EOF'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&a);
        if (i)
            pthread_mutex_lock(&b);
        else
            pthread_mutex_lock(&b);
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    return arg;
}
static void *late(void *arg)
{
    usleep(300000);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, late, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
EOF
darn cc -O0 -g pairs.c -o pairs -pthread || exit 1
claim "what has the same cause is one report with its variants behind it, and JSON has all"
try darn predict --json=pairs.jsonl -- ./pairs
expect_status 66
expect_same "$(grep -c ' warning: possible deadlock' <<<"$out$err")" 1
expect_has "$out$err" "  variants: the same cause shows in 1 more way, which --all prints at length"
expect_has "$out$err" "SUMMARY: darn: 1 possible deadlock (pairs.c:"
expect_same "$(grep -c '"kind":"deadlock"' pairs.jsonl)" 2
expect_same "$(grep -c '"variant_of":' pairs.jsonl)" 1
try darn predict --all -- ./pairs
expect_same "$(grep -c ' warning: possible deadlock' <<<"$out$err")" 2
expect_lacks "$out$err" "variant"

finish
