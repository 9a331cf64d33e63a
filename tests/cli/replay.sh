#!/bin/bash
# needs: compiler
# darn replay: the same run again, how it says where it went another way, and gdb where it happens.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >order.c <<'EOF2'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int ready, data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *producer(void *unused)
{
    data = 7;
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *consumer(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    if (data != 7)
        abort(); /* nobody waited */
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    printf("begins\n");
    fflush(stdout);
    pthread_create(&threads[0], NULL, producer, NULL);
    usleep(20000); /* in usual runs all is well */
    pthread_create(&threads[1], NULL, consumer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("ends well\n");
    return 0;
}
EOF2
darn cc -O1 -g order.c -o order -pthread || exit 1
darn hunt --seconds=20 --no-explore -o out -- ./order >hunt.txt 2>hunt.err
[ -f out/1/schedule ] || { cat hunt.txt hunt.err; exit 1; }

claim "the same bug happens, the output is shown, the status is 66"
try darn replay out/1
expect_status 66
expect_has "$out" "begins"
expect_lacks "$out" "ends well"
expect_has "$err" "warning: data race on 'data' [data-race, confirmed]"
expect_has "$err" "darn replay: the same again, after "
expect_has "$err" "$(head -2 out/1/story.txt | tail -1)"
expect_has "$err" "again: darn replay $PWD/out/1"
expect_has "$err" ": aborted"

claim "darn report tells of the finding alone, too"
try darn report out/1
expect_status 66
expect_has "$out" "warning: data race on 'data' [data-race, confirmed]"
expect_has "$out" "$(cat out/1/story.txt)"
try darn report --json out/1
expect_status 66
expect_same "$(wc -l <.out)" 1
mkdir nothing
try darn report nothing
expect_refused "darn report: nothing is not the directory of a hunt or of a finding"
rmdir nothing

claim "a schedule is enough, from any directory"
mkdir elsewhere
cp out/1/schedule elsewhere/kept
(cd / && "$bin/darn" replay "$OLDPWD/elsewhere/kept" >"$OLDPWD/.out" 2>"$OLDPWD/.err" </dev/null)
expect_same "$?" 66
expect_has "$(cat .err)" "the same again"

claim "it replays each time, also while the machine is busy"
for i in 1 2 3 4; do
    (while [ ! -e stop ]; do :; done) &
done
try darn replay --times=100 out/1
touch stop
wait
expect_status 66
expect_same "$out" "100 of 100"
expect_same "$err" ""

claim "where the run cannot follow is named: decision, place, and what is there instead"
sed 's/^T2 /T7 /' out/1/schedule >elsewhere/other
try darn replay elsewhere/other
expect_status 1
expect_has "$err" "darn replay: diverged at decision "
expect_has "$err" ": expected T7 to start"
expect_has "$err" ", but there is no T7"
sed 's/ lock@/ unlock@/' out/1/schedule >elsewhere/other
try darn replay elsewhere/other
expect_status 1
expect_has "$err" " to unlock at "
expect_has "$err" "order.c:"
expect_has "$err" " is about to lock at "
try darn replay --times=3 elsewhere/other
expect_status 1
expect_same "$out" "0 of 3"
expect_same "$(grep -c diverged .err)" 1

claim "a program that has changed is warned about"
cp order before
darn cc -O0 -g order.c -o order -pthread || exit 1
try darn replay out/1
expect_has "$err" "darn replay: warning: $PWD/order has changed since the schedule was made"
cp before order
try darn replay out/1
expect_lacks "$err" "has changed"
expect_status 66

claim "what cannot be replayed is refused"
try darn replay
expect_refused "darn replay: one schedule is needed; usage: darn replay [options] DIRECTORY|SCHEDULE"
try darn replay nowhere
expect_refused "darn replay: nowhere: No such file or directory"
try darn replay out
expect_refused "darn replay: out has no schedule; the findings of a hunt have numbers: out/1"
echo nonsense >elsewhere/bad
try darn replay elsewhere/bad
expect_status 2
expect_has "$err" "/elsewhere/bad: line 1: "
try darn replay --times=0 out/1
expect_refused "darn replay: --times=0: a number from 1 to 1000000 is needed"
try darn replay --nothing out/1
expect_refused "darn replay: there is no option --nothing; 'darn replay --help' lists them"
mv order gone
try darn replay out/1
expect_status 2
expect_has "$err" "order"
mv gone order

claim "without gdb, --gdb says so"
mkdir tools
status=0
PATH=$PWD/tools "$bin/darn" replay --gdb out/1 >.out 2>.err || status=$?
out=$(cat .out) err=$(cat .err)
expect_refused "darn replay: --gdb needs gdb, which was not found in PATH"

claim "gdb gets the process, which stands still where it happens"
cat >tools/gdb <<'EOF2'
#!/bin/bash
echo "gdb: $1 $2 $4 $(grep '^State' "/proc/$3/status" | cut -f2)"
grep -c 'darn_capture' "$5"
EOF2
chmod +x tools/gdb
mkdir tmp
TMPDIR=$PWD/tmp PATH=$PWD/tools:$PATH try darn replay --gdb out/1
expect_status 0
expect_has "$out" "gdb: -q -p -x T (stopped)"
expect_same "$(ls -A tmp)" ""

if gdb --batch -ex 'python print(1)' 2>/dev/null | grep -q '^1$'; then
    claim "gdb shows a frame of the program for each thread, at the two accesses"
    status=0
    TERM=dumb timeout 60 darn replay --gdb out/1 >.out 2>&1 <<<"thread" || status=$?
    out=$(cat .out)
    if [[ $out == *"Operation not permitted"* || $out == *"ptrace"* ]]; then
        echo "gdb may not attach here: not tried"
    else
        expect_has "$out" "data = 7;"
        expect_has "$out" "if (data != 7)"
        expect_has "$out" "pthread_join(threads[i], NULL);"

        claim "in gdb, darn steps tells the story, and darn back and darn next replay up to another step"
        printf '%s\n' 'darn steps' 'darn back' 'darn steps' 'darn next' 'darn steps' 'darn back 99' >commands
        TERM=dumb timeout 60 darn replay --gdb out/1 >.out 2>&1 <commands
        out=$(cat .out)
        expect_has "$out" "data race: at the same time"
        steps=($(sed -n 's/.*the program is held before step \([0-9]*\)$/\1/p' .out))
        expect_same "${#steps[@]}" 3
        expect_same "${steps[1]}" "$((steps[0] - 1))"
        expect_same "${steps[2]}" "${steps[0]}"
        expect_has "$out" "there is no such step: darn steps shows them"
    fi
fi
claim "in another build of the program threads change at the same places: it fails still, or no more"
sed -e 's/^static int ready/static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;\n\n&/' \
    -e 's/^    data = 7;/    pthread_mutex_lock(\&other);\n    pthread_mutex_unlock(\&other);\n&/' order.c >moved.c
sed -e 's/^    usleep.*/    pthread_join(threads[0], NULL);/' -e 's/int i = 0/int i = 1/' order.c >mended.c
for name in moved mended; do
    darn cc -O1 -g $name.c -o $name -pthread || fault "$name.c does not compile"
done
try darn replay --in=./order out/1
expect_status 66
expect_has "$err" " switches, after "
expect_has "$err" ": aborted"
try darn replay --in=./moved out/1
expect_status 66
expect_has "$err" ": aborted"
try darn replay --in=./mended out/1
expect_status 0
expect_has "$err" ": it ends well"
try darn replay --in=./order --otherwise out/1
expect_refused "darn replay: --in goes with none of --gdb, --at, --otherwise and --times"
try darn replay --in=./missing out/1
expect_refused "darn replay: ./missing: No such file or directory"
try darn replay --in=./order elsewhere/kept
expect_refused "darn replay: $PWD/elsewhere/kept: there is no story.json beside it, which says what the threads do"
finish
