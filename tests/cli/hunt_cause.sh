#!/bin/bash
# needs: compiler
# darn hunt: a failure that a proved race leads to is an outcome of it, and no second finding.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

cat >cause.c <<'END'
#include <pthread.h>

static int value = 1, sum;
static int *where = &value;

static void *use(void *unused)
{
    sum += *where;
    return unused;
}

static void *drop(void *unused)
{
    where = NULL;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, drop, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
darn cc -g -O1 -pthread cause.c -o cause || exit 1

# With one trial for each prediction it depends on its seed whether that shows the crash or the exploration does.
for seed in 1 2 3 4; do
    claim "a crash at a place of a proved race is what the race leads to (seed $seed)"
    try darn hunt --trials=1 --seed=$seed --seconds=20 --jobs=1 -o out$seed -- ./cause
    expect_status 66
    expect_same "$(grep -c '"directory"' out$seed/index.jsonl)" 1
    expect_has "$(cat out$seed/index.jsonl)" '"kind":"data-race"'
    expect_has "$(cat out$seed/index.jsonl)" '"outcomes":["crash"]'
    expect_has "$out" "led to a crash" # at once, or when the exploration has shown it
    try darn replay --times=3 out$seed/1
    expect_status 66
    expect_has "$out$err" "3 of 3"
done

# The two writes of `hint` race, and change nothing. Who looks before `set` fails, whatever comes first there.
cat >beside.c <<'END'
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int set, seen;
int hint;

static void *give(void *unused)
{
    pthread_mutex_lock(&lock);
    set = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&lock);
    seen = set;
    pthread_mutex_unlock(&lock);
    hint = 1;
    return unused;
}

static void *other(void *unused)
{
    hint = 2;
    return unused;
}

int main(void)
{
    void *(*const work[])(void *) = {give, look, other};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return seen ? 0 : 3;
}
END
darn cc -g -O1 -pthread beside.c -o beside || exit 1

claim "a race did not lead to what happens in its other order as well: that is a finding of its own"
try darn hunt --seconds=20 --jobs=1 --no-shrink -o beside.out -- ./beside
expect_status 66
race=$(grep '"kind":"data-race","certainty":"confirmed","variable":"hint"' beside.out/index.jsonl)
expect_has "$race" '"outcomes":[]'
expect_has "$race" '"exit":'
# It is known as an order if the run that was recorded had it.
own=$(grep -E '"kind":"(failure|order-violation)","certainty":"confirmed"' beside.out/index.jsonl)
expect_has "$own" '"outcomes":["exit"]'
expect_has "$own" "exited with status 3"

cat >both.c <<'EOF'
/* Every run fails an assertion; some fail another one before. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;
static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    first = 1;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    second = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    int a, b;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    a = first;
    b = second;
    pthread_mutex_unlock(&lock);
#ifdef STATUS
    pthread_join(thread, NULL);
    return a == b ? 3 : 4;
#else
    assert(a == b); /* between the two */
    pthread_join(thread, NULL);
    assert(!first); /* always */
    return 0;
#endif
}
EOF
darn cc -O1 -g both.c -o both -pthread || exit 1

claim "a failure that every run shows hides no other one of its kind"
try darn hunt --seconds=20 --jobs=1 -o both.out -- ./both
expect_status 66
expect_has "$out" "both.c:$(grep -n 'between the two' both.c | cut -d: -f1):5: warning: T0 fails an assertion [failure, confirmed]"
expect_lacks "$out" "both.c:$(grep -n 'always \*/' both.c | cut -d: -f1):"
try darn explore --keep-going --schedules=300 -- ./both
expect_status 66
expect_has "$err" "both.c:$(grep -n 'between the two' both.c | cut -d: -f1):5: warning: T0 fails an assertion [failure, confirmed]"
expect_lacks "$err" "both.c:$(grep -n 'always \*/' both.c | cut -d: -f1):5: warning"

# Every run ends with a status that is not 0: 3, but for those in which `main` comes between the two.
darn cc -O1 -g -DSTATUS both.c -o statuses -pthread || exit 1

