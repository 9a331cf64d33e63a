#!/bin/bash
# needs: compiler
# What a hunt says of its runs, so that nobody takes "nothing found" for more than it is.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH
expect_line() { grep -qE -- "$1" <<<"$err" || fault "no line '$1' in: $err"; }

cat >spoiled.c <<'EOF2'
#include <pthread.h>
#include <stdio.h>
static int cell;
static void *count(void *unused)
{
    cell = cell + 1;
    return unused;
}
/* Each run leaves something behind; from the tenth on they give up. */
int main(void)
{
    pthread_t threads[2];
    FILE *file = fopen("left", "a");
    if (!file || fputc('x', file) == EOF || ftell(file) >= 10)
        return 3;
    fclose(file);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
EOF2
darn cc -O1 -g spoiled.c -o spoiled -pthread || exit 1

claim "when most runs end otherwise than the one that was recorded, a hunt says how many and how"
try timeout 120 darn hunt --jobs=1 --seconds=20 --no-explore --trials=40 -o spoiled.out -- ./spoiled
expect_line "note: [0-9]+ of [0-9]+ runs ended with status 3, the recorded one with 0: they may not have come to what is predicted"
expect_has "$err" "--reset=COMMAND tidies up before each"

claim "what tidies up before each run ends that, and then nothing is said"
rm -f left
try timeout 120 darn hunt --jobs=1 --seconds=20 --no-explore --reset='rm -f left' -o tidy.out -- ./spoiled
expect_status 66
expect_lacks "$err" "ended with status"
expect_lacks "$err" "runs are long"

claim "one run learns, one is recorded, one learns under control: none that would learn the same is made"
expect_has "$err" "runs: 3 recorded or to learn from, "

cat >long.c <<'EOF2'
#include <pthread.h>
static int cell;
static volatile unsigned work;
static void *count(void *unused)
{
    cell = cell + 1;
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (unsigned i = 0; i < 100000000; i++)
        work = i;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
EOF2
darn cc -O1 -g long.c -o long -pthread || exit 1

claim "where few runs fit into the time, a hunt says how long one is"
try timeout 120 darn hunt --seconds=5 --no-explore --no-shrink -o long.out -- ./long
expect_line "note: runs are long, [0-9.]+ s each: with a smaller input, or --seconds=50, more of them are made"

cat >waits.c <<'EOF2'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, done;
static void *tell(void *unused)
{
    pthread_mutex_lock(&lock);
    if (waiting) { /* or else nobody is told */
        done = 1;
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, tell, NULL);
    pthread_mutex_lock(&lock);
    waiting = 1;
    while (!done) {
        struct timespec time;
        clock_gettime(CLOCK_REALTIME, &time);
        time.tv_sec++;
        pthread_cond_timedwait(&changed, &lock, &time); /* here */
    }
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
EOF2
darn cc -O1 -g waits.c -o waits -pthread || exit 1
line=$(grep -n '/\* here \*/' waits.c | cut -d: -f1)

claim "of runs that are cut off while their threads only wait until the time is over, again and again, that is said, and where"
try timeout 120 darn explore --jobs=1 --schedules=50 --max-steps=3000 -- ./waits
expect_line "note: [0-9]+ runs? w[a-z]+ cut off after 3000 steps"
expect_line "note: at the end of [0-9]+ of them threads did nothing but wait, each time until the time was over, T0 at waits.c:$line: what they wait for may never come"

finish
