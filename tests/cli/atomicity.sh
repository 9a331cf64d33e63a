#!/bin/bash
# needs: compiler
# Functions that are not atomic: predicted from one run by darn predict --atomicity, and confirmed by darn hunt.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH
cp "$(dirname "$0")"/../programs/atomicity/{vector_pairs.c,vector.c,*.h} . || exit 1
darn cc --darn-functions -O1 -g vector_pairs.c vector.c -o pairs -pthread || exit 1
line_of() { grep -n "$1" vector.c | head -1 | cut -d: -f1; }
size=$(line_of '    count = vector->count;') clear=$(line_of '    vector->count = 0;')
use=$(line_of '    if (size > vector->count)')

claim "one run tells that the copy of a vector is not atomic, also when it was lucky"
try darn predict --atomicity -- ./pairs copy clear
expect_status 66
expect_has "$out$err" "vector.c:$size:21: warning: possible atomicity violation on 'vector->count' [atomicity-violation, predicted by blocks]"
expect_has "$out$err" "vector.c:$clear:19: note: meanwhile thread T2 writes the same 4 bytes"
expect_has "$out$err" "vector.c:$use:24: note: then thread T1 reads the same 4 bytes"
expect_has "$out$err" "section: transaction in vector_copy"
expect_has "$out$err" "SUMMARY: darn: 1 possible atomicity violation (vector.c:$size vector_size 'vector->count')"

claim "two methods that are atomic are not reported"
try darn predict --atomicity -- ./pairs size clear
expect_status 0
expect_lacks "$out$err" "atomicity violation"

claim "without the option nobody looks for it"
try darn predict -- ./pairs copy clear
expect_lacks "$out$err" "atomicity violation"

claim "the hunt makes it happen, with a schedule that replays"
try darn hunt --seconds=20 --no-explore -o hunt -- ./pairs copy clear
expect_status 66
expect_has "$err" "darn hunt: predict: 0 possible data races, 0 deadlocks, 0 mishandled notifications, 1 atomicity violation"
expect_has "$out$err" "vector.c:$size:21: warning: atomicity violation on 'vector->count' [atomicity-violation, confirmed]"
try darn replay --times=20 hunt/1
expect_same "$out" "20 of 20"

# Methods of a class, which are inlined: four copies of one access, two of them in one line.
cat >bank.cc <<'END'
#include <mutex>
#include <thread>
class account {
    mutable std::mutex lock;
    long balance = 0;

  public:
    long get() const
    {
        std::lock_guard<std::mutex> guard(lock);
        return balance;
    }
    void set(long value)
    {
        std::lock_guard<std::mutex> guard(lock);
        balance = value;
    }
};
struct bank {
    account from, to;
    void transfer(long amount);
    long total() const;
};
void bank::transfer(long amount)
{
    from.set(from.get() - amount);
    to.set(to.get() + amount);
}
long bank::total() const { return from.get() + to.get(); }
static bank ours;
int main()
{
    long seen = 0;
    std::thread one([] { ours.transfer(3); }), other([&] { seen = ours.total(); });

    one.join();
    other.join();
    return seen != 0;
}
END
claim "what inlined methods do is predicted and made to happen, at any level of optimization"
for level in -O0 -O1 -O2 "-O1 -fno-inline"; do
    darn c++ --darn-functions $level -g bank.cc -o bank -pthread || exit 1
    try darn hunt --seconds=20 --no-explore -o "bank$level" -- ./bank
    expect_same "$level $status" "$level 66"
    expect_has "$level $err" "0 mishandled notifications, 1 atomicity violation"
    expect_has "$level $out" "atomicity violation on 'this->balance"
    expect_has "$level $out" "[atomicity-violation, confirmed]"
    expect_has "$level $out" "  section: transaction in t" # total or transfer, whichever was first
    try darn replay --times=20 "bank$level/1"
    expect_same "$level $out" "$level 20 of 20"
done

# Two variables: each of them alone shows nothing.
cp "$(dirname "$0")"/../programs/atomicity/range.c . || exit 1
darn cc --darn-functions -O1 -g -fno-inline range.c -o range -pthread || exit 1
low=$(grep -n '    at->low = low;' range.c | cut -d: -f1) high=$(grep -n '    at->high = high;' range.c | cut -d: -f1)

claim "four accesses to two variables are made to happen, in their order"
try darn hunt --seconds=20 --no-explore -o two -- ./range
expect_status 66
expect_has "$err" "0 mishandled notifications, 1 atomicity violation"
expect_has "$err" "darn hunt: prove: 1 of 1 confirmed, "
expect_has "$out" "range.c:$low:13: warning: atomicity violation on 'at->low, at->high' [atomicity-violation, confirmed]
"
expect_has "$out" "meanwhile thread T2 reads 'at->low', holding mutex 'range.lock'"
expect_has "$out" "then thread T2 reads 'at->high', holding mutex 'range.lock'"
expect_has "$out" "range.c:$high:14: note: then thread T1 writes 'at->high', holding mutex 'range.lock'"
expect_has "$out" "  section: transaction in range_move"
expect_has "$out" "atomicity violation: T2 came in between"

