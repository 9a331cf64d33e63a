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

# It goes on until it has been told that somebody has read of it.
cat >long.c <<'EOF2'
#include <darn.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *value;
static void put(int to)
{
    pthread_mutex_lock(&lock);
    *value = to;
    pthread_mutex_unlock(&lock);
}
static void *other(void *unused)
{
    while (!alarm(0))
        usleep(1000);
    put(100);
    umask(077);
    return unused;
}
DARN_ATOMIC_FUNCTION static void change(void)
{
    put(1);
    alarm(1000);
    while (umask(022) != 077)
        usleep(1000);
    put(2);
}
int main(int count, char **arguments)
{
    pthread_t thread;
    alarm(0);
    value = __builtin_malloc(24);
    pthread_create(&thread, NULL, other, NULL);
    change();
    pthread_join(thread, NULL);
    alarm(120);
    while (count > 1 && access("told", F_OK))
        usleep(1000);
    if (count > 2)
        execl(arguments[0], arguments[0], "once", NULL);
    return 0;
}
EOF2
darn cc -g -O1 long.c -o long -pthread || fault "long.c does not compile"

claim "what was found is told while the program runs, with its block of the heap"
rm -f told
darn run --serial -- ./long once >out 2>err &
for ((i = 0; i < 6000; i++)); do
    grep -q "possible atomicity violation" err && break
    sleep 0.01
done
grep -q SUMMARY err && fault "the program had ended"
touch told
wait $!
[ $? = 66 ] || fault "status of the long run"
expect_has "$(cat err)" "possible atomicity violation on '*value' [atomicity-violation, predicted by serial]"
expect_has "$(cat err)" "of a heap block of 24 bytes allocated by main thread T0"
[ "$(grep -c 'possible atomicity violation on' err)" = 1 ] || fault "told twice"

claim "a program that replaces itself is followed"
try darn run --serial -- ./long once again
expect_status 66
expect_has "$err" "SUMMARY: darn: 1 possible atomicity violation"

# The accesses are hot, but locks are always recorded: 400,000 events of 3 bytes and more.
cat >much.c <<'EOF2'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *add(void *unused)
{
    for (int i = 0; i < 100000; i++) {
        pthread_mutex_lock(&lock);
        sum++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
EOF2
darn cc -g -O1 much.c -o much -pthread || fault "much.c does not compile"

claim "--max-size bounds what was not looked at yet, not the run"
try darn run --serial --max-size=1 -- ./much
expect_status 0
events=$(sed -n 's/^SUMMARY: darn: nothing found in \([0-9]*\) events (serial)$/\1/p' <<<"$err")
[ "${events:-0}" -ge 400000 ] || fault "only '$events' events"

cat >busy.c <<'EOF2'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    alarm(120);
    while (access("told", F_OK))
        for (int i = 0; i < 1000; i++) {
            pthread_mutex_lock(&lock);
            pthread_mutex_unlock(&lock);
        }
    return 0;
}
EOF2
darn cc -g -O1 busy.c -o busy -pthread || fault "busy.c does not compile"

claim "a program that goes on behind the one that started it is left alone"
rm -f told
try darn run --serial --any -- sh -c './busy >left 2>&1 & sleep 0.5'
touch told
expect_status 0
expect_has "$err" "SUMMARY: darn: nothing found in "

claim "without accesses there is nothing to look at"
try darn run --serial --preload -- true
expect_refused "darn run: --serial needs accesses, which nobody sees with --preload"

finish
