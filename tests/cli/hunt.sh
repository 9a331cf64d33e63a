#!/bin/bash
# needs: compiler
# more: both programs that are right at both levels
# darn hunt: what it confirms and what it does not, what it leaves in its directory, and how it goes
# on there.
. "$(dirname "$0")/lib.bash"
. "$(dirname "$0")/perfetto.bash"
export PATH=$bin:$PATH

cat >parts.c <<'EOF2'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z, shop, stock = 1;
static volatile int harmless;
static const char *mode;
static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}
/* RaceFuzzer, figure 1: the race on z is real, the pair on x never meets. */
static void one_of_figure(void)
{
    x = 1;
    pthread_mutex_lock(&a);
    y = 1;
    pthread_mutex_unlock(&a);
    if (z == 1)
        abort();
}
static void other_of_figure(void)
{
    z = 1;
    pthread_mutex_lock(&a);
    if (y == 1 && x != 1)
        _exit(9); /* in no schedule */
    pthread_mutex_unlock(&a);
}
static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
/* It does not matter who opens. */
static void open_shop(void)
{
    int is_open;
    pthread_mutex_lock(&a);
    is_open = shop;
    pthread_mutex_unlock(&a);
    if (is_open)
        return;
    pthread_mutex_lock(&a);
    shop = 1;
    pthread_mutex_unlock(&a);
}
/* No race, and no deadlock: what was looked at does not hold any more. */
static void sell(void)
{
    int left;
    pthread_mutex_lock(&a);
    left = stock;
    pthread_mutex_unlock(&a);
    if (left == 0)
        return;
    pthread_mutex_lock(&a);
    stock = stock - 1;
    if (stock < 0)
        exit(3);
    pthread_mutex_unlock(&a);
}
static void *thread(void *number)
{
    long one = (long)number;
    if (is("figure") || is("figure-forever")) {
        if (one)
            other_of_figure();
        else
            one_of_figure();
    }
    if (is("deadlock"))
        both(one ? &a : &b, one ? &b : &a);
    if (is("sell"))
        sell();
    if (is("open"))
        open_shop();
    if (is("harmless"))
        harmless = 1;
    if (is("output"))
        x = x + 1; /* one of them may be lost */
    if (is("clean"))
        both(&a, &b);
    if (is("input")) {
        char line[16] = "";
        if (!one && fgets(line, sizeof(line), stdin) && strcmp(line, "race\n") == 0)
            x = 1;
        if (one && x == 0 && y == 0)
            abort();
        y = 1;
    }
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    mode = argc > 1 ? argv[1] : "";
    for (long i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, thread, (void *)i);
        usleep(20000); /* in usual runs they do not meet */
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (is("output"))
        printf("x is %d\n", x);
    if (is("figure-forever"))
        for (;;)
            usleep(1000);
    return is("fails");
}
EOF2
darn cc -O1 -g parts.c -o parts -pthread || exit 1
line_of() { grep -n "$1" parts.c | head -1 | cut -d: -f1; }

claim "figure 1: the race on z is confirmed and aborts, the pair on x is named as not confirmed"
try darn hunt --seconds=20 --no-explore -o figure -- ./parts figure
expect_status 66
expect_has "$out" "warning: data race on 'z' [data-race, confirmed]"
expect_has "$out" "proof: it happened in 20 of 20 controlled runs and replays; it led to an abort"
expect_lacks "$out" "warning: data race on 'x'"
expect_has "$out" "possible data race on 'x' with parts.c:"
expect_has "$out" ": predicted, not confirmed in 20 trials"
expect_has "$out" "  if parts.c:$(line_of '    z = 1;') (write) goes first: "
expect_has "$(tail -2 .out)" "SUMMARY: darn: 1 confirmed data race (parts.c:"
expect_has "$(tail -1 .out)" "darn: schedules, stories and logs are in figure"
expect_same "$(grep -c '^darn hunt: predict: 2 possible data races, ' .err)" 1
expect_same "$(grep -c '^darn hunt: prove: 1 of 2 confirmed, ' .err)" 1
expect_same "$(grep -c '^darn hunt: shrink: 1 schedule, ' .err)" 1
expect_has "$(tail -1 .err)" "darn hunt: runs: 3 recorded or to learn from, "
expect_same "$(wc -l <.err)" 5

claim "a section that another thread comes into is confirmed, with what it leads to"
try darn hunt --seconds=20 --no-explore -o sold -- ./parts sell
expect_status 66
expect_has "$out" "parts.c:$(line_of 'left = stock'):12: warning: atomicity violation on 'stock' [atomicity-violation, confirmed]"
expect_has "$out" " writes the same 4 bytes, holding mutex 'a'" # by whichever of the two
expect_has "$out" "proof: it happened in 20 of 20 controlled runs and replays; it led to a bad exit status"
expect_has "$out" "atomicity violation: T"
expect_has "$out" " came in between"
expect_has "$out" "mutex 'a' is held at both accesses, but given back in between"
expect_same "$(grep -c '^darn hunt: sections: ' .err)" 1
try darn replay --times=20 sold/1
expect_has "$out" "20 of 20"
try darn shrink --seconds=2 sold/1
expect_status 0