claim "the schedule has the four places, and replays: the reader sees one end that has moved"
expect_same "$(grep -o "^aim [a-z-]*" two/1/schedule)" "aim first
aim second
aim third
aim fourth
aim unit
aim remote-unit"
try darn replay --times=20 two/1
expect_same "$out" "20 of 20"
expect_same "$(cat two/1/log)" "torn"

claim "what was confirmed is no longer predicted"
expect_same "$(grep -c '"certainty":"confirmed"' two/index.jsonl)" 1
expect_same "$(grep -c '"certainty":"predicted"' two/index.jsonl)" 0

# Like it, but the reader looks only when the other one has said that it is done.
cat >late.c <<END
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int low, high = 10, done, seen;
void range_move(void)
{
    pthread_mutex_lock(&lock);
    low = 100;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    high = 110;
    pthread_mutex_unlock(&lock);
}
void range_look(void)
{
    pthread_mutex_lock(&lock);
    seen = high - low;
    pthread_mutex_unlock(&lock);
}
static void *move(void *arg)
{
    range_move();
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}
static void *look(void *arg)
{
    for (int is_done = 0; !is_done; sched_yield()) {
        pthread_mutex_lock(&lock);
        is_done = done;
        pthread_mutex_unlock(&lock);
    }
    range_look();
    return arg;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, move, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return seen != 10;
}
END
darn cc --darn-functions -O1 -g -fno-inline late.c -o late -pthread || exit 1

claim "what the data keeps apart stays predicted"
try darn hunt --seconds=20 --no-explore -o late.out -- ./late
expect_status 0
expect_has "$err" "1 atomicity violation"
expect_has "$err" "darn hunt: prove: 0 of "
expect_same "$(grep -c '"certainty":"predicted".*"reason":"two-variables"' late.out/index.jsonl)" 1

