#!/bin/bash
# Memory escapes when its address is stored where others can find it, and not before.
# needs: compiler
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

# The first thread changes a counter in two critical sections, and only then lets the second one come to it: it depends
# on when its address was stored whether that counts. What orders the two is a semaphore, which to the engine is
# nothing.
cat >share.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

struct counter {
    long sum;
    struct counter *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready, done;
static struct counter *_Atomic shared_atomic;
static struct counter *shared;
static struct counter global;
static const char *how;

void add(struct counter *counter);
void add(struct counter *counter)
{
    long old;

    pthread_mutex_lock(&lock);
    old = counter->sum;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    counter->sum = old + 1;
    pthread_mutex_unlock(&lock);
}

static void publish(struct counter *counter)
{
    if (strstr(how, "exchange")) {
        __atomic_exchange_n(&shared, counter, __ATOMIC_ACQ_REL);
    } else if (strstr(how, "atomic")) {
        shared_atomic = counter;
    } else {
        pthread_mutex_lock(&lock);
        shared = counter;
        pthread_mutex_unlock(&lock);
    }
}

static struct counter *wrap(struct counter *inner)
{
    struct counter *outer = calloc(1, sizeof(*outer));

    outer->next = inner;
    return outer;
}

static void *second(void *given)
{
    struct counter *counter = given;

    sem_wait(&ready);
    if (!counter) {
        pthread_mutex_lock(&lock);
        counter = shared ? shared : shared_atomic;
        pthread_mutex_unlock(&lock);
    }
    add(counter->next ? counter->next : counter);
    sem_post(&done);
    return NULL;
}

static void *first(void *unused)
{
    struct counter on_stack = {0}, *counter = calloc(1, sizeof(*counter)), *handed;
    pthread_t other;

    if (strstr(how, "stack"))
        counter = &on_stack;
    if (strstr(how, "global"))
        counter = &global;
    handed = strstr(how, "inner") ? wrap(counter) : counter;
    pthread_create(&other, NULL, second, strstr(how, "thread") ? handed : NULL);
    if (strstr(how, "early"))
        publish(handed);
    add(counter);
    if (strstr(how, "late"))
        publish(handed);
    sem_post(&ready);
    sem_wait(&done);
    pthread_join(other, NULL);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    how = argc > 1 ? argv[1] : "";
    sem_init(&ready, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, first, NULL);
    pthread_join(thread, NULL);
    return 0;
}
END

# left_out HOW: how many accesses were; what is reported is in $out.
left_out() {
    rm -f "$1.trace"
    "$darn" record -o "$1.trace" -- ./share "$1" >/dev/null 2>&1
    try "$darn" analyze --engine=blocks --stats "$1.trace"
    count=$(sed -n 's/.*blocks: \([0-9]*\) of them to memory that had not escaped, left out$/\1/p' .out)
}

violation="possible atomicity violation on 'counter->sum'"

for level in -O0 -O2; do
    "$darn" cc $level -g -fno-inline --darn-functions share.c -o share 2>.cc || fault "share.c does not compile"

    claim "$level: before its address is stored in a global, a block is the thread's own"
    for how in late late-inner late-atomic; do
        left_out $how
        expect_lacks "$how $out" "$violation"
        [ "$count" -ge 2 ] || fault "$how: only $count accesses were left out"
    done

    claim "$level: from then on everything counts, though nobody else has touched it yet"
    for how in early early-atomic early-exchange thread late-global; do
        left_out $how
        expect_has "$how $out" "$violation"
    done

    claim "$level: so it does in what it points to"
    for how in early-inner early-inner-atomic thread-inner; do
        left_out $how
        expect_has "$how $out" "$violation"
    done

    claim "$level: it is the same with an object on the stack"
    for how in early-stack thread-stack early-stack-inner; do
        left_out $how
        expect_has "$how $out" "$violation"
    done
    left_out late-stack
    expect_lacks "$out" "$violation"
    [ "$count" -ge 2 ] || fault "only $count accesses were left out"

    claim "$level: the option takes all of it as escaped"
    try "$darn" analyze --engine=blocks --no-escape late.trace
    expect_has "$out" "$violation"
done

claim "a trace tells what was stored, and of a stack which piece"
try "$darn" trace dump early.trace
[[ $out =~ "pointer   0x"[0-9a-f]+" to 0x"[0-9a-f]+ ]] || fault "no pointer in: $out"
try "$darn" trace dump thread-stack.trace
[[ $out =~ "pointer   a new thread, to 0x"[0-9a-f]+" "[0-9]+" bytes" ]] || fault "no pointer in: $out"
expect_has "$out" " stack     0x"

claim "other tools are spared what they do not know"
try "$darn" trace export-std early.trace
expect_lacks "$out" "store("
expect_lacks "$out" "alloc("

claim "in a text it can be written by hand"
printf '%s\n' 't1|alloc(b)|3' 't1|store(g,b)|4' 't1|begin|1' 't1|r(b)|10' 't1|w(b)|11' 't1|end|2' 't2|w(b)|20' >hand.std
try "$darn" analyze --engine=blocks hand.std
expect_has "$out" "hand.std:10: warning: possible atomicity violation on 'b'"
grep -v store hand.std >without.std
try "$darn" analyze --engine=blocks without.std
expect_status 0
try "$darn" trace export-std hand.std
expect_same "$out" "$(cat hand.std)"

finish
