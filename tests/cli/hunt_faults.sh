#!/bin/bash
# needs: compiler
# darn hunt and run: two accesses that fault do not race, and the same two race where there is memory.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >faults.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct item {
    long id, value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item item, *other;
static __thread sigjmp_buf back;

__attribute__((noinline)) static void store(struct item *to, long value)
{
    to->value = value;
}

static void leave(int signal)
{
    siglongjmp(back, signal);
}

/* First where both write under a lock, so that the line is known for what it does, and then without one. */
static void *use(void *arg)
{
    pthread_mutex_lock(&lock);
    store(&item, (long)arg);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 3; i++) {
        if (!sigsetjmp(back, 1))
            store(other, (long)arg);
    }
    return NULL;
}

static struct item *map(int protection)
{
    return mmap(NULL, sizeof(struct item), protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = leave};
    pthread_t threads[2];

    if (argc > 1 && strcmp(argv[1], "null") != 0)
        other = map(strcmp(argv[1], "none") == 0    ? PROT_NONE
                    : strcmp(argv[1], "const") == 0 ? PROT_READ
                                                    : PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &action, NULL);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
darn cc -g -O1 -pthread faults.c -o faults || exit 1
line=$(grep -n 'to->value = value' faults.c | cut -d: -f1)

for how in null const none; do
    claim "two writes that both fault are no confirmed race ($how)"
    try darn hunt --seconds=1 --jobs=1 -o "$how" -- ./faults "$how"
    expect_lacks "$out$err" "data-race"
    expect_lacks "$(cat "$how/index.jsonl")" '"certainty":"confirmed"'

    claim "nor an observed one ($how)"
    try darn run --noise="site:faults.c:$line:1000/20000" ./faults "$how"
    expect_status 0
    expect_has "$err" "darn: nothing found in faults: 3 threads, "
done

claim "the same writes race where there is memory"
try darn hunt --seconds=10 --no-explore --jobs=1 -o memory -- ./faults memory
expect_status 66
expect_has "$(cat memory/index.jsonl)" '"kind":"data-race","certainty":"confirmed"'
try darn run --noise="site:faults.c:$line:1000/20000" ./faults memory
expect_status 66
expect_has "$err" "data race on 'to->value'"

finish