claim "one that nobody has declared, and that leads to nothing, is a suspicion: one line, and no status"
try darn hunt --seconds=20 --no-explore -o opened -- ./parts open
expect_status 0
expect_lacks "$out" "atomicity violation"
expect_has "$out" "darn: 1 atomic section that the compiler has inferred was interrupted, and nothing came of it: see opened/1"
expect_has "$(tail -1 .out)" "SUMMARY: darn: nothing found in "
expect_has "$(cat opened/1/report.txt)" "atomicity violation on 'shop'"
expect_has "$(cat opened/index.jsonl)" '"suspicion":true'
try darn report opened
expect_status 0
try darn replay --times=5 opened/1
expect_has "$out" "5 of 5"

claim "declared, it is a finding"
line=$(line_of 'is_open = shop')
echo "{\"darn-sections\": 1, \"sections\": [\"parts.c:$line-$((line + 6)) shop\"]}" >shop.sections
try darn hunt --seconds=20 --no-explore --sections=shop.sections -o declared -- ./parts open
expect_status 66
expect_has "$out" "warning: atomicity violation on 'shop' [atomicity-violation, confirmed]"

claim "a section of a repository is tried as well, and no other one"
line=$(line_of 'left = stock')
echo "{\"darn-sections\": 1, \"sections\": [\"parts.c:$line-$((line + 6)) stock\"]}" >hand.sections
try darn hunt --seconds=20 --no-explore --sections=hand.sections -o by-hand -- ./parts sell
expect_status 66
expect_has "$out" "warning: atomicity violation on 'stock' [atomicity-violation, confirmed]"

claim "one whose lines have moved since is tried where it is now; one that is gone is told"
darn sections infer ./parts >all.sections || fault "cannot infer"
sed "s/\"\(entry\": \"\)$line:/\"\19$line:/" all.sections >moved.sections
cmp -s all.sections moved.sections && fault "nothing is moved in: $(cat all.sections)"
sed -i 's/"variable": "shop"/"variable": "market"/' moved.sections
try darn hunt --seconds=20 --no-explore --sections=moved.sections -o by-moved -- ./parts sell
expect_status 66
expect_has "$out" "warning: atomicity violation on 'stock' [atomicity-violation, confirmed]"
expect_has "$err" "of moved.sections is not in the program: see darn sections check"
echo '{"darn-sections": 1, "sections": []}' >no.sections
try darn hunt --seconds=20 --no-explore --sections=no.sections -o by-none -- ./parts sell
expect_lacks "$out" "atomicity violation"

claim "what is locked from the entry to the end is never confirmed: not after a jump, not in a long run, not in copies"
cat >right.c <<'EOF2'
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long n, sum;
static long get(void)
{
    return n;
}
static void put(long value)
{
    n = value;
}
static void jump(int round)
{
    static __thread jmp_buf back;
    volatile int tries = 0;
    pthread_mutex_lock(&lock);
    if (!setjmp(back) || tries++) {
        long old = n;
        if (round % 2 == 0 && !tries) {
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
            longjmp(back, 1); /* out of what has begun */
        }
        n = old + 1;
    } else {
        n = round;
    }
    pthread_mutex_unlock(&lock);
}
static void *work(void *rounds)
{
    for (long i = 0; i < (long)rounds; i++) {
        pthread_mutex_lock(&lock);
        sum ^= get();
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        put(i);
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        put(get() + 1);
        pthread_mutex_unlock(&lock);
        jump((int)i);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)atol(argc > 1 ? argv[1] : "3"));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
EOF2
for level in -O0 -O1; do
    darn cc $level -g right.c -o right -pthread || fault "right.c does not compile"
    for rounds in 3 700; do
        does_all || [ $level$rounds = -O0700 ] || [ $level$rounds = -O13 ] || continue
        try darn hunt --seconds=10 --no-explore -o "right$level$rounds" -- ./right $rounds
        expect_lacks "$out" "atomicity violation"
    done
done

claim "what was found is in the directory"
for file in schedule schedule.full story.txt story.json finding.json report.txt log; do
    [ -e figure/1/$file ] || fault "figure/1/$file is missing"
done
[ ! -e figure/2 ] || fault "there is a second one"
expect_has "$(cat figure/1/story.txt)" "data race"
try darn replay --times=20 figure/1
expect_same "$out" "20 of 20"

