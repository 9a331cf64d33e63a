#!/bin/bash
# needs: compiler
# darn record: what is run, what is left in the trace, and what becomes of programs that end badly.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# Two threads add to one counter; what else happens is up to the first argument.
cat >count.c <<'EOF'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static long counter, other, mine[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    const char *mode = arg;
    for (int i = 0; i < 100; i++)
        counter++;
    if (strcmp(mode, "other") == 0)
        other++;
    for (int i = 0; strcmp(mode, "many") == 0 && i < 200000; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
static void both(char *mode)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, mode);
    work(mode);
    pthread_join(thread, NULL);
}
static int run_child(char **argv)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (argv[2])
            execv(argv[2], argv + 2);
        both("");
        _exit(5);
    }
    waitpid(child, &status, 0);
    both("");
    return WEXITSTATUS(status);
}
int main(int argc, char **argv)
{
    char *mode = argc > 1 ? argv[1] : "", line[100];
    FILE *runs = getenv("RUNS") ? fopen(getenv("RUNS"), "a") : NULL;
    if (runs) {
        fprintf(runs, "run %s\n", fgets(line, sizeof(line), stdin) ? line : "nothing");
        fclose(runs);
    }
    for (int i = 0; i < 64; i++)
        mine[i] = argc;
    if (strcmp(mode, "child") == 0)
        return run_child(argv);
    if (strcmp(mode, "exec") == 0)
        return execv(argv[2], argv + 2);
    both(mode);
    if (strcmp(mode, "echo") == 0) {
        for (int i = 0; i < argc; i++)
            puts(argv[i]);
        printf("GIVEN=%s\n", getenv("GIVEN"));
    }
    if (strcmp(mode, "wait") == 0) {
        fclose(fopen("ready", "w"));
        sleep(60);
    }
    if (strcmp(mode, "abort") == 0)
        abort();
    if (strcmp(mode, "_exit") == 0)
        _exit(4);
    for (int i = 0; strcmp(mode, "close") == 0 && i < 1024; i++)
        close(i);
    return strcmp(mode, "fail") == 0 ? 7 : (int)(mine[3] - argc);
}
EOF
darn cc -O1 -g count.c -o count -pthread || exit 1
stat_of() { darn trace stat "$1"; }
mine_of() { darn trace dump "$1" | grep -c "main 'mine\[\]'"; }

claim "the trace has the program's name if nothing is said, and is not what decides the status"
try darn record -- ./count
expect_status 0
expect_same "$out" ""
expect_has "$err" "events in count.trace"
expect_same "$(wc -l <.err)" 1
expect_has "$(stat_of count.trace)" "complete  yes"
try darn analyze count.trace
expect_status 66
expect_has "$out" "possible data race on 'counter'"

claim "-o names the trace, what is there is replaced, and --quiet says nothing"
echo old >t.trace
try darn record --quiet -o t.trace -- ./count
expect_status 0
expect_same "$err" ""
expect_has "$(stat_of t.trace)" "threads   2"

claim "the exit status is the program's own"
try darn record -- ./count fail
expect_status 7
try darn record -- ./count _exit
expect_status 4
expect_has "$(stat_of count.trace)" "complete  yes"
try darn record -- ./count close
expect_status 0

claim "a program that crashes leaves what it has recorded"
try darn record -- ./count abort
expect_status 134
expect_has "$err" "the program did not end properly"
expect_has "$(stat_of count.trace)" "complete  no
          the program did not end in good order"
expect_has "$(darn analyze count.trace)" "possible data race on 'counter'"

claim "arguments and environment reach the program unchanged, and its output is shown once"
try env GIVEN='a b' darn record --quiet -- ./count echo 'two words' '' -o '--all' "it's"
expect_same "$out" "./count
echo
two words

-o
--all
it's
GIVEN=a b"

claim "every run gets the input, from a file and from a pipe"
printf 'first\nsecond\n' >input
RUNS=$PWD/runs darn record --quiet -- ./count <input
expect_same "$(grep -c 'run first' runs)" 2
rm runs
cat input | RUNS=$PWD/runs darn record --quiet --learn-runs=2 -- ./count
expect_same "$(grep -c 'run first' runs)" 3
rm runs
{ read -r _; RUNS=$PWD/runs darn record --quiet -- ./count; } <input
expect_same "$(grep -c 'run second' runs)" 2

