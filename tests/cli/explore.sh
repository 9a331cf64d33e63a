#!/bin/bash
# needs: compiler
# darn explore: what it runs, finds, prints, keeps and returns. The programs fail in some schedules
# only, or never; those that never fail must never be reported.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >many.c <<'EOF'
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *mode;
static int shared, tidy;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    tidy++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *other(void *unused)
{
    both(is("deadlock") ? &b : &a, is("deadlock") ? &a : &b);
    shared = 1;
    if (is("exit-from-thread"))
        exit(0);
    if (is("sleep"))
        sleep(1000);
    return unused;
}

static void fail(void)
{
    if (is("crash"))
        *(volatile int *)8 = 1;
    if (is("assert"))
        assert(shared == 0);
    if (is("status"))
        exit(3);
    if (is("killed"))
        kill(getpid(), SIGKILL);
    if (is("hang"))
        for (;;)
            pause();
    if (is("long"))
        for (volatile long i = 1; i; i++)
            ;
    if (is("counts"))
        for (int i = 0; i < 1000000; i++)
            sched_yield();
    if (is("livelock"))
        while (__atomic_load_n(&shared, __ATOMIC_ACQUIRE))
            sched_yield();
    if (is("stuck"))
        syscall(SYS_pause);
    if (is("loud"))
        for (;;)
            puts("and on");
    if (is("kill-parent"))
        kill(getppid(), SIGKILL);
}

int main(int argc, char **argv)
{
    pthread_t threads[64];
    char line[100] = "nothing\n";
    int count;

    mode = argc > 1 ? argv[1] : "";
    count = is("64") ? 64 : 1;
    if (is("input")) {
        char *got = fgets(line, sizeof(line), stdin);
        printf("input %s", got ? got : line);
    }
    if (is("cores")) {
        cpu_set_t cores;
        sched_getaffinity(0, sizeof(cores), &cores);
        printf("%d cores\n", CPU_COUNT(&cores));
    }
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, other, NULL);
    if (is("forever"))
        for (;;)
            pause();
    both(&a, &b);
    if (shared)
        fail();
    if (is("forks") && fork() == 0) {
        sleep(1000);
        _exit(0);
    }
    if (is("always"))
        return 5;
    if (is("never-right"))
        assert(shared > 1);
    if (is("too-early"))
        assert(shared); /* fails when nobody interferes */
    if (is("output"))
        printf("shared %d\n", shared);
    if (is("file")) {
        FILE *file = fopen("left", "wx");
        if (!file)
            return 1;
        fclose(file);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return tidy != count + 1;
}
EOF
darn cc -O1 -g many.c -o many -pthread || exit 1

# The value of a field of the summary, the last line of the output.
field() { tail -1 .out | sed "s/.*\"$1\":\([^,}]*\).*/\1/"; }

claim "a program that is right is never reported: status 0, and one line says how much was tried"
try darn explore --schedules=1000 -- ./many
expect_status 0
expect_same "$out" ""
expect_has "$err" "darn explore: 1000 schedules in "
expect_has "$err" " reads-from pairs, "
expect_has "$err" "; strategy portfolio, seed 1"
expect_same "$(tail -1 .err)" "SUMMARY: darn: nothing found in 1000 schedules"

claim "each way to fail is found, named, and confirmed: status 66"
for way in "crash|crashed with SIGSEGV in T0" "assert|aborted: many.c:" "status|exited with status 3" \
    "killed|killed by SIGKILL" "deadlock|deadlock: no thread can go on"; do
    try darn explore --schedules=2000 -- ./many "${way%%|*}"
    expect_status 66
    expect_has "$err" " fails: ${way#*|}"
    expect_has "$err" "confirmed"
    expect_has "$err" "darn explore: first bug at schedule "
    expect_has "$err" "  again: darn explore -o DIR -- "
    expect_has "$(tail -1 .err)" "SUMMARY: darn: 1 confirmed "
done
expect_has "$(cat .err)" "many.c:"
try darn explore --schedules=2000 -- ./many assert
expect_has "$err" "Assertion \`shared == 0' failed."

claim "a run that is cut off is counted, with the option that gives it more, and is no finding"
for mode in hang loud stuck long; do
    try darn explore --schedules=5 --timeout=1 -- ./many $mode
    expect_status 0
    expect_has "$err" " cut off after 1 s; --timeout=10 gives them more"
    expect_has "$err" "SUMMARY: darn: nothing found in 5 schedules"