# The reader can come only when the execution that does both is over; but then between two that do one thing each.
cat >again.c <<END
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int low, high = 10, done;
int seen;
void range_move(int moves_low, int moves_high)
{
    if (moves_low) {
        pthread_mutex_lock(&lock);
        low += 100;
        pthread_mutex_unlock(&lock);
    }
    if (moves_high) {
        pthread_mutex_lock(&lock);
        high += 100;
        pthread_mutex_unlock(&lock);
    }
}
void range_look(void)
{
    pthread_mutex_lock(&lock);
    seen = high - low;
    pthread_mutex_unlock(&lock);
}
static void *move(void *arg)
{
    range_move(1, 1);
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    range_move(1, 0);
    range_move(0, 1);
    return arg;
}
static void *look(void *arg)
{
    for (int is_done = 0; !is_done; sched_yield()) {
        pthread_mutex_lock(&lock);
        is_done = done;
        pthread_mutex_unlock(&lock);
    }
    range_look();
    return arg;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, move, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
END
darn cc --darn-functions -O1 -g -fno-inline again.c -o again -pthread || exit 1

claim "the accesses of a thread are of one execution of its function"
try darn hunt --seconds=20 --no-explore -o again.out -- ./again
expect_status 0
expect_has "$err" "1 atomicity violation"
expect_same "$(grep -c '"certainty":"predicted".*"reason":"two-variables"' again.out/index.jsonl)" 1

# Accesses in functions that were inlined into two others.
cat >inlined.c <<END
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static inline __attribute__((always_inline)) int get(void)
{
    int n;
    pthread_mutex_lock(&lock);
    n = count;
    pthread_mutex_unlock(&lock);
    return n;
}
static inline __attribute__((always_inline)) void put(int n)
{
    pthread_mutex_lock(&lock);
    count = n;
    pthread_mutex_unlock(&lock);
}
__attribute__((noinline)) void grow(void)
{
    int n = get();
    put(n + 1);
}
__attribute__((noinline)) void twice(void)
{
    int n = get();
    put(n * 2);
}
static void *one(void *arg)
{
    grow();
    return arg;
}
static void *two(void *arg)
{
    twice();
    return arg;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
END
darn cc --darn-functions -O2 -g inlined.c -o inlined -pthread || exit 1

claim "of inlined accesses those copies are aimed at that the prediction is about"
try darn hunt --seconds=20 --no-explore --sections=/dev/null -o inlined.out -- ./inlined
expect_status 66
expect_has "$err" "1 atomicity violation"
expect_has "$err" "darn hunt: prove: 1 of 1 confirmed, "

echo '{"darn-sections": 1}' >none.json

# One execution of the transaction gets and puts. Then, if LATE, the setter may come; but what the thread does from then on
# is one thing in each execution. ENTER and LEAVE are what makes the transaction.
cat >twice.c <<END
#include <pthread.h>
#include <sched.h>
#include <darn.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, outer = PTHREAD_MUTEX_INITIALIZER;
static int value, is_open;
int seen;
static __attribute__((noinline)) void get(void)
{
    pthread_mutex_lock(&lock);
    seen = value;
    pthread_mutex_unlock(&lock);
}
static __attribute__((noinline)) void put(void)
{
    pthread_mutex_lock(&lock);
    value = 1;
    pthread_mutex_unlock(&lock);
}
__attribute__((noinline)) LINKAGE void use(int gets, int puts)
{
    ENTER;
    if (gets)
        get();
    if (puts)
        put();
    LEAVE;
}
static void *user(void *arg)
{
    use(1, 1);
    pthread_mutex_lock(&lock);
    is_open = 1;
    pthread_mutex_unlock(&lock);
    AFTER;
    (void)outer;
    return arg;
}
static void *setter(void *arg)
{
    for (int may = !LATE; !may; sched_yield()) {
        pthread_mutex_lock(&lock);
        may = is_open;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    value = 100;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, user, NULL);
    pthread_create(&threads[1], NULL, setter, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
END

# twice NAME LINKAGE ENTER LEAVE AFTER: hunts for it with and without LATE; only what can happen is confirmed.
twice() {
    for late in 1 0; do
        darn cc --darn-functions -O1 -g -DLATE=$late -DLINKAGE="$2" -DENTER="$3" -DLEAVE="$4" -DAFTER="$5" twice.c \
            -o "$1.$late" -pthread || exit 1
        try darn hunt --seconds=20 --no-explore --sections=none.json -o "$1.$late.out" -- "./$1.$late"
        expect_has "$err" "1 atomicity violation"
        if [ $late = 1 ]; then
            expect_status 0
            expect_has "$err" "darn hunt: prove: 0 of 1 confirmed, "
        else
            expect_status 66
            expect_has "$err" "darn hunt: prove: 1 of 1 confirmed, "
            try darn replay --times=20 "$1.$late.out/1"
            expect_same "$out" "20 of 20"
        fi
    done
}
apart='use(1, 0); use(0, 1)'

claim "both accesses are of one execution of an annotated block"
twice block static 'DARN_ATOMIC_BEGIN(value)' 'DARN_ATOMIC_END(value)' "$apart"

claim "what comes after the end of a block is not in it"
twice behind static 'DARN_ATOMIC_BEGIN(value)' 'DARN_ATOMIC_END(value)' 'use(1, 0); put()'

claim "nor is what the same code does when it was not called from the function"
twice outside '' '' '' 'get(); put()'

claim "both accesses are of one execution of a critical section"
twice section static 'pthread_mutex_lock(&outer)' 'pthread_mutex_unlock(&outer)' "$apart"

claim "the section is told in the schedule"
expect_same "$(grep -c "^aim section " section.0.out/1/schedule)" 1

# A function that waits for others is not one transaction, but one before and one after that.
cat >waits.c <<END
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value, ends[2];
static sem_t asked, answered;
static pthread_barrier_t barrier;
int seen;
static void *other(void *arg)
{
    AWAIT;
    pthread_mutex_lock(&lock);
    value = 7;
    pthread_mutex_unlock(&lock);
    ANSWER;
    return arg;
}
__attribute__((noinline)) void work(int waits)
{
    pthread_mutex_lock(&lock);
    seen = value;
    pthread_mutex_unlock(&lock);
    if (waits) {
        ASK;
    }
    pthread_mutex_lock(&lock);
    value = 1;
    pthread_mutex_unlock(&lock);
}
static void *user(void *arg)
{
    work(0);
    work(1);
    return arg;
}
int main(void)
{
    pthread_t threads[2];
    sem_init(&asked, 0, 0);
    sem_init(&answered, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    seen = pipe(ends);
    pthread_create(&threads[0], NULL, user, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
END

# waits NAME ASK AWAIT ANSWER: before it waits, the function lets the other thread come.
waits() {
    darn cc --darn-functions -O1 -g -DASK="$2" -DAWAIT="$3" -DANSWER="$4" waits.c -o "$1" -pthread || exit 1
    try darn hunt --seconds=20 --no-explore --sections=none.json -o "$1.out" -- "./$1"
    expect_status 0
    expect_has "$err" "1 atomicity violation"
    expect_has "$err" "darn hunt: prove: 0 of 1 confirmed, "
}
byte='char byte = 0'

claim "a semaphore ends a transaction"
waits semaphore 'sem_post(&asked); sem_wait(&answered)' 'sem_wait(&asked)' 'sem_post(&answered)'

claim "so does a barrier"
waits barrier 'sem_post(&asked); pthread_barrier_wait(&barrier)' 'sem_wait(&asked)' 'pthread_barrier_wait(&barrier)'

claim "so does a message"
waits message "$byte; sem_post(&asked); if (read(ends[0], &byte, 1) < 0) return" 'sem_wait(&asked)' \
    "$byte; if (write(ends[1], &byte, 1) < 0) return arg"

finish
