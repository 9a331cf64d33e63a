#!/bin/bash
# needs: compiler
# An output belongs to one command at a time: the second one is refused, until the first one ends,
# however it does.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >sum.c <<'EOS'
#include <pthread.h>
static int sum;
static void *add(void *unused)
{
    sum = sum + 1;
    return unused;
}
int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, add, 0);
    add(0);
    pthread_join(other, 0);
    return 0;
}
EOS
darn cc -O1 -g sum.c -o sum -pthread || exit 1
darn sections infer -o some.sections ./sum || exit 1
mkfifo input

# hold COMMAND...: it waits for the end of its input, which does not come before `release`.
hold() {
    darn "$@" <input >.held 2>&1 &
    command=$!
    exec 7>input
}
release() {
    exec 7>&-
    wait $command
    status=$?
}
# Whether somebody has the lock of a file or directory.
is_locked() { { ! flock -n 9; } 9<"$1"; } 2>/dev/null
used() { echo "darn $1: $2 is being written by another darn; wait for its end, or name another one"; }

claim "two records into one file: the second one is refused, and the first one is not disturbed"
hold record -o t.trace -- ./sum
await is_locked .t.trace.lock || fault "the file is not locked"
try darn record -o t.trace -- ./sum
expect_refused "$(used record t.trace)"
try darn predict -o t.trace -- ./sum
expect_refused "$(used predict t.trace)"
try darn record --quiet -o other.trace -- ./sum
expect_status 0
release
expect_status 0
expect_has "$(darn trace stat t.trace)" "complete  yes"
expect_same "$(ls -A | grep '\.lock$')" ""

claim "two hunts in one directory, also if one was there before"
hold hunt --seconds=5 --no-explore -o out -- ./sum
await is_locked out || fault "the directory is not locked"
try darn hunt -o out -- ./sum
expect_refused "$(used hunt out)"
try darn hunt -o out/ -- ./sum
expect_refused "$(used hunt out)"
try darn explore -o out -- ./sum
expect_refused "$(used explore out)"
release
[ -e out/1/schedule ] || fault "the hunt has found nothing: $(cat .held)"

claim "others that write there are refused as well"
for line in "hunt -o out" "explore -o out -- ./sum" "heal --verify -o out --sections=some.sections -- ./sum" "shrink out/1"; do
    directory=$(grep -o 'out[^ ]*' <<<"$line")
    try flock "$directory" darn $line
    [ "${line%% *}" = shrink ] && directory=$PWD/$directory
    expect_refused "$(used "${line%% *}" "$directory")"
done
hold sections refine --runs=2 some.sections -- ./sum
await is_locked .some.sections.lock || fault "the file is not locked"
try darn sections refine some.sections -- ./sum
expect_refused "$(used "sections refine" some.sections)"
release

claim "a command that was killed has no lock any more"
hold record -o t.trace -- ./sum
await is_locked .t.trace.lock || fault "the file is not locked"
{ kill -9 $command; release; } 2>/dev/null
try darn record --quiet -o t.trace -- ./sum
expect_status 0
expect_same "$(ls -A | grep '\.lock$')" ""
hold hunt -o out -- ./sum
await is_locked out || fault "the directory is not locked"
{ kill -9 $command; release; } 2>/dev/null
try darn hunt --seconds=5 --no-explore -o out -- ./sum
expect_status 66

finish
