#!/bin/bash
# needs: compiler
# darn campaign with programs that darn has compiled: what runs predict is hunted, what is confirmed is
# kept with its schedule, and what cannot be hunted is left alone.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >racy.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    for (int i = 0; i < atoi(arg); i++) {
        x++;
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t other;
    (void)argc;
    pthread_create(&other, NULL, work, argv[1]);
    work(argv[1]);
    pthread_join(other, NULL);
    return 0;
}
END
darn cc -g -O1 racy.c -o racy -pthread

claim "a race is found, confirmed by a hunt, and kept with a schedule that replays"
try darn campaign init --test='./racy {n}' --test=true --param=n='5|20' -o night.json
expect_has "$err" "racy: passes"
expect_has "$err" "compiled by darn"
expect_has "$err" "not compiled by darn: nothing in it is watched"
sed -i 's/"seconds": "[^"]*"/"seconds": "1|2"/' night.json
confirmed() {
    try darn campaign run night.json --rounds=4 --jobs=1
    said+=$err
    sqlite3 night.db "SELECT schedule FROM findings WHERE kind='data-race' AND certainty='confirmed'" >schedule
    [ -s schedule ]
}
said=
for ((i = 0; i < 20; i++)); do
    confirmed && break
done
expect_has "$said" "data race on 'x' [data-race"
[ -s schedule ] || fault "no schedule is kept: $(sqlite3 night.db 'SELECT kind, certainty FROM findings')"
try darn replay schedule
expect_status 66
try darn campaign status night.json
expect_has "$out" "confirmed"
expect_has "$out" "racy: data race on 'x'"

claim "what darn did not compile is only run"
expect_same "$(sqlite3 night.db "SELECT DISTINCT mode FROM rounds WHERE test='true' ORDER BY mode" | tr '\n' ' ')" "plain run "

claim "no process and no file of a round is left"
expect_same "$(ls -d night.db.d/round-* 2>/dev/null)" ""

finish
