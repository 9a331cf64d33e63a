#!/bin/bash
# needs: compiler
# Disks that are full and files that may not grow: what was found is not lost, each command says what
# it could not write, and why, and does not end as if all were well.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >bank.c <<'EOF'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static long balance;
static pthread_barrier_t open_hour; /* so that both are there at once */
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void __attribute__((noinline)) deposit(long amount)
{
    long old = balance;
    balance = old + amount;
}
static void *teller(void *arg)
{
    pthread_barrier_wait(&open_hour);
    for (int i = 0; i < 3; i++)
        deposit(1);
    return arg;
}
/* One after the other, by something that orders nothing: a deadlock could happen, and does not. */
static void *both(void *arg)
{
    while (arg && access("first", F_OK))
        usleep(1000);
    pthread_mutex_lock(arg ? &a : &b);
    pthread_mutex_lock(arg ? &b : &a);
    pthread_mutex_unlock(arg ? &b : &a);
    pthread_mutex_unlock(arg ? &a : &b);
    if (!arg)
        close(creat("first", 0666));
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t one, two;
    char line[100];
    if (argc > 1) {
        unlink("first");
        pthread_create(&one, NULL, both, NULL);
        pthread_create(&two, NULL, both, argv);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
        return 0;
    }
    pthread_barrier_init(&open_hour, NULL, 2);
    pthread_create(&one, NULL, teller, NULL);
    pthread_create(&two, NULL, teller, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%s", fgets(line, sizeof(line), stdin) ? line : "");
    return 0;
}
EOF
darn cc -O1 -g bank.c -o bank -pthread || exit 1
try darn sections infer -o bank.sections ./bank
expect_status 0
noise=--noise=var:balance:1000/20000

# within KB COMMAND...: where files may not be larger; with what it prints in pipes, not in files.
within() {
    local most=$1
    shift
    { err=$({ (ulimit -f "$most"; "$@" </dev/null); echo "status $?" >&3; } 2>&1 >&3 3>&3); } 3>.status
    status=$(sed -n 's/^status //p' .status)
}

claim "a report that the log cannot take goes to stderr, with its reason, and so does the summary"
within 0 darn run $noise --log-path="$PWD/log" -- ./bank
expect_status 66
expect_has "$err" "darn report: warning: log_path: $PWD/log cannot be written: File too large; this goes to stderr instead"
expect_has "$err" "warning: data race on 'balance'"
expect_has "$err" "SUMMARY: darn: 1 data race (bank.c:"
rm -f log.*

claim "of JSON that does not fit nothing is left but what was there"
echo '{"kind":"other"}' >found.json
within 1 darn run $noise --json="$PWD/found.json" -- ./bank
expect_status 66
expect_has "$err" "darn report: warning: json: $PWD/found.json cannot be written: File too large"
expect_same "$(cat found.json)" '{"kind":"other"}'

claim "a file that was asked for and cannot be written makes the exit status 1"
try darn heal --sections=bank.sections --json=/dev/full -- ./bank
expect_status 1
expect_has "$err" "darn heal: warning: json: /dev/full cannot be written: No space left on device"
try darn predict --json=/dev/full -- ./bank locks
expect_has "$err" "darn predict: warning: json: /dev/full cannot be written: No space left on device"
expect_status 1

claim "input that cannot be kept for each run is not cut short"
within 8 bash -c 'yes | head -c 100000 | darn record -o input.trace -- ./bank'
expect_status 2
expect_same "$err" "darn record: the standard input, which each run is to read, cannot be kept: File too large"

mkdir disk
if ! { [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k none disk 2>/dev/null; }; then
    echo "not tried: a full disk (needs root and a tmpfs)"
    finish
    exit
fi
trap "umount $PWD/disk" EXIT
fill() { cat /dev/zero >disk/filling 2>/dev/null; }
fill

claim "the log on a full disk"
try darn run $noise --log-path="$PWD/disk/log" --json="$PWD/disk/found.json" -- ./bank
expect_status 66
expect_has "$err" "darn report: warning: log_path: $PWD/disk/log cannot be written: No space left on device; this goes to stderr instead"
expect_has "$err" "darn report: warning: json: $PWD/disk/found.json cannot be written: No space left on device"
expect_has "$err" "SUMMARY: darn: 1 data race (bank.c:"
expect_same "$(cat disk/found.json)" ""

claim "a full TMPDIR is in nobody's way, or called by its name"
try env TMPDIR="$PWD/disk" darn run --detect-deadlocks=1 -- ./bank locks
expect_status 66
expect_has "$err" "possible deadlock"
expect_lacks "$err" "darn record"
try env TMPDIR="$PWD/disk" darn record -o all.trace -- ./bank
expect_status 0
expect_has "$err" "or the disk is full): all accesses were recorded"
try env TMPDIR="$PWD/disk" darn heal --sections=bank.sections -- ./bank
expect_status 1
expect_has "$err" "darn: heal_out: the account cannot be written: No space left on device"
try env TMPDIR="$PWD/disk" darn predict -- ./bank
expect_status 2
expect_has "$err" ": there is no room on the disk"

claim "files that are asked for"
try darn heal --sections=bank.sections --learn=disk/learned -- ./bank
expect_status 66
expect_has "$err" "darn: heal_learn: the repository cannot be written: No space left on device"
expect_has "$err" "darn heal: warning: disk/learned was not written"
[ ! -e disk/learned ] || fault "a part of a repository is left"
try darn sections infer -o disk/s ./bank
expect_refused "darn sections infer: disk/s cannot be written: No space left on device"

claim "nobody is told to replay what could not be kept"
try darn explore --jobs=1 --oracle='[ "$DARN_STATUS" = 5 ]' -o disk/explored -- ./bank
expect_status 66
expect_has "$err" "the schedule cannot be kept in disk/explored/1: No space left on device"
expect_lacks "$out$err" "darn replay disk"
# Room for the trace, for nothing else.
rm -rf disk/*
dd if=/dev/zero of=disk/filling bs=1k count=28 2>/dev/null
try darn hunt --seconds=20 --jobs=1 --no-explore -o disk/hunted -- ./bank
expect_status 66
expect_has "$err" "disk/hunted/1 cannot be written: No space left on device"
expect_has "$out" "SUMMARY: darn: 1 confirmed data race (bank.c:"
expect_lacks "$out" "darn replay"
expect_lacks "$out$err" "schedule"

finish
