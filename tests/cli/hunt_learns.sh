#!/bin/bash
# needs: compiler
# darn hunt explores as darn explore does: it learns as it goes, and what it meets there comes true. The same seed gives
# the same schedules.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >deep.c <<'EOF2'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level, entered, cell;
static int look(void)
{
    int seen;
    pthread_mutex_lock(&lock);
    seen = level;
    pthread_mutex_unlock(&lock);
    return seen;
}
static void *climb(void *unused)
{
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&lock);
        level = i;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
/* Only who looks between the two steps comes to code that shares `cell`: few runs show that. */
static void *follow(void *unused)
{
    if (look() != 1)
        return unused;
    cell = cell + 1;
    pthread_mutex_lock(&lock);
    entered++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, climb, NULL);
    usleep(20000);
    for (int i = 1; i < 3; i++)
        pthread_create(&threads[i], NULL, follow, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    if (cell != entered)
        abort();
    return 0;
}
EOF2
darn cc -O1 -g deep.c -o deep -pthread || exit 1

claim "the same seed and one job give the same schedules, and the run that learns is the first of them"
fields() { grep -o '"\(schedules\|first_bug\|learning\|reads_from\|partial_orders\|steps\|longest\|armed\)":[0-9]*' | tr '\n' ' '; }
for i in 1 2 3; do
    try darn explore --jobs=1 --schedules=400 --keep-going --races --seed=3 --json -- ./deep
    expect_status 66
    tail -1 .out | fields >fields.$i
done
expect_same "$(cat fields.2)" "$(cat fields.1)"
expect_same "$(cat fields.3)" "$(cat fields.1)"
expect_has "$(cat fields.1)" '"learning":0 '

cat >turned.c <<'EOF2'
#include <pthread.h>
#include <unistd.h>
static int x;
static void *one(void *microseconds)
{
    usleep((unsigned)(long)microseconds);
    x = 1;
    return NULL;
}
static void *other(void *microseconds)
{
    usleep((unsigned)(long)microseconds);
    x = 2;
    return NULL;
}
/* Who comes first where nobody interferes is decided outside. */
int main(void)
{
    long late = access("swap", F_OK) ? 0 : 100000;
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, (void *)(1 + late));
    pthread_create(&threads[1], NULL, other, (void *)(100001 - late));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return x == 0;
}
EOF2
darn cc -O1 -g turned.c -o turned -pthread || exit 1

claim "nor do the schedules of a hunt depend on what came first in the run that was recorded"
for i in 1 2; do
    try darn hunt --jobs=1 --seed=3 --seconds=20 --no-explore --no-shrink -o "turned$i" -- ./turned
    expect_status 66
    grep -v '^time ' "turned$i/1/schedule" >"schedule.$i"
    touch swap
done
expect_same "$(cat schedule.2)" "$(cat schedule.1)"

claim "a seed may be as large as the numbers are"
try darn explore --jobs=1 --schedules=1 --seed=18446744073709551615 --json -- ./deep
expect_has "$out" '"seed":18446744073709551615,'
try darn hunt --jobs=1 --seed=18446744073709551615 --seconds=20 --no-explore --no-shrink -o large.out -- ./turned
expect_status 66

claim "what only runs of the search come to is found by a hunt as well"
try darn hunt --jobs=1 --seed=3 --seconds=40 --no-shrink -o deep.out -- ./deep
expect_status 66
expect_has "$out" "warning: data race on 'cell' [data-race, confirmed]"
expect_has "$out" "led to an abort"
expect_has "$err" "predict: 0 possible data races, "
expect_has "$err" "darn hunt: runs: 4 recorded or to learn from, "

