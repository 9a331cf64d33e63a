#!/bin/bash
# needs: compiler
# darn shrink: fewer switches, the same bug, and the first schedule kept.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# Two threads that each make many steps; one preemption between the two lines of `add` is enough.
cat >counter.c <<'EOF2'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *add(void *unused)
{
    int seen;
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&other);
        pthread_mutex_unlock(&other);
    }
    pthread_mutex_lock(&lock);
    seen = counter;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    counter = seen + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (counter != 2)
        abort();
    return 0;
}
EOF2
darn cc -O1 -g counter.c -o counter -pthread || exit 1
# A random walk interrupts far more often than needed.
darn explore --strategy=random --schedules=5000 --jobs=1 -o out -- ./counter >explore.txt 2>&1
[ -f out/1/schedule ] || { cat explore.txt; exit 1; }
cp out/1/schedule before

claim "the bug needs one preemption, and that is what is left"
try darn shrink out/1
expect_status 0
[[ $out =~ ^([0-9]+)" context switches, "([0-9]+)" of them preemptions -> "([0-9]+)", 1 of them a preemption ("[0-9]+" runs)"$ ]] ||
    fault "it says: $out"
[ "${BASH_REMATCH[1]}" -gt "${BASH_REMATCH[3]}" ] || fault "not fewer switches: $out"
[ "${BASH_REMATCH[3]}" -le 4 ] || fault "more than 4 switches are left: $out"
expect_same "$err" ""
cmp -s before out/1/schedule.full || fault "the first schedule was not kept"
cmp -s before out/1/schedule && fault "the schedule is as before"
expect_has "$(cat out/1/story.txt)" "counter.c:"

claim "what is left replays"
try darn replay --times=50 out/1
expect_status 66
expect_same "$out" "50 of 50"

claim "the switch without which the run ends well is named, and it does"
story=$(cat out/1/story.txt)
[[ $story =~ "why: the run ends well if T"[12]" is not interrupted before: lock lock" ]] || fault "$story"
try darn replay --otherwise out/1
expect_status 0
expect_has "$err" " decisions: ok"
cp -r out/1 unknown
sed -i '/^essential/d' unknown/schedule
try darn replay --otherwise unknown
expect_status 2
expect_has "$err" "no switch is known without which the run ends well"

claim "to shrink again changes nothing, and the first schedule stays the first"
cp out/1/schedule once
try darn shrink out/1
expect_status 0
expect_has "$out" "1 of them a preemption -> "
cmp -s before out/1/schedule.full || fault "the first schedule was replaced"

claim "when the time is over, what was found so far is kept and works"
cp before out/1/schedule
try darn shrink --seconds=0.001 out/1
expect_status 0
expect_has "$out" "the time was over"
try darn replay out/1
expect_status 66

claim "a schedule that does not show it is left alone"
sed 's/ lock@/ unlock@/' before >out/1/schedule
cp out/1/schedule wrong
try darn shrink out/1
expect_status 1
expect_has "$err" "darn shrink: the schedule does not show it any more; darn replay says why"
cmp -s wrong out/1/schedule || fault "it was changed"

# A lost update in a long run, with sleeping in between; and one whose other order is harmless.
cat >purse.c <<'EOF2'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static long balance;
static void *work(void *coins)
{
    for (int i = 0; i < 100; i++) {
        for (long j = 0; j < (long)coins; j++)
            balance += 1;
        usleep(100);
    }
    return NULL;
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)20);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", balance);
    return 0;
}
EOF2
cat >order.c <<'EOF2'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int is_ready, other;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *setter(void *unused)
{
    is_ready = 1;
    return unused;
}
static void *user(void *unused)
{
    usleep(100000); /* not under control: runs that are recorded end well */
    if (!is_ready)
        abort();
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, setter, NULL);
    pthread_create(&threads[1], NULL, user, NULL);
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&lock);
        other++;
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
EOF2
darn cc -O1 -g purse.c -o purse -pthread && darn cc -O1 -g order.c -o order -pthread || exit 1

# What darn hunt proves first, without shrinking: the number of the data race in directory $1.
hunt_race() {
    darn hunt --no-shrink --no-explore --jobs=1 --seconds=60 -o "$1" -- "./$1.prog" >hunt.txt 2>&1
    number=$(sed -n 's/.*"kind":"data-race".*"directory":"\([0-9]*\)".*/\1/p' "$1/index.jsonl" | head -1)
    [ "$number" ] || fault "no race was proved: $(cat hunt.txt)"
}

claim "the schedule of a race ends where the threads meet, after one preemption"
mv purse purse.prog
hunt_race purse
try darn shrink "purse/$number"
expect_status 0
expect_has "$out" ", 1 of them a preemption ("
[ "$(grep -c '^T' "purse/$number/schedule")" -le 4 ] || fault "$(cat "purse/$number/schedule")"
story=$(cat "purse/$number/story.txt")
[ "$(wc -l <<<"$story")" -le 12 ] || fault "the story is long: $story"
expect_has "$story" "data race: at the same time"
expect_has "$(tail -n 1 <<<"$story")" " steps later: the program ends with status 0: printed something else"
expect_has "$story" " work"
try darn replay --times=20 "purse/$number"
expect_same "$out" "20 of 20"

claim "a schedule that is cut still leads to what the order of the two accesses decides"
mv order order.prog
hunt_race order
expect_has "$(cat "order/$number/schedule")" "ending abort"
try darn shrink "order/$number"
expect_status 0
expect_has "$(cat "order/$number/schedule")" "ending abort"
[ "$(grep -c '^T' "order/$number/schedule")" -le 8 ] || fault "$(cat "order/$number/schedule")"
try darn replay --times=20 "order/$number"
expect_same "$out" "20 of 20"
expect_has "$(tail -n 1 "order/$number/story.txt")" "aborts in user: SIGABRT"

claim "on a terminal a line tells what is under way, and goes; in a file there is none"
grep -q 'run 1 of the program' hunt.txt && fault "$(cat hunt.txt)"
script -qec "darn hunt --no-explore --jobs=1 --seconds=60 -o terminal -- ./counter" screen >/dev/null
expect_has "$(cat screen)" $'\r\033[Kdarn hunt: run 1 of the program, to learn\r\033[K'

claim "what is no finding is refused"
try darn shrink
expect_refused "darn shrink: one directory is needed; usage: darn shrink [options] DIRECTORY"
try darn shrink before
expect_refused "darn shrink: before is not the directory of a finding"
try darn shrink --seconds=soon out/1
expect_refused "darn shrink: --seconds=soon: a number of seconds is needed, such as 60 or 0.5"
finish
