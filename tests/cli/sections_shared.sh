#!/bin/bash
# needs: compiler
# darn sections shared: which sections of a program stay, by what threads did with their variables in recorded runs.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >share.c <<'EOS'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURNS 50

struct block {
    long filled;
};

struct worker {
    pthread_t thread;
    long private_count, result;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t start;
static struct block *queue;
static long locked_count, racy_count, table, answers, settings, seldom, announced;
static atomic_long atomic_count, bottom;
static int often;

static void put(struct block *block)
{
    pthread_mutex_lock(&lock);
    while (queue)
        pthread_cond_wait(&changed, &lock);
    queue = block;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static struct block *get(void)
{
    struct block *block;

    pthread_mutex_lock(&lock);
    while (!queue)
        pthread_cond_wait(&changed, &lock);
    block = queue;
    queue = NULL;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return block;
}

/* Right after the barrier: whatever the scheduler does, nothing has put the two threads in order yet. */
static void begin(void)
{
    pthread_barrier_wait(&start);
    racy_count += 1;
    atomic_store(&atomic_count, atomic_load(&atomic_count) + 1);
}

static void count(struct worker *me)
{
    me->private_count += 1;
    me->result += settings;
    pthread_mutex_lock(&lock);
    locked_count += 1;
    if (often)
        seldom += 1;
    pthread_mutex_unlock(&lock);
}

/* The producer's alone: others look at it. */
static void announce(void)
{
    pthread_mutex_lock(&lock);
    announced += 1;
    atomic_store(&bottom, atomic_load(&bottom) + 1);
    pthread_mutex_unlock(&lock);
}

static long look(void)
{
    long seen;

    pthread_mutex_lock(&lock);
    seen = announced + atomic_load(&bottom);
    pthread_mutex_unlock(&lock);
    return seen;
}

static void *produce(void *data)
{
    begin();
    for (int i = 0; i < TURNS; i++) {
        struct block *block = malloc(sizeof(*block));

        block->filled = i;
        block->filled += 1;
        put(block);
        count(data);
        pthread_rwlock_wrlock(&table_lock);
        table += 1;
        pthread_rwlock_unlock(&table_lock);
        announce();
    }
    return NULL;
}

static void *consume(void *data)
{
    struct worker *me = data;

    begin();
    for (int i = 0; i < TURNS; i++) {
        struct block *block = get();

        block->filled += 2;
        me->result += block->filled;
        free(block);
        count(me);
        pthread_rwlock_rdlock(&table_lock);
        me->result += table;
        pthread_rwlock_unlock(&table_lock);
        me->result += look();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct worker workers[2];

    often = argc > 1 && strcmp(argv[1], "often") == 0;
    settings += argc;
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&workers[0].thread, NULL, produce, &workers[0]);
    pthread_create(&workers[1].thread, NULL, consume, &workers[1]);
    pthread_join(workers[0].thread, NULL);
    pthread_join(workers[1].thread, NULL);
    workers[1].result += 1;
    answers += workers[1].result + locked_count;
    printf("%ld\n", answers);
    return 0;
}
EOS

# The variables of a repository, each once; those that were dropped do not count.
variables() { sed '/^ "dropped"/,$d' "$1" | sed -n 's/.*"variable": "\([^"]*\)".*/\1/p' | sort -u | tr '\n' ' '; }
record() { darn record --quiet "$@" >/dev/null 2>.record || fault "darn record: $(cat .record)"; }

darn cc -O1 -g share.c -o share -pthread || fault "share.c does not compile"
darn sections infer -o all share >/dev/null
record -o learned.trace -- ./share
record --every-access -o run.trace -- ./share
record --every-access -o often.trace -- ./share often

claim "the program has the sections that this is about"
for name in locked_count racy_count atomic_count 'me->private_count' 'me->result' 'workers[1].result' 'block->filled' \
    table answers settings queue seldom announced bottom; do
    expect_has " $(variables all)" " $name "
done
count=$(grep -c '"variable"' all)

for trace in run.trace learned.trace; do
    claim "what is locked, racy or atomic stays; what is private, handed over, joined or only read by others goes ($trace)"
    try darn sections shared -o kept all $trace
    expect_status 0
    expect_same "$out" ""
    expect_same "$(variables kept)" "atomic_count locked_count queue racy_count "
    expect_same "$err" "darn sections: 5 of $count sections are of variables that threads share"
done

claim "what stays is as it was, in the same order"
expect_same "$(diff all kept | grep '^>' | grep -v '^>  *"entry".*}$')" ""
try darn sections check kept ./share
expect_status 0

claim "without -o, and with -o -, it goes to the standard output"
try darn sections shared all run.trace
expect_status 0
expect_same "$out" "$(cat kept)"
try darn sections shared all -o - -- run.trace
expect_same "$out" "$(cat kept)"

claim "one of several traces is enough"
try darn sections shared -o kept all run.trace often.trace
expect_status 0
expect_same "$(variables kept)" "atomic_count locked_count queue racy_count seldom "

claim "where lines have moved, a section means what it did: by its shape"
mkdir moved
sed '1i /* a comment */\n' share.c >moved/share.c
(cd moved && darn cc -O1 -g share.c -o share -pthread && record --every-access -o run.trace -- ./share)
try darn sections shared -o moved/kept all moved/run.trace
expect_status 0
expect_same "$(variables moved/kept)" "atomic_count locked_count queue racy_count "
expect_has "$err" "5 of $count sections are of variables that threads share"
try darn sections show --source=no kept moved/share
expect_status 0
expect_same "$(grep -c '^      means load-and-store of racy_count in ' <<<"$out")" 1
expect_lacks "$out" "means nothing"
try darn sections show --source=no kept share
expect_lacks "$out" "means"

claim "a section says itself what harms it: with reads, those of variables that others only read stay, too"
for allow in none write; do
    sed "s/allow=read\"/allow=$allow\"/" all >strict
    try darn sections shared -o kept strict run.trace
    expect_status 0
    expect_same "$(variables kept)" "announced atomic_count bottom locked_count queue racy_count table "
done
sed 's/allow=read"/allow=read,write"/' all >lenient
try darn sections shared lenient run.trace
expect_status 0
expect_same "$err" "darn sections: 0 of $count sections are of variables that threads share"

claim "one access that races stays if anything conflicts with it"
point() { sed -n "/\"bottom\"/,/}/p" all | tr -d '\n' | sed -n "s/.*\"$1[^0-9]*\([0-9]*:[0-9]* $2\).*/\1/p"; }
for entry in "$(point entry read)" "$(point ends write)"; do
    cat >racing <<EOS
{"darn-sections": 1,
 "sections": [
  {"variable": "bottom", "function": "announce", "file": "share.c", "kind": "race", "entry": "$entry"}
 ]}
EOS
    try darn sections shared racing run.trace
    expect_status 0
    left=0
    [[ $entry != *write ]] || left=1 # others read it, and the owner's own reads do not mind
    expect_has "$err" "darn sections: $left of 1 section "
done

claim "sections by hand, deadlocks, what was dropped and what nobody knows stay what they are"
line() { grep -n "$1" share.c | cut -d: -f1; }
locked=$(line '^    locked_count += 1') private=$(line 'private_count += 1')
writer=$(line '^        table += 1') reader=$(line 'me->result += table')
cat >hand <<EOS
{"darn-sections": 1,
 "refinement": {"runs": 18, "quiet": 12, "seed": 1000},
 "sections": [
  "share.c:$((locked - 1))-$locked locked_count allow=read",
  "share.c:$writer table",
  "share.c:$reader table allow=read",
  "share.c:$private private_count",
  "share.c:$writer-$((writer + 1)) table allow=read"
 ],
 "dropped": [
  {"variable": "x", "function": "f", "file": "p.c", "kind": "pair", "entry": "10:5 read",
   "ends": ["11:5 write allow=read"], "why": "never seen in 18 runs"}
 ],
 "deadlocks": [
  {"locks": "a, b", "builds": {"share": "00"}, "threads": []}],
 "later": {"unknown": [1, "two"]}}
EOS
try darn sections shared hand run.trace
expect_status 0
expect_same "$err" "darn sections: 3 of 5 sections are of variables that threads share"
expect_same "$out" "$(grep -v "private_count\|$((writer + 1)) table" hand | sed "s/:$reader table allow=read\",/:$reader table allow=read\"/")"

claim "copies of an inlined function are told apart"
cat >copies.c <<'EOS'
#include <pthread.h>

struct counter {
    long value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct counter common, own[2];

static inline __attribute__((always_inline)) long get(const struct counter *counter)
{
    return counter->value;
}

static inline __attribute__((always_inline)) void set(struct counter *counter, long value)
{
    counter->value = value;
}

__attribute__((noinline)) static void add_alone(struct counter *counter)
{
    set(counter, get(counter) + 1);
}

__attribute__((noinline)) static void add_locked(struct counter *counter)
{
    pthread_mutex_lock(&lock);
    set(counter, get(counter) + 1);
    pthread_mutex_unlock(&lock);
}

static void *work(void *data)
{
    add_alone(data);
    add_locked(&common);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &own[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
EOS
functions() { sed -n 's/.*"function": "\([^"]*\)".*/\1/p' "$1" | sort | tr '\n' ' '; }
darn cc -O1 -g copies.c -o copies -pthread || fault "copies.c does not compile"
darn sections infer -o copies.sections copies >/dev/null
record --every-access -o copies.trace -- ./copies
expect_same "$(functions copies.sections)" "add_alone add_locked "
try darn sections shared -o kept copies.sections copies.trace
expect_status 0
expect_same "$(functions kept)" "add_locked "

claim "a program that shares nothing is not taken for another one"
cat >alone.c <<'EOS'
#include <stdio.h>

static long counter, *volatile to = &counter;

int main(void)
{
    for (int i = 0; i < 10; i++)
        *to += 1;
    printf("%ld\n", counter);
    return 0;
}
EOS
darn cc -O1 -g alone.c -o alone || fault "alone.c does not compile"
darn sections infer -o alone.sections alone >/dev/null
[ "$(variables alone.sections)" ] || fault "alone.c has no section"
record -o alone.trace -- ./alone
try darn sections shared alone.sections alone.trace
expect_status 0
expect_has "$err" "darn sections: 0 of "
expect_same "$out" "$(printf '{"darn-sections": 1,\n "sections": []}')"

claim "a trace of another program is refused, and nothing is written"
try darn sections shared -o none all run.trace alone.trace
expect_refused "darn sections shared: alone.trace is of another program: it has none of the sites of all"
[ ! -e none ] || fault "something was written"
echo 'T1|w(x)|12' >text
try darn sections shared all text
expect_refused "darn sections shared: text is of another program: it has none of the sites of all"

claim "what cannot be read or written is refused"
head -c 3000 run.trace >cut.trace
try darn sections shared -o none all cut.trace
expect_status 2
expect_same "$out" ""
expect_has "$err" "darn sections shared: cut.trace: "
[ ! -e none ] || fault "something was written"
try darn sections shared all missing.trace
expect_status 2
expect_has "$err" "darn sections shared: missing.trace"
try darn sections shared missing run.trace
expect_refused "darn sections shared: missing: cannot be read: No such file or directory"
try darn sections shared -o missing/file all run.trace
expect_refused "darn sections shared: missing/file cannot be written: No such file or directory"
try darn sections shared all
expect_refused "darn sections shared: no trace; usage: darn sections shared [options] FILE TRACE..."
try darn sections shared
expect_refused "darn sections shared: no file of sections; usage: darn sections shared [options] FILE TRACE..."

claim "a file with faults is not written over"
sed 's/read"/reads"/' all >faulty
cp faulty before
try darn sections shared -o faulty faulty run.trace
expect_status 2
cmp -s faulty before || fault "the file was changed"

finish
