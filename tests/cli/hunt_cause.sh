#!/bin/bash
# needs: compiler
# darn hunt: a failure that a proved race leads to is an outcome of it, and no second finding.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >cause.c <<'END'
#include <pthread.h>

static int value = 1, sum;
static int *where = &value;

static void *use(void *unused)
{
    sum += *where;
    return unused;
}

static void *drop(void *unused)
{
    where = NULL;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, drop, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
darn cc -g -O1 -pthread cause.c -o cause || exit 1

# With one trial for each prediction it depends on its seed whether that shows the crash or the exploration does.
for seed in 1 2 3 4; do
    claim "a crash at a place of a proved race is what the race leads to (seed $seed)"
    try darn hunt --trials=1 --seed=$seed --seconds=4 --jobs=1 -o out$seed -- ./cause
    expect_status 66
    expect_same "$(grep -c '"directory"' out$seed/index.jsonl)" 1
    expect_has "$(cat out$seed/index.jsonl)" '"kind":"data-race"'
    expect_has "$(cat out$seed/index.jsonl)" '"outcomes":["crash"]'
    expect_has "$out" "it led to crash"
    try darn replay --times=3 out$seed/1
    expect_status 66
    expect_has "$out$err" "3 of 3"
done

finish