claim "a status that every run shows hides no other one, and is none"
try darn hunt --seconds=20 --jobs=1 -o statuses.out -- ./statuses
expect_status 66
expect_has "$out" "it exits with status 4"
expect_lacks "$out" "it exits with status 3"
try darn explore --keep-going --schedules=300 -- ./statuses
expect_status 66
expect_has "$err" "it exits with status 4"
expect_lacks "$err" "it exits with status 3"
expect_has "$err" "no run ends well, and one in which no thread is interrupted ends with the status 3"

cat >order.c <<'EOF'
/* The order of two accesses decides between two statuses. One of them comes also when nobody interferes. */
#include <pthread.h>
static int hint, seen;
static void *store(void *unused)
{
    hint = 1;
    return unused;
}
static void *load(void *unused)
{
    seen = hint;
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, store, NULL);
    pthread_create(&threads[1], NULL, load, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return seen ? 3 : 4;
}
EOF
darn cc -O1 -g order.c -o order -pthread || exit 1

claim "a race does not lead to the status that the program always ends with, but to the other one"
try darn hunt --seconds=20 --jobs=1 -o order.out -- ./order
expect_status 66
expect_has "$out" "it led to a bad exit status"
try darn replay order.out/1
expect_has "$out$err" "exited with status 4"

cat >again.c <<'EOF'
#include <pthread.h>
#include <stddef.h>
static int table;
static int *current = &table;
static void *use(void *unused)
{
    if (current)
        *current = 1; /* it is read again */
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    current = NULL;
    pthread_join(thread, NULL);
    return 0;
}
EOF
darn cc -O0 -g again.c -o again -pthread || exit 1

claim "which access of a race that nobody predicted has to go first is said as the runs were"
try darn hunt --seconds=10 --jobs=1 -o again.out -- ./again
expect_status 66
expect_has "$out" "  if again.c:15 (write) goes first: 10 times a crash"
expect_has "$out" "  if again.c:8 (read) goes first: 10 times ok"

cat >apart.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static long total;
static void *add(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&one);
        total++;
        pthread_mutex_unlock(&one);
    }
    return arg;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&other);
        total++;
        pthread_mutex_unlock(&other);
    }
    pthread_join(thread, NULL);
    printf("%ld\n", total);
}
EOF
darn cc -O0 -g apart.c -o apart -pthread || exit 1

claim "what was only predicted of the variable of a confirmed race is listed with it, and nowhere else"
try darn hunt --seconds=20 --no-explore --jobs=1 -o apart.out -- ./apart
expect_status 66
expect_has "$err" "2 atomicity violations"
expect_has "$out" "variants of apart.out/1, which have the same cause (--all):"
expect_lacks "$out" "possible atomicity violation"
expect_same "$(grep -c '"variant_of"' apart.out/index.jsonl)" "$(($(wc -l <apart.out/index.jsonl) - 1))"

# A section that the compiler has inferred, and a prediction that is confirmed by another name: of the same accesses.
cat >stack.cc <<'END'
#include <mutex>
#include <thread>
class account {
    std::mutex m;
    long balance = 100;
  public:
    long get() { std::lock_guard<std::mutex> l(m); return balance; }
    void set(long v) { std::lock_guard<std::mutex> l(m); balance = v; }
    void withdraw(long n) { long b = get(); if (b >= n) set(b - n); }
};
class stack {
    std::mutex m;
    int data[8], top = 4;
  public:
    bool empty() { std::lock_guard<std::mutex> l(m); return top == 0; }
    int pop() { std::lock_guard<std::mutex> l(m); return data[--top]; }
    int pop_if() { return empty() ? -1 : pop(); }
};
static account acc;
static stack st;
static void work() { acc.withdraw(60); st.pop_if(); }
int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    return 0;
}
END
darn c++ --darn-functions -O1 -g stack.cc -o stack -pthread || exit 1

claim "what a prediction has said already is no suspicion as well"
try darn hunt --seconds=20 --no-explore -o stack.out -- ./stack
expect_status 66
expect_has "$out" "[atomicity-violation, confirmed]"
expect_has "$err" " confirmed, "

finish
