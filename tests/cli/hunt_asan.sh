#!/bin/bash
# needs: compiler
# Programs that are built with ASan as well: what it reports is one failure for each kind and place, its leaks are no
# failure of a schedule, and it looks up no symbols while schedules are searched.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >heap.c <<'EOF2'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *block, *volatile lost;
static int freed, chosen;
__attribute__((noinline)) static void write_first(void)
{
    block[0] = 1; /* FIRST */
}
__attribute__((noinline)) static void write_second(void)
{
    block[1] = 1; /* SECOND */
}
static void *use(void *unused)
{
    int gone;
    pthread_mutex_lock(&lock);
    gone = freed;
    pthread_mutex_unlock(&lock);
    if (!gone)
        return unused;
    if (chosen)
        write_first();
    else
        write_second();
    return unused;
}
static void *drop(void *unused)
{
    pthread_mutex_lock(&lock);
    free(block);
    freed = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *choose(void *unused)
{
    pthread_mutex_lock(&lock);
    chosen = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t threads[3];
    if (getenv("SHOW")) {
        FILE *file = fopen(getenv("SHOW"), "w");
        fputs(getenv("ASAN_OPTIONS") ? getenv("ASAN_OPTIONS") : "none", file);
        fclose(file);
    }
    block = malloc(10);
    lost = malloc(77);
    lost = NULL;
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, argc > 1 ? choose : drop, NULL);
    pthread_create(&threads[2], NULL, choose, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
EOF2
darn cc -O1 -g -fsanitize=address heap.c -o heap -pthread 2>/dev/null || exit 77 # there is no ASan

claim "two errors of one kind at two places are two failures, with their kind and place"
try darn explore --jobs=1 --keep-going --schedules=200 -o two --json=two.jsonl -- ./heap
expect_status 66
for mark in FIRST SECOND; do
    line=$(grep -n "/\* $mark \*/" heap.c | cut -d: -f1)
    expect_has "$err" "heap.c:$line:14: warning: T1 runs into an error that a sanitizer reports: heap-use-after-free [failure, confirmed]"
done
expect_same "$(grep -c '"kind":"failure"' two.jsonl)" 2
expect_same "$(grep -o '"id":"[0-9a-f]*"' two.jsonl | sort -u | wc -l)" 2
expect_lacks "$err" "LeakSanitizer"

claim "while schedules are searched no symbols are looked up, and a replay shows them"
expect_has "$(cat two/1/log)" "ERROR: AddressSanitizer"
expect_lacks "$(cat two/1/log)" "heap.c:"
if command -v llvm-symbolizer llvm-symbolizer-19 >/dev/null; then
    try env ASAN_SYMBOLIZER_PATH="$(command -v llvm-symbolizer llvm-symbolizer-19 | head -1)" darn replay two/1
    expect_has "$out$err" "heap.c:"
fi
try darn replay --times=10 two/1
expect_same "$out" "10 of 10"

claim "a program that only leaks has no failure, unless the user wants it"
try darn hunt --seconds=10 -o leaks -- ./heap choose
expect_status 0
expect_lacks "$out$err" "LeakSanitizer"

claim "the user's own options count"
export ASAN_OPTIONS=symbolize=1 SHOW=options
try darn explore --jobs=1 --schedules=1 -o show -- ./heap choose
expect_has "$(cat options)" "symbolize=0:detect_leaks=0:symbolize=1"
unset ASAN_OPTIONS SHOW
finish
