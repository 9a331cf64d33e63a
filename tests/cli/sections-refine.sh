#!/bin/bash
# needs: compiler
# darn sections infer and refine together: a program that violates some of its sections by design
# and has one bug. What correct runs violate goes, the section of the bug stays.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# In every run the two readings of `requests` differ and the monitor sees another `state` at its
# second look. In every other run, told by its seed, the second deposit comes into the middle of the
# first one, which is lost: then, and only then, the sum is wrong.
cat >bank.c <<'EOS'
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t go, back;
static long balance, requests, unused;
static int state, looks;

static void deposit(int gives_way)
{
    pthread_mutex_lock(&lock);
    long old = balance; /* OLD */
    pthread_mutex_unlock(&lock);
    if (gives_way) {
        sem_post(&go);
        sem_wait(&back);
    }
    pthread_mutex_lock(&lock);
    balance = old + 1; /* NEW */
    pthread_mutex_unlock(&lock);
}

static void *first(void *arg)
{
    const char *options = getenv("DARN_OPTIONS"), *seed = options ? strstr(options, "seed=") : NULL;
    int gives_way = seed && atoi(seed + strcspn(seed, "0123456789")) % 2;
    deposit(gives_way);
    if (!gives_way)
        sem_post(&go);
    return arg;
}

static void *second(void *arg)
{
    sem_wait(&go);
    deposit(0);
    sem_post(&back);
    return arg;
}

static void request(void)
{
    pthread_mutex_lock(&lock);
    requests++; /* REQUEST */
    state = !state; /* TURN */
    pthread_mutex_unlock(&lock);
}

static int over(int now)
{
    static int is_over;
    pthread_mutex_lock(&lock);
    is_over |= now;
    now = is_over;
    pthread_mutex_unlock(&lock);
    return now;
}

static void *customer(void *arg)
{
    while (!over(0)) {
        request();
        usleep(100);
    }
    return arg;
}

/* Until it has seen both at least once. */
static void *monitor(void *arg)
{
    int differed = 0, turned = 0;
    while (!differed || !turned) {
        pthread_mutex_lock(&lock);
        long before = requests; /* BEFORE */
        pthread_mutex_unlock(&lock);
        usleep(1000);
        pthread_mutex_lock(&lock);
        differed |= requests != before; /* AFTER */
        int is_on = state; /* TEST */
        pthread_mutex_unlock(&lock);
        if (is_on) {
            usleep(150);
            pthread_mutex_lock(&lock);
            turned |= !state; /* USE */
            pthread_mutex_unlock(&lock);
        }
        looks++;
    }
    over(1);
    return arg;
}

int main(int argc, char **argv)
{
    void *(*const functions[])(void *) = {first, second, customer, monitor};
    pthread_t threads[4];
    sem_init(&go, 0, 0);
    sem_init(&back, 0, 0);
    if (argc > 2) {
        unused = unused + looks; /* NEVER */
        request();
    }
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, functions[i], argv);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("balance %ld\n", balance);
    return argc > 1 ? 0 : balance != 2;
}
EOS
darn cc -O1 -g bank.c -o bank -pthread || exit 1
line_of() { grep -n "/\* $1 \*/" bank.c | cut -d: -f1; }
# The sections of a list of the file, `sections` or `dropped`, each in a line.
list() { tr '\n' ' ' <"$1" | sed 's/"dropped": \[/\n&/; s/\]}* *$//' | grep "\"$2\": \[" | sed 's/   *{/\n{/g'; }
# has LIST VARIABLE ENTRY END
has() { grep "\"variable\": \"$2\"" <<<"$1" | grep "\"entry\": \"$(line_of "$3"):" | grep -q "\"$(line_of "$4"):"; }
expect_kept() {
    has "$(list "$1" sections)" balance OLD NEW || fault "the section of the bug has gone: $(cat "$1")"
}
expect_gone() { ! has "$(list "$1" sections)" "$2" "$3" "$4" || fault "$2 is still there: $(cat "$1")"; }
expect_dropped() {
    expect_gone "$@"
    has "$(list "$1" dropped)" "$2" "$3" "$4" || fault "$2 is not under dropped: $(cat "$1")"
}
noise=--noise=section:100/200

