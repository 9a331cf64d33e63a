#!/bin/bash
# needs: compiler
# What darn writes for itself is for its user alone, under names that nobody can guess, and nobody's
# link leads it to another file.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# Two threads count; the program says what is in TMPDIR while it runs.
cat >count.c <<'EOS'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int counter;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *count(void *unused)
{
    counter = counter + 1;
    return unused;
}
static void *take(void *first)
{
    pthread_mutex_t *second = first == &a ? &b : &a;
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}
int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    pthread_t other;
    char line[64];
    if (fgets(line, sizeof(line), stdin))
        puts(line);
    if (getenv("LIST") && system("find $TMPDIR -mindepth 1 -printf '%m %y %P\\n' >>$LIST"))
        return 3;
    if (strcmp(mode, "locks") == 0) {
        pthread_create(&other, NULL, take, &b);
        usleep(50000); /* they do not meet */
        take(&a);
        pthread_join(other, NULL);
        return 0;
    }
    pthread_create(&other, NULL, count, NULL);
    count(NULL);
    pthread_join(other, NULL);
    if (strcmp(mode, "abort") == 0 && counter != 2)
        abort();
    return 0;
}
EOS
darn cc -O1 -g count.c -o count -pthread || exit 1
darn sections infer -o some.sections ./count >/dev/null 2>&1 || exit 1
mkdir tmp
echo precious >victim
expect_victim() {
    expect_same "$(cat victim)" precious
    echo precious >victim
}

claim "a command has one directory in TMPDIR, for its user alone, and it goes"
for line in record predict "hunt --no-explore --seconds=5 -o hunted" "explore --schedules=20" \
    "heal --sections=some.sections" "sections infer --runs=2 -o learned" \
    "sections refine --runs=2 some.sections"; do
    rm -f list
    umask 000
    TMPDIR=$PWD/tmp LIST=$PWD/list try darn $line -- ./count
    umask 022
    [ -e list ] || fault "darn $line has not run the program: $err"
    expect_same "$(grep -Ev '^(700 d darn-[A-Za-z0-9]{6}|[0-7]+ f darn-[A-Za-z0-9]{6}/.*)$' list)" ""
    [ "$(cut -d' ' -f3 list | cut -d/ -f1 | sort -u | wc -l)" -le 1 ] || fault "darn $line: several directories"
    expect_same "$(ls -A tmp)" ""
done

claim "what is kept of a program is for its user alone, whatever the umask"
echo 'a password' >input
for umask in 000 077; do
    umask $umask
    mkdir -m 700 kept
    try darn hunt --no-explore --seconds=5 --input=input -o kept/hunt.$umask -- ./count
    expect_status 66
    try darn shrink kept/hunt.$umask/1
    expect_status 0
    try darn explore --schedules=5000 --input=input -o kept/deep/explore.$umask -- ./count abort
    expect_status 66
    umask 022
    for part in input story.txt log finding.json schedule; do
        [ -e kept/hunt.$umask/1/$part ] || fault "no $part of the hunt"
        [ -e kept/deep/explore.$umask/1/$part ] || fault "no $part of the exploration"
    done
    expect_same "$(find kept -type d ! -perm 0700 -o -type f ! -perm 0600)" ""
    rm -rf kept
done

claim "a link where a draft used to be is not followed"
ln -s "$PWD/victim" t.trace.packing
try darn record --quiet -o t.trace -- ./count
expect_status 0
expect_victim
expect_has "$(darn trace stat t.trace)" "version 4, packed"
# The shell has the process id that the program will have.
sh -c 'ln -s "$PWD/victim" "profile.$$.tmp"; DARN_OPTIONS=learn=$PWD/profile exec ./count' </dev/null
expect_victim
expect_same "$(head -1 profile)" "darn profile 1"
rm -f profile.*.tmp

claim "a report goes to no link that somebody has put where it is to be"
sh -c 'ln -s "$PWD/victim" "log.$$"; DARN_OPTIONS=log_path=$PWD/log:detect_deadlocks=1 exec ./count locks' 2>.err </dev/null
expect_victim
expect_has "$(cat .err)" "possible deadlock"

claim "locks are looked at without any file"
TMPDIR=/nonexistent try darn run --detect-deadlocks=1 -- ./count locks
expect_status 66
expect_has "$err" "possible deadlock"

# Whether there is a directory whose command lives. To look takes the lock for a moment: not of one
# that was left, which a command may be about to remove.
left=
is_used() {
    local lock
    for lock in tmp/*/.darn-lock; do
        [ "$lock" != "tmp/$left/.darn-lock" ] && { ! flock -n 9; } 9<"$lock" && return
    done 2>/dev/null
    return 1
}
is_unused() { ! is_used; }

# hold: a command that has its directory, and waits for its input until `release`.
mkfifo pipe
hold() {
    # What a shell starts in the background ignores Ctrl-C.
    TMPDIR=$PWD/tmp env --default-signal=INT darn predict -- ./count <pipe >.held 2>&1 &
    command=$!
    exec 7>pipe
    await is_used || fault "there is no directory"
}
release() {
    { wait $command; } 2>/dev/null
    status=$?
    exec 7>&-
}

claim "the directory goes also when a signal ends the command"
for signal in INT TERM HUP; do
    hold
    kill -$signal $command
    release
    expect_status $((128 + $(kill -l $signal)))
    expect_same "$(ls -A tmp)" ""
done

claim "that of a command that was killed goes with the next one; that of one that lives stays"
hold
kill -9 $command
release
await is_unused || fault "somebody still has it"
left=$(ls tmp)
[ -n "$left" ] || fault "nothing was left: this does not try anything"
hold
mine=$(ls tmp)
expect_lacks "$mine" "$left"
mkdir -m 700 tmp/darn-ABCDEF # somebody else's: it has no lock
touch tmp/darn-ABCDEF/file
TMPDIR=$PWD/tmp try darn predict -- ./count
expect_same "$(ls tmp)" "$(printf '%s\n' "$mine" darn-ABCDEF | LC_ALL=C sort)"
expect_same "$(ls tmp/darn-ABCDEF)" file
kill -TERM $command
release

claim "drafts that a killed process has left go with the next one; those in use stay"
touch .t.trace.AbCdEf.tmp .t.trace.inUse1.tmp .t.trace.mine.tmp .profile.0123abcd.tmp
exec 8<.t.trace.inUse1.tmp
flock 8
try darn record --quiet --profile=profile -o t.trace -- ./count
expect_status 0
expect_same "$(ls -A | grep '\.tmp$')" ".t.trace.inUse1.tmp
.t.trace.mine.tmp"
exec 8<&-

finish
