#!/bin/bash
# needs: compiler
# What is predicted comes with a schedule, and darn hunt plays it first: one run confirms what chance would hardly show.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# Each thread does its part only if the one before has: nothing waits. Of all orders one comes to the race.
cat >relay.c <<'EOF2'
#include <pthread.h>
#include <unistd.h>
enum { RUNNERS = 10 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn;
int result; /* for others, too: else both writes are dead */
static int part_done(int mine)
{
    int done;
    pthread_mutex_lock(&lock);
    done = turn == mine;
    if (done)
        turn++;
    pthread_mutex_unlock(&lock);
    return done;
}
static void *run(void *number)
{
    if (part_done((int)(long)number) && (long)number == RUNNERS - 1)
        result = 1; /* of the last one */
    return number;
}
int main(void)
{
    pthread_t threads[RUNNERS];
    for (long i = 0; i < RUNNERS; i++) {
        pthread_create(&threads[i], NULL, run, (void *)i);
        usleep(20000);
    }
    result = 2; /* of main */
    for (int i = 0; i < RUNNERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
EOF2
darn cc -g -O1 relay.c -o relay -pthread || fault "relay.c does not compile"

# hunt_one: a hunt whose recorded run has come to the end of the relay. On a busy machine it may not.
hunt_one() {
    local tries
    for ((tries = 0; tries < 40; tries++)); do
        rm -rf out
        try darn hunt --trials=1 --no-explore --no-shrink -o out -- ./relay
        ! [[ $err == *"predict: 1 possible data race"* ]] || return 0
    done
    fault "the recorded runs did not come to the end: $err"
}

claim "one run is enough for what is predicted with a schedule"
for _ in 1 2; do
    hunt_one
    expect_status 66
    expect_has "$out" "proof: it happened in 1 of 1 controlled run and replays"
    expect_has "$err" "prove: 1 of 2 confirmed" # the order of the turns makes no difference
done

finish