claim "--every-access, --sync-only and --learn-runs=0 run the program once"
for options in --every-access --sync-only --learn-runs=0; do
    rm -f runs
    try env RUNS="$PWD/runs" darn record --quiet $options -- ./count
    expect_same "$(wc -l <runs)" 1
done

claim "--every-access records what the profile leaves out, --sync-only no accesses at all"
for what in every-access sync-only learn-runs=1; do
    try darn record --quiet --$what -o ${what%=1}.trace -- ./count
done
expect_same "$(mine_of every-access.trace)" 64
# Of the cache lines that are chosen for hot sites a few accesses get in.
[ "$(mine_of learn-runs.trace)" -lt 32 ] || fault "$(mine_of learn-runs.trace) accesses to what one thread has"
expect_has "$(darn trace dump learn-runs.trace)" "work 'counter'"
expect_lacks "$(stat_of sync-only.trace)" "  write"
expect_has "$(stat_of sync-only.trace)" "  fork      1"

claim "a profile is kept, used without learning again, and grows by what is learned later"
rm -f runs
try env RUNS="$PWD/runs" darn record --quiet --profile=p -- ./count
expect_same "$(wc -l <runs)" 2
expect_same "$(head -1 p)" "darn profile 1"
expect_has "$(cat p)" "count.c:"
expect_lacks "$(cat p)" "update other"
grep shared p >before
try env RUNS="$PWD/runs" darn record --quiet --profile=p -- ./count other
expect_same "$(wc -l <runs)" 3
expect_same "$(grep shared p)" "$(cat before)"
darn record --quiet --profile=p --learn-runs=1 -- ./count other
expect_has "$(cat p)" " other"
while read -r line; do
    grep -qxF -- "$line" p || fault "the line '$line' is gone"
done <before
expect_same "$(sort p | uniq -d)" ""

claim "two profiles one after the other are a profile"
darn record --quiet --profile=q -- ./count
cat p q >both
try darn record --quiet --profile=both --learn-runs=1 -- ./count
expect_status 0
expect_same "$(sort both | uniq -d)" ""

claim "--max-size bounds the file, and it is said what is missing, by each command"
try darn record --max-size=1 -o small.trace -- ./count many
expect_status 0
expect_has "$err" "events are missing, because the trace has reached --max-size"
[ "$(stat -c %s small.trace)" -le 1048576 ] || fault "$(stat -c %s small.trace) bytes"
missing=$(sed -n 's/^darn record: \(.* events are missing, .*\)/\1/p' .err)
expect_has "$(stat_of small.trace)" "complete  no
          $missing; it is read up to there"
try darn trace stat --json small.trace
expect_lacks "$out" '"lost":0'
expect_has "$out" '"why_lost":"max-size","lost_at_least":false'
for command in 'analyze' 'trace dump' 'trace export-std'; do
    try darn $command small.trace
    expect_same "$err" "darn ${command% *}: warning: small.trace: $missing"
done
DARN_OPTIONS=trace=$PWD/raw.trace:max_size=1 ./count many
[ "$(stat -c %s raw.trace)" -le 1048576 ] || fault "raw: $(stat -c %s raw.trace) bytes"

claim "a killed program leaves a trace that can be read and says so"
rm -f ready
DARN_OPTIONS=trace=$PWD/killed.trace ./count wait &
victim=$!
await [ -e ready ]
{ kill -9 $victim && wait $victim; } 2>/dev/null
expect_has "$(stat_of killed.trace)" "as the program left it"
expect_has "$(stat_of killed.trace)" "complete  no
          the program did not end in good order; what it recorded is there"
try darn analyze killed.trace
expect_has "$out" "possible data race on 'counter'"
expect_same "$err" "darn analyze: warning: killed.trace: the program did not end in good order; the trace ends where it did"

claim "Ctrl-C ends the program, and its trace remains"
rm -f ready
# What a shell starts in the background ignores Ctrl-C; a program that a user starts does not.
env --default-signal=INT setsid bash -c 'echo $$ >group; exec darn record --learn-runs=0 -o c.trace -- ./count wait' 2>said &
session=$!
await [ -e ready ]
kill -INT -- "-$(cat group)"
wait $session
status=$?
expect_status 130
expect_has "$(cat said)" "the program did not end properly"
expect_has "$(stat_of c.trace)" "version 4, packed"

