#!/bin/bash
# needs: compiler
# Whoever kills a command means all that it has started: after kill -9 no process is left, neither
# of the command nor of the program, its children and its daemons.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# With a file `hang` there, a program that never ends, with a child and a daemon unless there is a
# file `alone`; the file `ready` says that all of them run. Else one that aborts if its threads meet.
cat >victim.c <<'EOS'
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int x, y;
static void hang(void)
{
    for (;;)
        usleep(1000);
}
/* A schedule that is replayed knows of no call here. */
static void spin(void)
{
    for (;;)
        __asm__ volatile("pause");
}
static void start_others(void)
{
    int pair[2];
    char byte;
    if (pipe(pair))
        _exit(3);
    if (fork() == 0)
        hang();
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            (void)!write(pair[1], "d", 1);
            hang();
        }
        _exit(0);
    }
    (void)!read(pair[0], &byte, 1);
}
static void *thread(void *unused)
{
    x = x + 1;
    if (y == 0)
        y = 1;
    else if (y == 2)
        abort();
    return unused;
}
int main(void)
{
    pthread_t other;
    if (access("hang", F_OK) == 0) {
        if (access("alone", F_OK))
            start_others();
        close(open("ready", O_CREAT | O_WRONLY, 0600));
        spin();
    }
    pthread_create(&other, NULL, thread, NULL);
    y = 2;
    x = 0;
    pthread_join(other, NULL);
    return 0;
}
EOS
darn cc -O1 -g victim.c -o victim -pthread || exit 1
victim=$PWD/victim

is_ready() { [ -e ready ]; }
none_is_left() { ! pgrep -f "$victim" >.left; }
# The command ends with $status.
expect_none_left() {
    { await none_is_left; } 2>/dev/null || {
        fault "left: $(ps -o pid,ppid,args -p "$(paste -sd, .left)" | tail -n +2)"
        xargs kill -9 <.left 2>/dev/null
    }
    { wait $command; } 2>/dev/null
    status=$?
}

# start COMMAND...: in the background, as $command; returns when the program hangs.
start() {
    rm -f ready
    "$@" >.out 2>.err </dev/null &
    command=$!
    await is_ready || fault "the program was not started: $(cat .err)"
}

darn explore --schedules=20000 -o kept -- "$victim" >/dev/null 2>&1 </dev/null
[ -e kept/1/schedule ] || fault "no schedule to replay"
darn sections infer -o some.sections "$victim" >/dev/null 2>&1
touch hang
mkdir tmp
export TMPDIR=$PWD/tmp

commands=(
    "record -o t.trace -- $victim"
    "predict -- $victim"
    "hunt --timeout=60 -o hunted -- $victim"
    "explore --timeout=60 --jobs=2 -- $victim"
    "heal --sections=some.sections -- $victim"
    "heal --verify --timeout=60 --sections=some.sections -- $victim"
    "sections infer --runs=2 --timeout=60 -o learned -- $victim"
    "sections refine --timeout=60 some.sections -- $victim"
)

for line in "${commands[@]}"; do
    claim "kill -9 of darn ${line%% $victim*} leaves no process"
    start darn $line
    kill -9 $command
    expect_none_left
done

claim "whichever process of the command is killed, nothing is left"
for line in "${commands[0]}" "${commands[3]}" "${commands[7]}"; do
    start darn $line
    kill -9 "$(pgrep -P $command)"
    expect_none_left
    expect_same $status 137
done

claim "if all of them are killed at once, the program is"
touch alone
for line in "${commands[@]}"; do
    start darn $line
    kill -9 $command "$(pgrep -P $command)"
    expect_none_left
done

claim "the same for the schedule of a finding"
for line in "replay --timeout=60 kept/1" "shrink --timeout=60 kept/1"; do
    start darn $line
    kill -9 $command
    expect_none_left
done

claim "what a killed command leaves in TMPDIR is removed by the next one"
mv hang off
ls -A tmp >left
[ -s left ] || fault "nothing was left: this does not try anything"
try darn predict -- "$victim"
expect_same "$(ls -A tmp)" ""

claim "daemons of a run do not outlive it"
cat >daemons.c <<'EOF'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    pid_t child = fork();
    FILE *list;

    if (child) {
        waitpid(child, NULL, 0);
        return 0;
    }
    setsid();
    if (fork())
        _exit(0);
    list = fopen("daemons", "a");
    fprintf(list, "%ld\n", (long)getpid());
    fclose(list);
    sleep(600);
    _exit(0);
}
EOF
darn cc -O1 -g daemons.c -o daemons-prog || exit 1
try darn explore --schedules=5 -- ./daemons-prog
expect_status 0
is_over() { ! grep -qs '^State:.[^XZ]' "/proc/$1/status"; }
while read -r pid; do
    await is_over "$pid" || fault "$pid is left running"
done <daemons

finish
