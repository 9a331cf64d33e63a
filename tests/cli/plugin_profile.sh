#!/bin/bash
# needs: compiler
# With a profile, only accesses that a training run has seen to be shared have sites; so do all atomic ones.
. "$(dirname "$0")/plugin.bash"

cat >part.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static long shared, of_main;
static atomic_long counted;
static void *add(void *argument)
{
    long *own = argument;
    for (int i = 0; i < 1000; i++) {
        own[i % 8] += i;
        shared++;
        atomic_fetch_add_explicit(&counted, 1, memory_order_relaxed);
    }
    return NULL;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, calloc(8, sizeof(long)));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    of_main += counted;
    return of_main == 0;
}
END

# All variables that have sites, and how many are reads that a write covers.
variables() {
    sites "$1" | awk '{ print $5 }' | LC_ALL=C sort -u | xargs
}
covered_reads() { "$bin/../tests/tools/sites" "$1" | grep -c 'read .*extra.* shared$'; }

for level in $levels; do
    claim "$level: only what was shared has sites"
    rm -f profile
    build "$bin/darn-cc" $level part.c -o all -pthread
    expect_same "$(variables all)" "counted of_main own[] shared threads[]"
    build "$bin/darn" record --quiet --profile=profile -o all.trace ./all
    build "$bin/darn-cc" $level --profile=profile part.c -o trained -pthread
    expect_same "$(variables trained)" "counted shared"

    claim "$level: the read that a write covers stays with it, for controlled runs"
    expect_same "$(covered_reads trained)" "$(covered_reads all)"

    claim "$level: the race is found in the program that was built so"
    try "$bin/darn" run -- ./trained
    expect_status 66
    expect_has "$err" "data race on 'shared'"

    claim "$level: a profile in which nothing is shared leaves what orders"
    echo "darn profile 1" >nothing
    DARN_PROFILE=nothing build "$bin/darn-cc" $level part.c -o bare -pthread
    expect_same "$(variables bare)" "counted"
done

finish