cat >late.c <<'EOF2'
#include <pthread.h>
#include <string.h>
static int a, x;
static void set(int value)
{
    a = value;
}
static int get(void)
{
    return a;
}
static void *one(void *unused)
{
    set(1);
    set(2);
    x = 1;
    return unused;
}
/* With `hard` it takes a switch between the two writes of `a` to come to `x`. */
static void *other(void *hard)
{
    if (!hard || get() == 1)
        x = 2;
    return hard;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    void *hard = argc > 1 && strcmp(argv[1], "hard") == 0 ? argv[1] : NULL;
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, other, hard);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
EOF2
darn cc -O0 -g late.c -o late -pthread || exit 1

claim "a prediction that its own trials do not show comes true when the exploration meets it"
try darn predict --json=predicted.jsonl -- ./late easy
expect_has "$(cat predicted.jsonl)" '"variable":"x"'
try darn hunt --predicted=predicted.jsonl --no-explore --seconds=20 -o tried -- ./late hard
expect_has "$out" "possible data race on 'x' with late.c:"
expect_has "$out" "not confirmed in 20 trials"
try darn hunt --predicted=predicted.jsonl --jobs=1 --seconds=40 -o met -- ./late hard
expect_status 66
expect_has "$out" "warning: data race on 'x' [data-race, confirmed]"
expect_lacks "$out" "possible data race on 'x'"
try darn replay --times=5 met/1
expect_has "$out" "5 of 5"

cat >polls.c <<'EOF2'
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
static int x;
static void *tell(void *unused)
{
    x = 1;
    umask(0123);
    return unused;
}
/* Nobody knows of this order, and it holds unless the other one takes half a second. */
static void *poll(void *unused)
{
    for (int i = 0; i < 500 && umask(0) != 0123; i++)
        usleep(1000);
    x = 2;
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    umask(0);
    pthread_create(&threads[0], NULL, tell, NULL);
    pthread_create(&threads[1], NULL, poll, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return x == 0;
}
EOF2
darn cc -O1 -g polls.c -o polls -pthread || exit 1

claim "who gives up polling after many sleeps is waited for: in the schedule of the prediction, or when it is tried once more"
for seconds in 4 10 30; do # on a busy machine less is left for that
    try darn hunt --seconds=$seconds -o "polls$seconds" -- ./polls
    [ "$status" = 66 ] && break
done
expect_status 66
expect_has "$out" "warning: data race on 'x' [data-race, confirmed]"
expect_has "$err" "prove: 1 of 1 confirmed, "
try darn replay --times=5 "polls$seconds/1"
expect_has "$out" "5 of 5"
cat >often.c <<'EOF2'
#include <pthread.h>
#include <stdlib.h>
static int hits;
static void *work(void *unused)
{
    for (int i = 0; i < 10000; i++)
        hits++;
    return unused;
}
static void *release(void *block)
{
    free(block);
    return NULL;
}
/* With an argument a thread frees what another one uses afterwards, where nobody interferes. */
int main(int argc, char **argv)
{
    pthread_t threads[2];
    int *block = calloc(100, sizeof(*block));
    (void)argv;
    pthread_create(&threads[0], NULL, argc > 1 ? release : work, block);
    pthread_create(&threads[1], NULL, argc > 1 ? release : work, NULL);
    if (argc > 1) {
        pthread_join(threads[1], NULL);
        block[3] = 1; /* this one */
    }
    pthread_join(threads[0], NULL);
    if (argc == 1)
        pthread_join(threads[1], NULL);
    return 0;
}
EOF2
darn cc -O0 -g often.c -o often -pthread || exit 1

claim "an inner loop is looked at again when it is another thread's turn, and so is what is used behind its end"
try darn explore --jobs=1 --races --schedules=20 --seed=3 -- ./often
expect_status 66
expect_has "$err" "data race on 'hits' [data-race, confirmed]"
try darn explore --jobs=1 --races --schedules=20 --seed=3 -- ./often free
expect_status 66
expect_has "$err" "often.c:$(grep -n 'this one' often.c | cut -d: -f1):"
expect_has "$err" "[data-race, confirmed]"

finish