done
try darn explore --schedules=20 --max-steps=2000 -- ./many counts
expect_status 0
expect_has "$err" " cut off after 2000 steps; --max-steps=20000 gives them more"

claim "a run that comes to the same state again, with every thread given its turn, hangs; and replays"
try darn explore --schedules=2000 -o hangs -- ./many livelock
expect_status 66
expect_has "$err" "warning: the program hangs: every thread gets its turn, and the same state comes again [failure, confirmed]"
try darn replay --times=5 hangs/1
expect_has "$out" "5 of 5"

claim "every strategy finds the bug, and only reports it"
for strategy in portfolio random pct pos surw chess rff hold; do
    try darn explore --strategy=$strategy --schedules=2000 --json -- ./many assert
    expect_status 66
    expect_same "$(wc -l <.out)" 2
    expect_same "$(field strategy)" "\"$strategy\""
    try darn explore --strategy=$strategy --schedules=300 --json -- ./many
    expect_status 0
    expect_same "$(field first_bug)" null
done

claim "accesses that only rare schedules come to become scheduling points, too"
cat >rare.c <<'EOF'
#include <pthread.h>
static int order, total, seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *note(void *digit)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        order = order * 3 + (int)(long)digit;
        pthread_mutex_unlock(&lock);
    }
    return digit;
}
static void *note_and_add(void *digit)
{
    note(digit);
    pthread_mutex_lock(&lock);
    int rare = order == 450; /* 1 2 1 2 0 0 */
    seen += rare;
    pthread_mutex_unlock(&lock);
    if (rare)
        total = total + 1;
    return digit;
}
int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, i ? note_and_add : note, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return total != seen;
}
EOF
darn cc -O0 -g rare.c -o rare -pthread || exit 1
try darn explore --schedules=50000 -- ./rare
expect_status 66
expect_has "$err" " fails: exited with status 1"

claim "a systematic search comes to its end, and says so"
try darn explore --strategy=chess --bound=1 --points=sync --json -- ./many
expect_status 0
expect_same "$(field exhausted)" true
expect_has "$err" "; nothing is left to try"

claim "--json: the findings, then the summary, with the fields that tools rely on"
try darn explore --jobs=1 --seed=7 --schedules=2000 --json -- ./many assert
expect_status 66
expect_same "$(wc -l <.out)" 2
for text in '"id":"' '"kind":"failure"' '"certainty":"confirmed"' '"count":1' '"accesses":[' '"engine":"' \
    '"outcomes":["assertion"]'; do
    expect_has "$(head -1 .out)" "$text"
done
expect_has "$(tail -1 .out)" '{"kind":"summary","schedules":'
expect_same "$(field seed)" 7
expect_same "$(field first_bug)" "$(field schedules)"
expect_same "$(field jobs)" 1
expect_same "$(field findings)" 1
first=$(field first_bug)
try darn explore --jobs=1 --seed=7 --schedules=2000 --json -- ./many assert
expect_same "$(field first_bug)" "$first"
if command -v python3 >/dev/null; then
    python3 -c 'import json
for line in open(".out"): json.loads(line)' || fault "not valid"
fi
try darn explore --schedules=2000 --json=kept.jsonl -- ./many assert
expect_same "$out" ""
expect_same "$(wc -l <kept.jsonl)" 2
try darn explore --seed=0 --schedules=5 --json -- ./many
[ "$(field seed)" -gt 0 ] || fault "no seed"

claim "--keep-going tries all, and counts the same finding once"
try darn explore --keep-going --schedules=500 --json -- ./many crash
expect_status 66
expect_same "$(wc -l <.out)" 2
expect_same "$(field schedules)" 500
expect_same "$(field findings)" 1
[ "$(field failures)" -gt 1 ] || fault "only $(field failures) failures"

claim "-o keeps what darn replay needs, numbered; the input, too"
echo some input | darn explore --schedules=2000 -o kept/in -- ./many assert 2>/dev/null
echo other input | darn explore --schedules=2000 -o kept/in -- ./many assert 2>/dev/null
expect_same "$(ls kept/in | tr '\n' ' ')" "1 2 "
expect_same "$(ls kept/in/1 | tr '\n' ' ')" "finding.json input log schedule story.json story.txt "
expect_same "$(cat kept/in/1/input)" "some input"
expect_has "$(cat kept/in/1/log)" "Assertion"
expect_has "$(cat kept/in/1/schedule)" "ending assertion"
expect_has "$(cat kept/in/1/finding.json)" '"schedule":"kept/in/1/schedule"'
for i in 1 2 3; do
    try darn replay kept/in/2
    expect_status 66
