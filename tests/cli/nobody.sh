#!/bin/bash
# needs: compiler
# A program that gives up its rights, and shuts itself in, before its threads race: it is reported as well as can be,
# by a process that has no more rights than the program.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH
[ "$(id -u)" = 0 ] || exit 77

cat >race.c <<'EOF'
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
static pthread_barrier_t start;
static long counter;
static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_barrier_wait(&start);
        counter++;
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    if (argc > 1 && strcmp(argv[1], "again") != 0 && (chroot(argv[1]) != 0 || chdir("/") != 0))
        return 2;
    if ((getuid() == 0 && setgroups(0, NULL) != 0) || setgid(65534) != 0 || setuid(65534) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0)
        return 3;
    if (argc > 1 && strcmp(argv[1], "again") == 0) {
        execl(argv[0], argv[0], (char *)NULL);
        return 4;
    }
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
EOF
darn cc -O1 -g race.c -o race -pthread || exit 1
mkdir -p jail
chmod 755 . jail
noise=--noise=var:counter:1000/1000

claim "who has become nobody is reported, and what cannot be written is said"
try timeout 60 darn run $noise --json=out.jsonl -- ./race
expect_status 66
expect_has "$err" "race.c:13:16: warning: data race on 'counter' [data-race]"
expect_has "$err" "cannot be written"
expect_has "$(tail -1 .err)" "SUMMARY: darn: 1 data race"

claim "what nobody starts goes on with the files of another user that it may not touch"
umask 077
echo race:nothing_of_this >root.supp
: >root.jsonl
umask 022
for option in json=$PWD/none.jsonl sarif=$PWD/none.sarif log_path=$PWD/log json=$PWD/root.jsonl \
    suppressions=$PWD/root.supp baseline=$PWD/root.jsonl; do
    DARN_OPTIONS=$option:noise="'var:counter:1000/1000'" try timeout 60 ./race again
    expect_status 66
    expect_has "$err" "Permission denied"
    expect_has "$err" "race.c:13:16: warning: data race on 'counter' [data-race]"
done
mkdir -m 700 root
for option in profile sections heal coverage trace; do
    DARN_OPTIONS=exitcode=0:$option=$PWD/root/file try timeout 60 setpriv --reuid=65534 --regid=65534 --clear-groups ./race
    expect_status 0
    expect_has "$err" "$option"
done
DARN_OPTIONS=json=$PWD/no/such.jsonl try timeout 60 ./race again
expect_status 2

claim "in a jail there is nobody to write a long report, and the short one is there"
try timeout 60 darn run $noise -- ./race jail
expect_status 66
expect_has "$err" "race.c:13:16: warning: data race on 'counter' [data-race]"
expect_has "$(tail -1 .err)" "SUMMARY: darn: 1 data race"
finish
