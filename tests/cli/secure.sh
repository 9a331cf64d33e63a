#!/bin/bash
# needs: compiler
# What the runtime believes, starts and writes inside a program: nothing that its caller could use
# against it, and nothing into the program's own files.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# Two threads that race in every round, with the noise below.
cat >racer.h <<'E'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

static long counter;
static pthread_barrier_t start;

static void __attribute__((noinline)) add(void)
{
    counter++;
}

static void *race(void *none)
{
    pthread_barrier_wait(&start);
    for (int i = 0; i < 100; i++)
        add();
    return none;
}

static void race_twice(void)
{
    pthread_t one, two;

    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&one, NULL, race, NULL);
    pthread_create(&two, NULL, race, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}
E
cat >plain.c <<'E'
#include "racer.h"

int main(void)
{
    race_twice();
    printf("secure %d\n", getauxval(AT_SECURE) != 0);
    return 0;
}
E
noise="noise='var:counter:1000/500'"
darn cc -O1 -g plain.c -o plain -pthread || exit 1
darn sections infer -o plain.sections ./plain >/dev/null || exit 1
darn cc --only=plain.sections -O1 -g plain.c -o only -pthread || exit 1

claim "a race of the plain program is reported"
try env DARN_OPTIONS="$noise" ./plain
expect_status 66
expect_has "$err" "data race on 'counter'"

# ---- set-user-ID ----

# A caller without rights, who chooses the environment. Its darn would tell by a file that it ran.
world=$(mktemp -d) && roots=$(mktemp -d -p /run 2>/dev/null || mktemp -d) || exit 1
trap 'rm -rf "$world" "$roots"' EXIT
chmod 755 "$world" "$roots"
mkdir -m 777 "$world/evil" "$world/out"
printf '#!/bin/sh\nid -u >%s/out/ran\n' "$world" >"$world/evil/darn"
chmod 755 "$world/evil/darn"

as_nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups \
        env PATH="$world/evil:/usr/bin:/bin" TMPDIR="$world/out" DARN_COMMAND="$world/evil/darn" "$@"
}

give_rights() {
    cp "$1" "$world/" && chown 0:0 "$world/$1" && chmod 4755 "$world/$1"
}

# Two threads that lose an update for sure if they are not kept apart.
cat >slow.c <<'E'
#include "racer.h"

static pthread_barrier_t both;
static long balance;

static void *teller(void *none)
{
    for (int i = 0; i < 3; i++) {
        long old;

        pthread_barrier_wait(&both);
        old = balance;
        nanosleep(&(struct timespec){0, 30000000}, NULL);
        balance = old + 1;
    }
    return none;
}

int main(void)
{
    pthread_t one, two;

    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&one, NULL, teller, NULL);
    pthread_create(&two, NULL, teller, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%ld\n", balance);
    return 0;
}
E

if [ "$(id -u)" -eq 0 ] && give_rights plain && give_rights only &&
    as_nobody "$world/plain" 2>/dev/null | grep -q "secure 1"; then
    rm -f "$world/out/ran"
    found=$world/out/found
    some="$noise:json=$found.json:log_path=$found.log:verbosity=1:detect_deadlocks=1"
    for more in "" ":trace=$found.trace" ":learn=$found.profile" ":heal=$PWD/plain.sections" \
        ":heal_learn=$found.learned" ":sections=$PWD/plain.sections:sections_out=$found.out" \
        ":help=1" ":nonsense=1"; do
        for program in plain only; do
            claim "a set-user-ID program takes nothing from its caller ($program$more)"
            try as_nobody DARN_OPTIONS="$some$more" "$world/$program"
            expect_status 0
            expect_same "$out" "secure 1"
            expect_same "$err" ""
            expect_same "$(ls "$world/out")" ""
        done
    done

    claim "nor does one that gets its rights from file capabilities"
    cp plain "$world/capable"
    if setcap cap_net_raw+ep "$world/capable" 2>/dev/null; then
        try as_nobody DARN_OPTIONS="$some" "$world/capable"
        expect_same "$status$out$err$(ls "$world/out")" "0secure 1"
    else
        echo "no file capabilities here: not tested"
    fi

    # A program that it starts once it has become its owner is no such program itself.
    cat >becomes.c <<'E2'
#define _GNU_SOURCE
#include <unistd.h>