done

claim "every run reads the same input"
for i in 1 2; do echo hello | darn explore --jobs=$i --schedules=50 --oracle='grep -qx "input hello"' -- \
    ./many input 2>/dev/null || fault "--jobs=$i"; done
echo file >in
try darn explore --schedules=10 --input=in --oracle='grep -qx "input file"' -- ./many input
expect_status 0
try darn explore --schedules=10 --oracle='grep -qx "input nothing"' -- ./many input
expect_status 0

claim "a program has as many cores as without darn: it may make a thread for each"
try darn explore --schedules=10 --oracle="grep -qx '$(nproc) cores'" -- ./many cores
expect_status 0

claim "the oracle decides about output and status"
try darn explore --schedules=2000 --oracle='! grep -q "shared 1"' -- ./many output
expect_status 66
expect_has "$err" " fails: the oracle says no"
try darn explore --schedules=100 --oracle='test "$DARN_STATUS" = 5' -- ./many always
expect_status 0
try darn explore --schedules=100 --oracle=nonsense-command -- ./many
expect_status 2
expect_has "$err" "darn explore: the oracle cannot be asked: there is no such command"

claim "--reset removes what a run leaves behind"
try darn explore --jobs=1 --schedules=100 --reset='rm -f left' -- ./many file
expect_status 0
try darn explore --jobs=1 --schedules=100 -- ./many file
expect_has "$err" "every run ends with the status 1"
rm -f left
try darn explore --jobs=4 --schedules=100 --json --reset='rm -f left' -- ./many file
expect_status 0
expect_has "$err" "darn explore: --reset: one run at a time, as with --jobs=1"
expect_has "$out" '"jobs":1,'

claim "a hunt resets before the runs that it records, too"
try darn hunt --no-explore --seconds=10 --jobs=1 --reset='rm -f left; echo >>resets' -o reset.out -- ./many file
expect_lacks "$out$err" "fails"
recorded=$(grep -o 'runs: [0-9]*' .err | grep -o '[0-9]*')
controlled=$(grep -o '[0-9]* under control' .err | grep -o '[0-9]*')
missing=$((recorded + controlled - $(wc -l <resets))) # the time may be over before the last one
[ $missing = 0 ] || [ $missing = 1 ] || fault "$missing resets are missing"

claim "what fails without any interference is said to"
try darn explore --schedules=300 -- ./many always
expect_status 0
expect_has "$err" "every run ends with the status 5: that has nothing to do with schedules"
expect_lacks "$err" "[failure"
try darn explore --schedules=300 -- ./many never-right
expect_status 0
expect_has "$err" "every run fails (aborted: many.c:$(grep -n 'shared > 1' many.c | cut -d: -f1): "
expect_lacks "$err" "[failure"

claim "what fails when nobody interferes is a finding if some schedule ends well"
try darn explore --schedules=1000 --json -- ./many too-early
expect_status 66
expect_has "$(head -1 .out)" '"certainty":"confirmed"'
expect_has "$(head -1 .out)" '"outcomes":["assertion"]'
expect_has "$err" "note: it fails when no thread is interrupted, too"

claim "--races reports what two threads met, and nothing without it"
try darn explore --races --schedules=500 --json -- ./many
expect_status 66
expect_has "$(head -1 .out)" '"kind":"data-race"'
expect_has "$(head -1 .out)" '"variable":"shared"'
expect_has "$(head -1 .out)" '"certainty":"confirmed"'
expect_lacks "$out" '"variable":"tidy"'

claim "limits are kept"
start=$SECONDS
try darn explore --seconds=1 --schedules=1000000000 --json -- ./many
expect_status 0
[ $((SECONDS - start)) -lt 30 ] || fault "$((SECONDS - start)) s"
[ "$(field schedules)" -gt 0 ] || fault "nothing tried"
try darn explore --schedules=7 --json -- ./many
expect_same "$(field schedules)" 7

