#!/bin/bash
# needs: compiler
# The first run of a portfolio: threads wait wherever they can be interrupted, and what it shows counts.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >lost.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <string.h>
static int total;
static void *add(void *unused)
{
    total++;
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(argc < 2 || total == 2);
    return argc > 1 && !strcmp(argv[1], "fails");
}
EOF
darn cc -O1 -g lost.c -o lost -pthread || exit 1

claim "a lost update is found by the first run of all, with any seed, and no other run was made to learn"
for seed in 1 2 3; do
    try darn explore --jobs=1 --seed=$seed --json -o first.$seed -- ./lost assert
    expect_status 66
    expect_has "$(tail -1 .out)" '"schedules":1,"first_bug":1,'
    expect_has "$(tail -1 .out)" '"learning":0,'
    expect_has "$(head -1 .out)" '"certainty":"confirmed"'
    try darn replay --times=3 first.$seed/1
    expect_has "$out" "3 of 3"
done

claim "when it ends well it is the first schedule of the search"
try darn explore --jobs=1 --schedules=1 --json -- ./lost
expect_status 0
expect_has "$(tail -1 .out)" '"schedules":1,"first_bug":null'
expect_has "$(tail -1 .out)" '"learning":0,'

claim "another failure than the one without an interruption is a finding, though no run ends well"
try darn explore --jobs=1 --json -- ./lost fails
expect_status 66
expect_has "$(tail -1 .out)" '"first_bug":1,'
expect_has "$(head -1 .out)" '"outcomes":["assertion"]'

claim "a failure that comes without any interruption, too, is none"
cat >always.c <<'EOF'
#include <pthread.h>
static int total;
static void *add(void *unused)
{
    total++;
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 3;
}
EOF
darn cc -O1 -g always.c -o always -pthread || exit 1
try darn explore --jobs=1 --schedules=50 --json -- ./always
expect_status 0
expect_has "$err" "every run ends with the status 3: that has nothing to do with schedules"

finish
