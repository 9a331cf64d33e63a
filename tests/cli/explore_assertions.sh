#!/bin/bash
# needs: compiler
# Assertions of darn.h in controlled runs: they are steps, and an access of another thread next to one violates it.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >asserts.c <<'EOF'
#include <darn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static const char *mode;
static atomic_int mine;

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static void *owner(void *arg)
{
    if (is("access") || is("assertions"))
        DARN_ASSERT_EXCLUSIVE_ACCESS(mine);
    else
        DARN_ASSERT_EXCLUSIVE_WRITER(mine);
    return arg;
}

static void *other(void *arg)
{
    if (is("assertions"))
        DARN_ASSERT_EXCLUSIVE_ACCESS(mine);
    else if (is("writer"))
        atomic_store(&mine, 1);
    else if (atomic_load(&mine))
        return NULL;
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    mode = argv[argc - 1];
    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
EOF

for level in -O0 -O2; do
    darn cc $level -g asserts.c -o asserts -pthread || exit 1

    claim "an access that an assertion excludes is met, atomic or not ($level)"
    try darn explore --races --schedules=100 -- ./asserts access
    expect_status 66
    expect_has "$out$err" "data race on 'mine': an assertion of exclusive access does not hold [data-race, confirmed]"
    expect_has "$out$err" "asserts that no other thread accesses it"
    try darn explore --races --schedules=100 -- ./asserts writer
    expect_status 66
    expect_has "$out$err" "data race on 'mine': an assertion of an exclusive writer does not hold [data-race, confirmed]"

    claim "a reader beside an exclusive writer is none, nor are two assertions ($level)"
    for mode in reader assertions; do
        try darn explore --races --schedules=100 -- ./asserts $mode
        expect_same "$mode $status" "$mode 0"
    done
done

finish
