#!/bin/bash
# needs: compiler
# What a run with findings prints, writes and returns, for each option that changes it. The program
# races in every run: both threads write the counter again and again until each has seen the other
# do so, and the noise holds a window open meanwhile.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

mkdir -p src
cat >src/race.c <<'EOF'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static long counter, quiet;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void add(void)
{
    counter += 1;
}
static void *work(void *arg)
{
    pthread_setname_np(pthread_self(), "worker");
    for (int i = 0; i < 300; i++) {
        add();
        usleep(100);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    for (int i = 0; i < 300; i++) {
        pthread_mutex_lock(&lock);
        add();
        pthread_mutex_unlock(&lock);
        usleep(100);
    }
    pthread_join(thread, NULL);
    quiet++;
    if (argc > 1 && strcmp(argv[1], "abort") == 0)
        abort();
    return argc > 1 ? atoi(argv[1]) : 0;
}
EOF
darn cc -O1 -g src/race.c -o race -pthread || exit 1
noise=--noise=site:race.c:10:1000/300
run() { try darn run "$noise" "$@"; }

claim "a finding makes the exit status 66, is printed like a compiler's, and ends with SUMMARY"
run -- ./race
expect_status 66
expect_same "$out" ""
expect_has "$err" "src/race.c:10:13: warning: data race on 'counter' [data-race]"
expect_has "$err" "   10 |     counter += 1;"
expect_has "$err" "worker"
expect_has "$err" "holding mutex 'lock'"
expect_has "$err" "'counter' is a global variable"
expect_has "$err" "suppress: race:add"
expect_has "$(tail -1 .err)" "SUMMARY: darn: 1 data race"
expect_lacks "$err" $'\e['

claim "without darn run it is the same"
try env DARN_OPTIONS="noise='site:race.c:10:1000/300'" ./race
expect_status 66
expect_has "$err" "warning: data race on 'counter'"

claim "the program's own failure wins over 66, and a death stays a death"
run -- ./race 7
expect_status 7
run -- ./race abort
expect_status 134
expect_has "$(grep SUMMARY .err)" "SUMMARY: darn: 1 data race"

claim "exitcode, color and strip_path_prefix"
run --exitcode=0 -- ./race
expect_status 0
run --exitcode=5 --color=always --strip-path-prefix=src/ -- ./race
expect_status 5
expect_has "$err" $'\e['
try darn run "$noise" --strip-path-prefix=src/ -- ./race
expect_has "$err" "race.c:10:13: "
expect_lacks "$err" "src/race.c:10"

claim "json has the fields that tools rely on, and counts"
run --json=out.jsonl -- ./race
expect_same "$(wc -l <out.jsonl)" 1
line=$(cat out.jsonl)
for field in '"id":"' '"kind":"data-race"' '"certainty":"observed"' '"variable":"counter"' '"count":' \
    '"accesses":[{"op":"write"' '"thread":"T' '"line":10' '"column":13' '"function":"add"' '"stack":[' \
    '"locks":[' '"engine":"atomrace"'; do
    expect_has "$line" "$field"
done
id=${line#*\"id\":\"}
run --json=again.jsonl -- ./race
expect_has "$(cat again.jsonl)" "\"id\":\"${id%%\"*}\""

claim "a source file whose name is not UTF-8 is in the JSON all the same"
cp src/race.c $'r\xe4ce.c'
darn cc -O1 -g $'r\xe4ce.c' -o odd -pthread || fault "cannot compile"
try darn run --noise=var:counter:1000/300 --json=odd.jsonl -- ./odd
expect_status 66
expect_same "$(wc -l <odd.jsonl)" 1

claim "what was found before can be aimed at"
try darn run --noise-from=out.jsonl -- ./race
expect_status 66

claim "log_path takes the report away from stderr"
run --log-path=log -- ./race
expect_status 66
expect_same "$err" ""
expect_has "$(cat log.*)" "warning: data race on 'counter'"

claim "halt_on_error ends the program at the first finding"
run --halt-on-error -- ./race 7
expect_status 66

claim "a TSan suppression file works unchanged, and what is suppressed does not count"
printf '# known\nrace:^add$\nthread:leak\ncalled_from_lib:libz.so\n' >supp
run --suppressions=supp -- ./race
expect_status 0
expect_lacks "$err" "warning"
try env DARN_OPTIONS="noise='site:race.c:10:1000/300':suppressions=supp" ./race
expect_status 0

claim "verbosity=1 shows the counters, and help=1 the options"
run --verbosity=1 -- ./race
expect_has "$err" "windows opened"
try env DARN_OPTIONS=help=1 ./race
expect_has "$err" "suppressions="

claim "wrong options in DARN_OPTIONS: one line, status 2, and the program does not run"
try env DARN_OPTIONS=budget=101 ./race 7
expect_status 2
expect_same "$(wc -l <.err)" 1
try env DARN_OPTIONS=suppressions=missing ./race 7
expect_status 2
expect_same "$(wc -l <.err)" 1

claim "without the darn command the runtime reports by itself, in short"
mkdir -p elsewhere/bin elsewhere/lib
cp -r "$bin/../lib/darn" elsewhere/lib/
cp "$bin/darn" elsewhere/bin/
elsewhere/bin/darn cc -O1 -g src/race.c -o alone -pthread || fault "cannot compile"
rm -r elsewhere
try env PATH=/usr/bin:/bin DARN_OPTIONS="noise='site:race.c:10:1000/300'" ./alone
expect_status 66
expect_has "$err" "src/race.c:10:13: warning: data race on 'counter' [data-race]"
expect_has "$(tail -1 .err)" "SUMMARY: darn: 1 data race"
# One variable, which one thread writes and reads and the other writes: two pairs of places.
cat >src/pairs.c <<'EOF'
#include <pthread.h>
#include <unistd.h>
static long total, seen;
static void *work(void *arg)
{
    for (int i = 0; i < 300; i++) {
        total = i;
        usleep(100);
        seen += total & 1;
        usleep(100);
    }
    return arg;
}
static void *look(void *arg)
{
    for (int i = 0; i < 600; i++) {
        total = i + 1;
        usleep(100);
    }
    return arg;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return seen < 0;
}
EOF
darn cc -O1 -g src/pairs.c -o pairs -pthread || exit 1
cat >src/criticals.c <<'EOF'
#include <omp.h>
int total;
int main(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num()) {
#pragma omp critical(one)
        total++;
    } else {
#pragma omp critical(other)
        total++;
    }
    return total < 1;
}
EOF
darn cc -O1 -g -fopenmp src/criticals.c -o criticals || exit 1
noise=--noise=var:total:1000/300

claim "what has the same cause is one report, and a line for each variant; JSON has them all"
run --json=pairs.jsonl -- ./pairs
expect_status 66
expect_same "$(grep -c ' warning: data race' <<<"$err")" 1
expect_same "$(grep -c '^darn: data race with the same cause: src/pairs.c:' <<<"$err")" 1
expect_has "$err" "SUMMARY: darn: 1 data race (src/pairs.c:"
expect_has "$err" "; 1 variant"
expect_same "$(grep -c '"kind":"data-race"' pairs.jsonl)" 2
first=$(sed -n '1s/.*{"id":"\([0-9a-f]*\)".*/\1/p' pairs.jsonl)
expect_same "$(sed -n '2s/.*"variant_of":"\([0-9a-f]*\)".*/\1/p' pairs.jsonl)" "$first"

claim "a critical section of OpenMP is a lock that is held"
try darn run -- ./criticals
expect_status 66
expect_has "$err" "holding mutex '.gomp_critical_user_one.var'"
expect_has "$err" "holding mutex '.gomp_critical_user_other.var'"
expect_lacks "$err" "holding no lock"

claim "--all reports each of them at length"
run --all -- ./pairs
expect_same "$(grep -c ' warning: data race' <<<"$err")" 2
expect_lacks "$err" "variant"

# Like CMake: sources by their whole path, in another directory.
build_elsewhere() {
    mkdir -p "$1/inc" "$1/src" "$1/build" && sed -n '1,11p' src/race.c >"$1/inc/race.h" &&
        { echo '#include "race.h"' && sed -n '12,$p' src/race.c; } >"$1/src/race.c" &&
        (cd "$1/build" && darn cc -O1 -g "-I$1/inc" -c "$1/src/race.c" -o race.o &&
            darn cc race.o -o race -pthread)
}
mkdir one two
here=$PWD/one
build_elsewhere "$here" && build_elsewhere "$PWD/two" || exit 1
noise=--noise=site:race.h:10:1000/300

claim "a file that the compiler was given by its whole path has that name everywhere"
run --json=one.jsonl -- one/build/race
expect_has "$err" "$here/inc/race.h:10:13: warning: data race on 'counter' [data-race]"
expect_has "$err" "   10 |     counter += 1;"
expect_has "$err" "    #0 add   $here/inc/race.h:10:13"
expect_has "$err" "    #1 main  $here/src/race.c:"
expect_has "$err" "SUMMARY: darn: 1 data race ($here/inc/race.h:10 add 'counter')"
expect_same "$(grep -o '[^ (]*race\.[ch]' <<<"$err" | grep -v "^$here/")" ""

claim "that is so below the directory that the compiler runs in, too"
(cd one && darn cc -O1 -g "-I$here/inc" "$here/src/race.c" -o below -pthread) || fault "darn cc failed"
run --json=below.jsonl -- one/below
expect_has "$err" "    #1 main  $here/src/race.c:"
expect_same "$(grep -o '[^ (]*race\.[ch]' <<<"$err" | grep -v "^$here/")" ""

claim "that name is one to aim at"
try darn predict --runs=1 -- one/build/race
expect_has "$err$out" "site:$here/inc/race.h:10:"
noise=--noise=site:$here/inc/race.h:10:1000/300
run -- one/build/race
expect_has "$err" "$here/inc/race.h:10:13: warning: data race on 'counter' [data-race]"

claim "debug information in a file beside the program is read"
(cd one/build && cp race apart && objcopy --only-keep-debug apart apart.debug && strip -g apart &&
    objcopy --add-gnu-debuglink=apart.debug apart) || fault "objcopy failed"
run -- one/build/apart
expect_has "$err" "    #1 main  $here/src/race.c:"

claim "where the sources are makes no other finding of it"
run --json=two.jsonl -- two/build/race
expect_same "$(sed 's/.*{"id":"\([0-9a-f]*\)".*/\1/' two.jsonl)" \
    "$(sed 's/.*{"id":"\([0-9a-f]*\)".*/\1/' one.jsonl)"
finish