claim "unusual programs: sleeping takes no time; 64 threads, an exit from a thread, processes"
start=$SECONDS
try darn explore --schedules=50 -- ./many sleep
expect_status 0
[ $((SECONDS - start)) -lt 60 ] || fault "slept for $((SECONDS - start)) s"
try darn explore --schedules=50 -- ./many 64
expect_status 0
try darn explore --schedules=50 -- ./many exit-from-thread
expect_status 0
try darn explore --schedules=20 -- "$PWD/many" forks
expect_status 0
expect_has "$err" "note: the program starts processes, which run uncontrolled"
! pgrep -f "^$PWD/many" >/dev/null || fault "processes are left"

claim "a signal ends it, with what there is, and nothing is left"
mkdir tmp
TMPDIR=$PWD/tmp darn explore --schedules=1000000000 -- "$PWD/many" >.out 2>.err </dev/null &
exploring=$!
await pgrep -f "^$PWD/many" >/dev/null || fault "nothing has begun"
kill -TERM $exploring
wait $exploring
expect_same $? 143
expect_has "$(tail -1 .err)" "SUMMARY: darn: nothing found in "
expect_same "$(ls -A tmp)" ""
! pgrep -f "^$PWD/many" >/dev/null || fault "processes are left"

claim "a signal that comes to the command and to its whole group is one: what there is is printed"
try timeout -s TERM 1 darn explore --schedules=1000000000 -- "$PWD/many"
expect_status 124
expect_has "$(tail -1 .err)" "SUMMARY: darn: nothing found in "

claim "a program that cannot be explored: one line, status 2"
try darn explore --timeout=0.5 -- ./many forever
expect_refused "darn explore: ./many does not end within 0.5 s under control, even when no thread is interrupted; --timeout=S allows more, --with=CMD runs the client of a server"
try darn explore --schedules=2000 -- ./many kill-parent
expect_status 2
expect_has "$err" "darn explore: ./many ends its own fork server"
try darn explore --max-steps=3 -- ./many
expect_status 2
expect_same "$(wc -l <.err)" 1
expect_has "$err" "--max-steps=N"
cp /bin/true plain
try darn explore ./plain
expect_status 2
expect_has "$err" "darn explore: ./plain was not compiled by darn; "
expect_lacks "$err" "--any"
try darn explore ./missing
expect_refused "darn explore: ./missing: there is no such program"

claim "wrong use: one line, status 2"
try darn explore
expect_refused "darn explore: no program; usage: darn explore [options] -- PROGRAM [arguments]"
try darn explore --frob ./many
expect_refused "darn explore: there is no option --frob; 'darn explore --help' lists them"
try darn explore --strategy=frob ./many
expect_refused "darn explore: --strategy=frob: portfolio, random, pct, pos, surw, chess, rff, hold or states is needed"
try darn explore --schedules=none ./many
expect_refused "darn explore: --schedules=none: a number from 1 to 1000000000000 is needed"
try darn explore --points=some ./many
expect_refused "darn explore: --points=some: shared, sync or all is needed"
try darn explore --input=missing ./many
expect_refused "darn explore: --input: missing: No such file or directory"
try darn explore --input=. ./many
expect_refused "darn explore: --input: . is a directory; a file is needed"
try darn explore --json=nowhere/x ./many
expect_refused "darn explore: json: nowhere/x cannot be written: No such file or directory"
touch file
try darn explore -o file ./many
expect_refused "darn explore: -o: file: Not a directory"

claim "where a function ends with abort, the story does not name the next one"
cat >last.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>

static int count;

/* The call is made to end where the next function begins. */
__attribute__((noinline, noreturn)) static void give_up(void)
{
    __asm__ volatile(".p2align 4\n .nops 11");
    abort();
}

__attribute__((noinline)) static void *next_one(void *arg)
{
    count = count + 1;
    return arg;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, next_one, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (count != 2)
        give_up();
    return 0;
}
EOF
darn cc -O1 -g last.c -o last -pthread || exit 1
try darn explore -- ./last
expect_status 66
expect_has "$err" "T0 aborts in give_up: SIGABRT"

claim "spin locks that wait for each other are a deadlock, not a run that takes too long"
darn cc -O1 -g "$(dirname "$0")/../programs/explore/deadlock_spin.c" -o deadlock_spin -pthread
try darn explore --seed=1 --jobs=1 --schedules=1000 -- ./deadlock_spin
expect_status 66
expect_has "$out$err" "deadlock between T1 and T2 [deadlock, confirmed]"

finish
