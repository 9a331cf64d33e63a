#!/bin/bash
# needs: compiler
# darn run --serial: a function that was not atomic in this very run, and one that was.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# They meet by calls that tell darn nothing: a transaction ends where it waits for others.
cat >move.c <<'EOF2'
#include <darn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 5, meets;
static int look(void)
{
    pthread_mutex_lock(&lock);
    int is = balance;
    pthread_mutex_unlock(&lock);
    return is;
}
static void set(int to)
{
    pthread_mutex_lock(&lock);
    balance = to;
    pthread_mutex_unlock(&lock);
}
DARN_ATOMIC_FUNCTION static void withdraw(void)
{
    int is = look();
    if (meets) {
        alarm(1000);
        while (umask(022) != 077)
            usleep(1000);
    }
    set(is - 1);
}
static void *deposit(void *unused)
{
    while (meets && !alarm(0))
        usleep(1000);
    set(100);
    umask(077);
    return unused;
}
int main(int count, char **arguments)
{
    pthread_t thread;
    (void)arguments;
    meets = count > 1;
    pthread_create(&thread, NULL, deposit, NULL);
    if (!meets)
        pthread_join(thread, NULL);
    withdraw();
    if (meets)
        pthread_join(thread, NULL);
    printf("%d\n", balance);
    return count > 2;
}
EOF2
darn cc -g -O1 move.c -o move -pthread || fault "move.c does not compile"

claim "a function that was interrupted in this run is named, with the circle"
try darn run --serial --json=found -- ./move meets
expect_status 66
expect_has "$out" "4"
expect_has "$err" "move.c:11:14: warning: possible atomicity violation on 'balance' [atomicity-violation, predicted by serial]"
expect_has "$err" "move.c:18:13: note: meanwhile thread T1 writes"
expect_has "$err" "section: transaction in withdraw"
expect_has "$err" "why: it happened in this run"
expect_has "$(cat found)" '"kind":"atomicity-violation"'

claim "one that nobody came between is not, nor is a race looked for"
try darn run --serial -- ./move
expect_status 0
expect_has "$err" "SUMMARY: darn: nothing found in "
expect_has "$err" "(serial)"

claim "the program's own status counts"
try darn run --serial -- ./move meets fails
expect_status 1

claim "what is found can be suppressed"
echo 'atomicity:look' >suppressed
try darn run --serial --suppressions=suppressed -- ./move meets
expect_status 0

claim "without accesses there is nothing to look at"
try darn run --serial --preload -- true
expect_refused "darn run: --serial needs accesses, which nobody sees with --preload"

finish