claim "one trace is of one process: the first of those that darn compiled, and what takes its place"
try darn record -o fork.trace -- ./count child
expect_status 5
expect_has "$(stat_of fork.trace)" "threads   2"
expect_has "$(stat_of fork.trace)" "complete  yes"
cp count second
try darn record -o spawn.trace -- ./count child ./second
expect_has "$(stat_of spawn.trace)" "program   $PWD/count,"
expect_has "$(stat_of spawn.trace)" "complete  yes"
try darn record -o exec.trace -- ./count exec ./second
expect_has "$(stat_of exec.trace)" "program   $PWD/second,"
printf '#!/bin/sh\nexec ./second fail\n' >script
chmod +x script
try darn record -o script.trace -- ./script
expect_status 7
expect_has "$(stat_of script.trace)" "program   $PWD/second,"
try darn record --any -o env.trace -- env ./second
expect_status 0
expect_has "$(stat_of env.trace)" "program   $PWD/second,"

claim "two traces are analyzed together: what is in both is one finding"
try darn analyze learn-runs.trace every-access.trace
expect_status 66
expect_same "$(grep -c 'warning: possible data race' .out)" 1
expect_has "$(tail -1 .out)" "SUMMARY: darn: 1 possible data race"

claim "names that are odd are no reason to fail"
for name in 'a b' "it's" 'x:y,z' $'\xe4'; do
    cp count "$name"
    try darn record --quiet -- "./$name"
    expect_status 0
    [ -s "$name.trace" ] || fault "no trace of $name"
done

claim "a full disk leaves what came before"
mkdir disk
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=512k none disk 2>/dev/null; then
    trap "umount $PWD/disk" EXIT
    try env DARN_OPTIONS="trace=$PWD/disk/t.trace" ./count many
    expect_status 0
    expect_has "$(stat_of disk/t.trace)" " events are missing, because the disk was full"
    # How far the threads got until then is up to the scheduler.
    try darn analyze disk/t.trace
    [ "$status" = 0 ] || expect_status 66
    expect_has "$err" " events are missing, because the disk was full"
    expect_lacks "$err" max-size
    umount disk
    trap - EXIT
else
    echo "not tried: a full disk (needs root and a tmpfs)"
fi

claim "wrong use: one line, status 2, nothing is run or written"
rm -f runs ./*.trace
export RUNS=$PWD/runs
use="usage: darn record [options] -- PROGRAM [arguments]"
try darn record
expect_refused "darn record: no program; $use"
try darn record -o t.trace --
expect_refused "darn record: no program; $use"
try darn record --frob ./count
expect_refused "darn record: there is no option --frob; 'darn record --help' lists them"
try darn record --json=x ./count
expect_refused "darn record: there is no option --json=x; 'darn record --help' lists them"
try darn record -o
expect_refused "darn record: -o needs a value: -o FILE"
try darn record -o nowhere/t ./count
expect_refused "darn record: nowhere/t cannot be written: No such file or directory"
try darn record -o . ./count
expect_refused "darn record: . cannot be written: Is a directory"
mkfifo pipe
try darn record -o pipe ./count
expect_refused "darn record: pipe is no regular file; a trace needs one"
[ -p pipe ] || fault "the pipe is gone"
try darn record ./missing
expect_refused "darn record: ./missing: there is no such program"
cp /bin/true bank
try darn record ./bank
expect_refused "darn record: ./bank was not compiled by darn; compile it with: darn cc -g -pthread ... -o bank (--any runs it as it is)"
try darn record --any ./bank
expect_refused "darn record: ./bank left no trace: it ended before it began, or it starts no program that darn compiled"
try darn record --learn-runs=x ./count
expect_refused "darn record: --learn-runs=x: a number from 0 to 1000 is needed"
try darn record --max-size=0 ./count
expect_refused "darn record: --max-size=0: a number from 1 to 1048576 is needed"
try darn record --every-access --sync-only ./count
expect_refused "darn record: --every-access and --sync-only exclude each other"
echo nonsense >bad
try darn record --profile=bad ./count
expect_refused "darn record: profile: bad:1: this is no line of a profile"
printf 'darn profile 1\n# fine\nshared x\n' >bad
try darn record --profile=bad --learn-runs=1 ./count
expect_refused "darn record: profile: bad:3: this is no line of a profile"
try darn record --profile=nowhere/p ./count
expect_refused "darn record: profile: nowhere/p cannot be written: No such file or directory"
try env TMPDIR=/nonexistent darn record ./count
expect_refused "darn record: no temporary directory can be made in /nonexistent: No such file or directory"
[ ! -e runs ] || fault "the program was run"
expect_same "$(ls | grep -c '\.trace$')" 0

finish