claim "darn report prints it again, for people and for programs"
cp .out before
try darn report figure
expect_status 66
expect_has "$out" "warning: data race on 'z' [data-race, confirmed]"
expect_has "$out" "predicted, not confirmed in 20 trials"
try darn report --json figure
expect_status 66
cmp -s .out figure/index.jsonl || fault "--json differs from the index"
expect_same "$(wc -l <.out)" 2
expect_has "$(head -1 .out)" '"kind":"data-race","certainty":"confirmed","variable":"z"'
expect_has "$(head -1 .out)" '"schedule":"figure/1/schedule","outcomes":["abort"]'
expect_has "$(head -1 .out)" '"directory":"1"'
expect_has "$(tail -1 .out)" '"certainty":"predicted","variable":"x"'
try darn report nowhere
expect_refused "darn report: nowhere: No such file or directory"

claim "a page and tracks are made of it"
try darn report --html=page.html --perfetto=tracks.json figure
expect_status 66
expect_same "$out$err" ""
expect_has "$(cat page.html)" '<script type="application/json" id="story-0">{"version":1,'
expect_has "$(cat page.html)" '"kind":"data-race","about":['
expect_has "$(cat page.html)" '"sources":[{"file":"parts.c"'
check_tracks tracks.json
try darn hunt --seconds=5 --no-explore --html=other.html -o figure -- ./parts figure
expect_status 66
expect_has "$(cat other.html)" '"sources":[{"file":"parts.c"'
try darn hunt --html=nowhere/x -- ./parts figure
expect_refused "darn hunt: html: nowhere/x cannot be written: No such file or directory"
expect_has "$(cat tracks.json)" '"name":"data-race: about to write z"'

claim "a hunt that is continued does not repeat what was done, and knows its program"
cp figure/1/schedule before
try darn hunt --seconds=20 --no-explore -o figure
expect_status 66
expect_has "$out" "warning: data race on 'z' [data-race, confirmed]"
expect_has "$err" "from the trace that was there"
expect_lacks "$err" "prove:"
expect_lacks "$err" "shrink:"
cmp -s before figure/1/schedule || fault "the schedule has changed"
[ ! -e figure/2 ] || fault "it was found twice"
try darn hunt --seconds=20 --no-explore --trials=30 -o figure -- ./parts figure
expect_has "$err" "prove: 1 of 2 confirmed, "
expect_has "$out" "predicted, not confirmed in 30 trials"

claim "a directory of another program, another build, or of something else is not used"
try darn hunt -o figure -- ./parts deadlock
expect_refused "darn hunt: figure is of another program, or of other arguments; name another directory"
mkdir full && touch full/mine
try darn hunt -o full -- ./parts figure
expect_refused "darn hunt: -o: full has other files in it; name a new directory, or one of a hunt"
cp parts other
(echo '/* */'; cat parts.c) >changed.c
darn cc -O1 -g changed.c -o parts -pthread || exit 1
try darn hunt -o figure -- ./parts figure
expect_refused "darn hunt: figure is of another build of ./parts; name another directory"
cp other parts

claim "a predicted deadlock happens; the directory is darn-out, then darn-out-2"
try darn hunt --seconds=20 --no-explore -- ./parts deadlock
expect_status 66
expect_has "$out" "warning: deadlock between T1 and T2 [deadlock, confirmed]"
expect_has "$out" "darn: schedules, stories and logs are in darn-out"
try darn hunt --seconds=20 --no-explore --no-shrink -- ./parts deadlock
expect_has "$out" "darn: schedules, stories and logs are in darn-out-2"
expect_lacks "$err" "shrink:"
[ ! -e darn-out-2/1/schedule.full ] || fault "it was shrunk"

claim "a failure that nothing predicts is found by exploring"
try darn hunt --sections=no.sections --seconds=20 --jobs=1 -o sell -- ./parts sell
expect_status 66
expect_has "$out" "[failure, confirmed]"
expect_has "$out" "exits with status 3"
expect_has "$err" "darn hunt: predict: 0 possible data races, 0 deadlocks, 0 mishandled notifications"
try darn replay --times=20 sell/1
expect_same "$out" "20 of 20"

claim "a race that makes no difference is confirmed, and said to make none"
try darn hunt --seconds=20 --no-explore -o harmless -- ./parts harmless
if [ "$status" -eq 66 ]; then
    expect_has "$out" "it made no difference"
    expect_has "$(head -1 harmless/index.jsonl)" '"outcomes":[]'
else
    expect_has "$err" "predict: 0 possible data races" # volatile accesses count as intended
fi

claim "a run that prints something else than it usually does is told"
try darn hunt --seconds=20 --no-explore -o output -- ./parts output
expect_status 66
expect_has "$out" "it led to other output than usual"
expect_has "$(cat output/1/finding.json)" '"check":{"output":"0x'
try darn replay --times=10 output/1
expect_same "$out" "10 of 10"