int main(int argc, char **argv)
{
    (void)argc;
    return setresgid(0, 0, 0) || setresuid(0, 0, 0) || execv(argv[1], argv + 1);
}
E2
    darn cc -O1 -g becomes.c -o becomes -pthread && give_rights becomes && cp plain "$world/started" &&
        chmod 755 "$world/started"
    claim "nor do the programs that it starts as its owner"
    try as_nobody DARN_OPTIONS="budget=max:$some" DARN_PROCESS=1 "$world/becomes" "$world/started"
    expect_same "$out" "secure 0"
    expect_same "$(ls "$world/out")" ""
    try as_nobody DARN_OPTIONS=nonsense=1 "$world/becomes" /usr/bin/env
    expect_status 0
    expect_lacks "$out" DARN_

    claim "a set-user-ID program is healed by the repository that its build has named"
    darn cc -O1 -g slow.c -o slow -pthread && darn sections infer -o slow.sections ./slow >/dev/null
    cp slow.sections "$roots/"
    darn cc --only=slow.sections --darn-heal="$roots/slow.sections" -O1 -g slow.c -o slow -pthread
    give_rights slow
    try as_nobody "$world/slow"
    expect_same "$status$out$err" 06

    claim "and not by one that somebody else could have written"
    chmod 777 "$roots"
    try as_nobody "$world/slow"
    [ "$out" -lt 6 ] || fault "healed: $out"
    expect_same "$err" ""
else
    echo "no set-user-ID programs here: not tested"
fi

claim "--darn-heal needs --only and an absolute path"
try darn cc --darn-heal=/etc/x plain.c -o x -pthread
expect_refused "darn cc: --darn-heal=/etc/x: give --only=FILE as well; other programs are healed by 'darn heal'"
try darn cc --only=plain.sections --darn-heal=x plain.c -o x -pthread
expect_refused "darn cc: --darn-heal=x: an absolute path is needed, for the program may be started anywhere"

# ---- the command that prints reports ----

# A program whose build is not there any more.
cp -a "$bin/.." tree && rm -rf tree/src tree/tests tree/Testing
tree/bin/darn cc -O1 -g plain.c -o moved -pthread || exit 1
rm -rf tree

claim "the command is not looked for in PATH"
try env PATH="$world/evil:$PATH" DARN_OPTIONS="$noise" ./moved
expect_status 66
expect_has "$err" "data race on 'counter' [data-race]: "
expect_same "$(ls "$world/out")" ""

claim "but darn run hands itself over"
try env PATH="$world/evil:$PATH" "$bin/darn" run "--noise=var:counter:1000/500" -- ./moved
expect_status 66
expect_has "$err" "thread T1 was created by main thread T0"
expect_same "$(ls "$world/out")" ""

# ---- a command that hangs ----

claim "a command that hangs is killed after two seconds, and not tried again"
printf '#!/bin/sh\necho $$ >>%s/hung\nexec sleep 1000\n' "$PWD" >hang
chmod +x hang
start=$SECONDS
try env DARN_COMMAND="$PWD/hang" DARN_OPTIONS="$noise" ./moved
expect_status 66
expect_has "$err" "data race on 'counter' [data-race]: "
[ $((SECONDS - start)) -lt 30 ] || fault "it took $((SECONDS - start)) seconds"
expect_same "$(wc -l <hung)" 1
! kill -0 "$(cat hung)" 2>/dev/null || fault "it is left behind"

# ---- descriptors ----

cat >reopens.c <<'E'
#include "racer.h"

/* 2, and all that is above, are files of the program's own. */
int main(int argc, char **argv)
{
    close(2);
    if (argc > 2)
        close_range(3, ~0u, 0);
    if (open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600) != 2)
        return 3;
    for (int fd = 3; argc > 2 && fd < 1024; fd++)
        dup(2);
    race_twice();
    return 0;
}
E
darn cc -O1 -g reopens.c -o reopens -pthread || exit 1

claim "a report does not go into a file that has the number 2 by now"
try env DARN_OPTIONS="$noise" ./reopens data
expect_status 66
expect_has "$err" "data race on 'counter'"
expect_has "$err" "SUMMARY: darn: 1 data race"
expect_same "$(cat data)" ""

claim "nor into one that has the number of our own duplicate"
try env DARN_OPTIONS="$noise" ./reopens data all
expect_status 66
expect_same "$err$(cat data)" ""

claim "nor do short lines, without the command"
try env DARN_OPTIONS="$noise:verbosity=1" DARN_COMMAND=/nowhere ./reopens data
expect_has "$err" "windows opened"
expect_same "$(cat data)" ""

cat >daemon.c <<'E'
#include "racer.h"

/* Whoever reads its output waits until all have closed it. */
int main(void)
{
    if (fork())
        return 0;
    setsid();
    dprintf(open("daemon.pid", O_WRONLY | O_CREAT, 0600), "%d\n", getpid());
    close_range(0, 9, 0);
    open("/dev/null", O_RDWR);
    dup(0);
    dup(0);
    sleep(100);
    return 0;
}
E
darn cc -O1 -g daemon.c -o daemon -pthread || exit 1

claim "a daemon does not keep the pipes of who started it"
try timeout 30 bash -c "./daemon 2>&1 | cat"
expect_status 0
kill "$(cat daemon.pid)"

finish
