#!/bin/bash
# needs: compiler
# A program that is built to be healed (darn cc --only): nothing else finds room in it, and nobody's service stays down.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >count.c <<'END'
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long counter;

static void *work(void *unused)
{
    for (int i = 0; i < 20000; i++) {
        pthread_mutex_lock(&lock);
        counter = counter + 1;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", counter);
    return 0;
}
END
darn cc -g -O1 -pthread count.c -o count && darn sections infer ./count -o repository >/dev/null 2>&1 || exit 1
darn cc --only=repository -g -O1 -pthread count.c -o only || exit 1
darn run --learn=learned ./count >/dev/null || exit 1

claim "what was learned of the program, or is to be watched, is left aside"
for options in profile=learned profile=missing sections=repository sections=missing; do
    try env DARN_OPTIONS="heal=repository:heal_out=healed:$options" ./only
    expect_status 0
    expect_same "$out" 40000
    expect_same "$err" ""
    expect_has "$(cat healed)" '"variable":"counter"'
done

finish