claim "an oracle says what is right, also to a replay"
try darn hunt --seconds=20 --no-explore --oracle='grep -q "x is 2"' -o oracle -- ./parts output
expect_status 66
expect_has "$out" "it led to output that the oracle rejects"
try darn replay --times=10 oracle/1
expect_same "$out" "10 of 10"

claim "each run reads the same input, and so does a replay"
printf 'race\n' >input.txt
try darn hunt --seconds=20 --no-explore --input=input.txt -o input -- ./parts input
expect_status 66
expect_has "$out" "it led to an abort"
cmp -s input.txt input/1/input || fault "the input was not kept"
rm input.txt
try darn replay --times=10 input/1
expect_same "$out" "10 of 10"

claim "a program without a bug gives nothing: status 0"
try darn hunt --seconds=4 --jobs=1 -o clean -- ./parts clean
expect_status 0
expect_has "$out" "SUMMARY: darn: nothing found in "
expect_same "$(wc -l <.out)" 1
expect_same "$(cat clean/index.jsonl)" ""
try darn report clean
expect_status 0

claim "a program that fails whatever the schedule is has no finding by that"
try darn hunt --seconds=4 --jobs=1 -o fails -- ./parts fails
expect_status 0
expect_has "$err" "darn hunt: note: it fails when no thread is interrupted, too (exit)"
expect_has "$err" "darn hunt: every run fails (exit): that has nothing to do with schedules"

claim "a deadlock that comes whatever the schedule is has been proved all the same"
cat >held.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;

    pthread_mutex_lock(&lock);
    return pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL);
}
END
darn cc -g held.c -o held -pthread || fault "darn cc failed"
try darn hunt --seconds=4 --jobs=1 -o held.out -- ./held
expect_status 66
expect_has "$out" "warning: deadlock between T0 and T1 [deadlock, confirmed]"

claim "what is suppressed is not aimed at"
echo "race:*figure" >quiet
try darn hunt --seconds=20 --no-explore --suppressions=quiet -o quietly -- ./parts figure
expect_lacks "$out" "data race on 'z'"

claim "a program that never ends is named, and what was predicted of it is tried"
try timeout 100 darn hunt --seconds=20 --timeout=1 --no-explore -o forever -- ./parts figure-forever
expect_status 66
expect_has "$err" "the program did not end within"
expect_has "$err" "darn hunt: note: ./parts does not end when no thread is interrupted: its runs are cut off after 1 s"
expect_has "$out" "warning: data race on 'z' [data-race, confirmed]"
expect_lacks "$out" "made no difference"
expect_lacks "$out" "hang"
try darn replay --times=5 forever/1
expect_has "$out" "5 of 5"

claim "interrupted, it keeps and prints what there is"
darn hunt --seconds=60 -o interrupted -- ./parts figure >.out 2>.err </dev/null &
hunt=$!
for i in $(seq 300); do
    [ -s interrupted/1/finding.json ] && break
    sleep 0.1
done
kill -TERM $hunt
start=$SECONDS
status=0
wait $hunt || status=$?
out=$(cat .out) err=$(cat .err)
expect_status 66
[ $((SECONDS - start)) -lt 15 ] || fault "it took $((SECONDS - start)) s to stop"
expect_has "$out" "warning: data race on 'z' [data-race, confirmed]"
expect_has "$(tail -1 .out)" "darn: schedules, stories and logs are in interrupted"

claim "findings as JSON Lines on stdout, reports on stderr then; or in a file"
try darn hunt --seconds=20 --no-explore --json -o json -- ./parts deadlock
expect_status 66
expect_same "$(wc -l <.out)" 1
expect_has "$out" '"kind":"deadlock","certainty":"confirmed"'
expect_has "$err" "warning: deadlock between T1 and T2"
try darn hunt --seconds=20 --no-explore --json=all.jsonl -o json
cmp -s all.jsonl json/index.jsonl || fault "the file is not the index"

claim "wrong use is refused before anything runs"
try darn hunt
expect_refused "darn hunt: no program; usage: darn hunt [options] -- PROGRAM [arguments]"
try darn hunt --trials=none -- ./parts
expect_refused "darn hunt: --trials=none: a number from 1 to 1000000 is needed"
try darn hunt --input=nowhere -o unused -- ./parts
expect_status 2
expect_has "$err" "nowhere"
try darn hunt --input=. -o unused -- ./parts
expect_refused "darn hunt: --input: . is a directory; a file is needed"
gcc -o plain parts.c -pthread || exit 1
try darn hunt -o unused2 -- ./plain
expect_status 2
expect_has "$err" "./plain was not compiled by darn"
[ ! -e unused2 ] || fault "a directory was made for nothing"
finish