claim "what correct runs violate by design goes, and what was never seen; the bug's section stays"
darn sections infer --all -o bank.sections ./bank >/dev/null || fault "infer"
cp bank.sections first
has "$(list bank.sections sections)" balance OLD NEW || fault "not inferred: $(cat bank.sections)"
has "$(list bank.sections sections)" requests BEFORE AFTER || fault "not inferred: $(cat bank.sections)"
has "$(list bank.sections sections)" unused NEVER NEVER || fault "not inferred: $(cat bank.sections)"
try darn sections refine --runs=10 $noise bank.sections -- ./bank
expect_status 0
expect_kept bank.sections
expect_dropped bank.sections requests BEFORE AFTER
expect_gone bank.sections state TEST USE
expect_dropped bank.sections unused NEVER NEVER
expect_has "$(list bank.sections dropped | grep '"requests"')" '"why": "violated in a correct run (run '
expect_has "$(list bank.sections dropped | grep '"unused"')" '"why": "never seen in '

claim "it is the first in the list, as the likely cause"
expect_has "$(head -2 .out)" "violated only in failing runs:
  bank.c:$(line_of OLD): 'balance' in deposit (load-and-store), "

claim "no locked update has gone"
expect_has "$(list bank.sections sections)" '"entry": "'"$(line_of REQUEST):"

claim "an oracle and an expected output do the same where the status is always 0"
cp first bank.sections
try darn sections refine --runs=10 $noise --oracle='grep -qx "balance 2"' bank.sections -- ./bank print
expect_status 0
expect_kept bank.sections
expect_dropped bank.sections requests BEFORE AFTER
cp first bank.sections
echo "balance 2" >expected
try darn sections refine --runs=10 $noise --expect=expected bank.sections -- ./bank print
expect_status 0
expect_kept bank.sections
expect_dropped bank.sections requests BEFORE AFTER

claim "without any, the violation of the bug looks as if it were meant"
cp first bank.sections
try darn sections refine --runs=10 $noise bank.sections -- ./bank print
expect_status 0
expect_dropped bank.sections balance OLD NEW

claim "correct runs teach the section of the bug, and not what they interrupt"
try darn sections infer --runs=12 -o bank.learned -- ./bank
expect_status 0
expect_has "$err" " learned from "
expect_kept bank.learned
expect_gone bank.learned requests BEFORE AFTER
expect_lacks "$(cat bank.learned)" '"unused"'
expect_has "$(cat bank.learned)" '"kind": "learned"'

claim "what was learned fits the program, and refinement keeps what the bug violates"
try darn sections check bank.learned ./bank
expect_status 0
try darn sections refine --runs=10 $noise bank.learned -- ./bank
expect_status 0
expect_kept bank.learned
expect_has "$(head -2 .out)" "'balance' in deposit (learned), "

claim "learning needs correct runs, and a program of ours"
try darn sections infer --runs=2 --oracle=false -- ./bank
expect_status 2
expect_same "$(tail -1 .err)" "darn sections infer: none of the 2 runs was correct: nothing is learned"
try darn sections infer --runs=2 --
expect_refused "darn sections infer: no program; usage: darn sections infer --runs=N [options] -- PROGRAM [arguments]"
try darn sections infer --runs=2 -o nowhere/x -- ./bank
expect_refused "darn sections infer: nowhere/x cannot be written: No such file or directory"
cp /bin/true plain
try darn sections infer --runs=2 -- ./plain
expect_status 2
expect_has "$err" "./plain was not compiled by darn"

claim "nothing is left behind"
mkdir tmp
try env TMPDIR="$PWD/tmp" darn sections infer --runs=2 -o learned -- ./bank print
expect_status 0
expect_same "$(ls -A tmp)" ""

finish
