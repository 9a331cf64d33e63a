#!/bin/bash
# needs: compiler
# darn fix: candidates are made from the source, built in a copy, and shown only when they are proved.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

mkdir race dead
cat >race/count.h <<'EOF2'
void add(long amount);
long total(void);
EOF2
cat >race/count.c <<'EOF2'
#include "count.h"

static long sum;

void add(long amount)
{
    long old = sum;

    if (amount == 0)
        return;
    sum = old + amount;
}

long total(void)
{
    return sum;
}
EOF2
cat >race/main.c <<'EOF2'
#include <pthread.h>
#include <stdio.h>
#include "count.h"

static void *work(void *none)
{
    for (int i = 0; i < 3; i++)
        add(1);
    return none;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%ld\n", total());
    return 0;
}
EOF2
# A build by absolute paths, as CMake makes them.
cat >race/build.mk <<EOF2
D = $PWD/race
\$(D)/count: \$(D)/count.o \$(D)/main.o
	darn cc -o \$@ \$^ -pthread
\$(D)/%.o: \$(D)/%.c \$(D)/count.h
	darn cc -g -O1 -c \$< -o \$@
EOF2
cat >dead/dead.c <<'EOF2'
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *none)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return none;
}

static void *two(void *none)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return none;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, one, NULL);
    pthread_create(&t2, NULL, two, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
EOF2
# Two bugs: that `a` becomes atomic mends the race, and the assertion fails still.
mkdir "two bugs"
sed 's/$/\r/' >"two bugs/re order.c" <<'EOF2'
#include <assert.h>
#include <pthread.h>

static volatile int a, b;

static void *set(void *none)
{
	a = 1;
	b = -1;
	return none;
}

static void *check(void *none)
{
	int seen_a = a, seen_b = b;

	assert((seen_a == 0 && seen_b == 0) || (seen_a == 1 && seen_b == -1));
	return none;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, set, NULL);
	pthread_create(&t2, NULL, set, NULL);
	pthread_create(&t3, NULL, check, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return 0;
}
EOF2
# A race that nobody sees in what it prints.
mkdir quiet
cat >quiet/quiet.c <<'EOF2'
#include <pthread.h>
#include <stdio.h>

static long hits;

static void *hit(void *none)
{
    hits = hits + 1;
    return none;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, hit, NULL);
    pthread_create(&two, NULL, hit, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("done\n");
    return 0;
}
EOF2
make -s -C race -f build.mk || fault "the program is not built"
(cd "two bugs" && darn cc -g -O1 "re order.c" -o "re order" -pthread) || fault "the program is not built"
(cd dead && darn cc -g -O1 -DUNUSED='"a b"' dead.c -o dead -pthread) || fault "the program is not built"

hunt() { try darn hunt --seconds=30 --no-explore "$@"; }
try darn hunt --seconds=4 -o two.out -- "two bugs/re order"
expect_status 66
hunt --oracle='[ "$(cat)" = 6 ]' -o race.out -- race/count
expect_status 66
hunt -o dead.out -- dead/dead
expect_status 66
(cd quiet && darn cc -g -O1 quiet.c -o quiet -pthread) || fault "the program is not built"
hunt -o quiet.out -- quiet/quiet
expect_status 66

claim "wrong use is refused in one line"
try darn fix
expect_refused "darn fix: one directory is needed; usage: darn fix [options] DIRECTORY"
try darn fix missing
expect_refused "darn fix: missing is not the directory of a finding that darn hunt has confirmed, as out/1"
cp race/count count.whole
objcopy --remove-section=.darn.link race/count
try darn fix race.out/1
cp count.whole race/count
expect_refused "darn fix: how is $PWD/race/count built? --build='make' says the command, which is run in a copy of $PWD/race"
try darn fix --build=false race.out/1
expect_refused "darn fix: the program cannot be built as it is, by: false"
try darn fix --tree=/ race.out/1
expect_refused "darn fix: / is not copied: name the tree of the sources with --tree=DIR"
try darn fix --build=true race.out/1
expect_refused "darn fix: $PWD/race/count is not built by: true; --build='make' says the command, which is run in a copy of $PWD/race"

claim "a deadlock gets the other order, built as it was, and nothing is written"
cp dead/dead.c dead.c.before
try darn fix --seconds=1 --json=fix.json dead.out/1
expect_status 0
expect_has "$out" "fix: take the two locks in the other order
--- a/dead.c
+++ b/dead.c
"
expect_has "$out" "proof: it builds; the hunt that finds the bug without it finds neither the bug nor a new one, and no schedule fails in "
expect_has "$out" "; the schedule of the finding ends well ("
expect_has "$err" "candidates tried:"
expect_has "$(cat fix.json)" '{"fix":{"finding":"'
expect_has "$(cat fix.json)" '"followed":true'
cmp -s dead/dead.c dead.c.before || fault "the source was changed"

claim "a patch that is shown is one that applies, and the program with it has no deadlock"
if command -v patch >/dev/null; then
    mkdir patched && cp dead/dead.c patched/
    echo "$out" | sed -n '/^--- a/,/^proof/p' | sed '/^proof/d' >dead.patch
    (cd patched && patch -p1 <../dead.patch >/dev/null) || fault "patch refuses it"
    (cd patched && darn cc -g -O1 dead.c -o dead -pthread)
    try darn explore --schedules=300 --jobs=1 -- patched/dead
    expect_status 0
fi

claim "a lost update is mended in a build by make with absolute paths, tested, and applied when asked to"
cp race/count.o count.o.before
try darn fix --seconds=1 --build='make -f build.mk' --test='[ "$(./count 2>/dev/null)" = 6 ]' --apply race.out/1
expect_status 0
expect_has "$out" "+++ b/count.c"
expect_has "$out" "; the tests pass"
expect_has "$out" "applied: the sources in $PWD/race were changed"
cmp -s race/count.o count.o.before || fault "the tree was built in"
make -s -C race -f build.mk || fault "it does not compile"
try darn explore --schedules=300 --jobs=1 --oracle='[ "$(cat)" = 6 ]' -- race/count
expect_status 0

claim "free runs with the fix print what they printed, and what it costs is measured"
try darn fix --seconds=1 quiet.out/1
expect_status 0
expect_has "$out" "; free runs print what they printed; processor time of a run: "
expect_has "$out" " ms without it)"

claim "a patch after which the program still fails is not shown; lines end as they did"
number=$(sed -n 's/.*"variable":"a".*"directory":"\([0-9]*\)".*/\1/p' two.out/index.jsonl | head -1)
try darn fix --seconds=1 --limit=30 --apply "two.out/$number"
expect_lacks "$out" "fix: make 'a' atomic
"
expect_same "$(grep -cv "$(printf '\r$')" "two bugs/re order.c")" 0
if [ "$status" -eq 0 ]; then
    (cd "two bugs" && darn cc -g -O1 "re order.c" -o "re order" -pthread) || fault "it does not compile"
    try darn explore --schedules=300 --jobs=1 -- "two bugs/re order"
    expect_status 0
fi

claim "a fix that fails the tests is none"
cp race/count.c applied.c
try darn fix --seconds=1 --test=false dead.out/1
expect_status 1
expect_same "$out" ""
expect_has "$err" "no fix: take the two locks in the other order (2 lines): the tests fail: status 1"

claim "without mount namespaces the copy is built where it is, and that is said"
mkdir path
printf '#!/bin/sh\nexit 1\n' >path/unshare
chmod +x path/unshare
PATH=$PWD/path:$PATH try darn fix --seconds=1 dead.out/1
expect_status 0
expect_has "$err" "warning: no mount namespace can be made here"
expect_has "$out" "fix: take the two locks in the other order"
cmp -s dead/dead.c dead.c.before || fault "the source was changed"

claim "nothing is left behind"
mkdir temporary
TMPDIR=$PWD/temporary try darn fix --seconds=1 dead.out/1
expect_status 0
expect_same "$(ls temporary)" ""
TMPDIR=$PWD/temporary try darn fix --tree="$PWD" --build=true dead.out/1
expect_refused "darn fix: $PWD has the temporary files: name a directory of your sources alone with --tree=DIR, or set TMPDIR"
expect_same "$(ls temporary)" ""
finish
