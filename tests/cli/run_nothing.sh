#!/bin/bash
# needs: compiler
# The last line of a run in which nothing was found: what was looked at, and by whom it is said.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH
expect_match() { [[ $1 =~ $2 ]] || fault "'$2' does not match: $1"; }

cat >count.c <<'E'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;
static void *work(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    if (argc > 1 && argv[1][0] == 'a')
        return 0;
    if (argc > 1 && argv[1][0] == 'f' && fork() == 0)
        count = 1;
    else if (argc > 1 && argv[1][0] == 'e')
        execl(argv[0], argv[0], (char *)0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    while (wait(NULL) > 0)
        ;
    return 0;
}
E
darn cc -O1 -g count.c -o count -pthread || exit 1
line="darn: nothing found in count"
seen='3 threads, [1-9],[0-9][0-9][0-9] accesses seen, in [1-9][0-9]* % of the time'

claim "a run without findings ends with one line: threads, accesses, share of the time"
try darn run -- ./count
expect_status 0
expect_same "$out" ""
expect_match "$err" "^$line: $seen\$"
expect_same "$(grep -c . <<<"$err")" 1

claim "every access is seen with budget=max"
try darn run --budget=max -- ./count
expect_match "$err" "^$line: 3 threads, [1-9],[0-9]* accesses seen, in 100 % of the time\$"

claim "where nothing could be found, the line says why"
try darn run -- ./count alone
expect_same "$err" "$line: it had one thread"
try darn run --report=observed -- ./count
expect_match "$err" "time; races that were not caught in the act were not asked for\$"
gcc count.c -o plain -pthread
try darn run --preload -- ./plain
expect_same "$err" \
    "darn: nothing found in plain: 3 threads; its data races cannot be seen: it was not compiled by darn"
try bash -c 'ulimit -v 400000; exec darn run -- ./count'
expect_match "$err" "time; for want of memory only races at the same moment were looked for\$"

claim "the function of a thread, or main, that darn has not compiled hides races, and the line says so"
sed 's/int main/int compiled/' count.c >rest.c
cat >main.c <<'E'
int compiled(int argc, char **argv);
int main(int argc, char **argv) { return compiled(argc, argv); }
E
gcc -c main.c && darn cc -g rest.c main.o -o outside -pthread || exit 1
try darn run -- ./outside
expect_status 0
expect_match "$err" "time; what darn did not compile hides races: 1 thread began there\$"

claim "with a budget of nothing, nothing is watched"
try darn run --budget=0 -- ./count
expect_status 0
expect_match "$err" ": [0-9]* threads; its accesses were not watched\$"

claim "a program that nobody has run with darn run is silent"
try ./count
expect_same "$err" ""
try env DARN_OPTIONS=budget=max ./count
expect_same "$err" ""

claim "of several processes, the one that darn run became says it, and for itself alone"
try darn run -- ./count fork
expect_match "$err" "^$line, its children aside: $seen\$"
expect_same "$(grep -c . <<<"$err")" 1
try darn run --any -- sh -c './count; ./count; true'
expect_same "$err" ""
try darn run --any -- sh -c './count; exec ./count'
expect_same "$(grep -c . <<<"$err")" 1

claim "what exec puts in the place of the program says it"
try darn run -- ./count exec
expect_match "$err" "^$line: $seen\$"
expect_same "$(grep -c . <<<"$err")" 1

claim "the line goes where reports go"
try darn run --log-path=log -- ./count
expect_same "$err" ""
expect_match "$(cat log.*)" "^$line: "

finish
