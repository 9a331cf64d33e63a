#!/bin/bash
# needs: compiler
# darn cc --only=FILE: what a program for production gets, and what it does not.
. "$(dirname "$0")/plugin.bash"
export PATH=$bin:$PATH

raw_sites() { "$bin/../tests/tools/sites" "$1"; }
# FUNCTION KIND VARIABLE of each site, each once.
accesses() { raw_sites "$1" | awk '{ print $2, $3, $NF }' | sort -u; }
sections() { "$bin/../tests/tools/sections" "$1"; }
code_of() { objdump -dr "$1" | awk -v start="<$2>:" '$2 == start { on = 1; next } !NF { on = 0 } on'; }
whole_code() { objdump -dr "$1" | tail -n +4; }

cat >bank.h <<'END_OF_SOURCE'
struct account { int id; long balance; };
extern struct account *shared;
long audit(struct account *account);
long unrelated(long *values, int count);
END_OF_SOURCE
cat >bank.c <<'END_OF_SOURCE'
#include <pthread.h>
#include <stdio.h>
#include "bank.h"
static struct account the_account;
struct account *shared = &the_account;
static long hits;
static void deposit(struct account *account, long amount)
{
    long old = account->balance;
    hits++;
    account->balance = old + amount;
}
long look(void) { return shared->balance; }
void reset(void) { __atomic_store_n(&shared->balance, 0, __ATOMIC_SEQ_CST); }
int identify(void) { return shared->id++; }
static void *work(void *argument)
{
    for (int i = 0; i < 1000; i++)
        deposit(shared, 1);
    return argument;
}
int main(void)
{
    pthread_t thread;
    long values[4] = {1, 2, 3, 4};
    reset();
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    work(NULL);
    printf("%ld %ld %d %ld\n", look(), audit(shared), identify(), unrelated(values, 4));
    return 0;
}
END_OF_SOURCE
cat >audit.c <<'END_OF_SOURCE'
#include "bank.h"
long audit(struct account *a) { a->balance -= 1; return a->balance; }
int number(struct account *a) { return a->id; }
END_OF_SOURCE
cat >none.c <<'END_OF_SOURCE'
#include "bank.h"
long limits[64], count, worst;
volatile int stop;
long unrelated(long *values, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        if (values[i] > limits[i & 63])
            sum += values[i];
        count++;
    }
    return sum;
}
void wait(void) { while (!stop) ; }
long guess(int c) { long balance = c; return c ? worst + balance : count; }
END_OF_SOURCE
cat >wanted <<'END_OF_REPOSITORY'
{"darn-sections": 1,
 "sections": [
  {"variable": "account->balance", "function": "deposit", "file": "bank.c", "kind": "load-and-store",
   "entry": "9:25 read", "ends": ["11:22 write allow=read"]}
 ]}
END_OF_REPOSITORY
kept="load-and-store deposit account->balance entry=9:read end=11:write:read"

claim "it is what darn sections infer finds"
build darn-cc -O0 bank.c audit.c none.c -pthread -o bank
try darn sections infer -o inferred bank
expect_has "$(tr -d '\n' <inferred)" '"entry": "9:25 read", "ends": ["11:22 write allow=read"]'

for level in -O0 -O1 -O2 -O3; do
    claim "points and other accesses to the variable are instrumented, nothing else is ($level)"
    build darn-cc --only=wanted $level -c bank.c -o bank.o
    expect_same "$(accesses bank.o)" "deposit read account->balance
deposit write account->balance
look read shared->balance
reset write shared->balance"
    expect_same "$(sections bank.o)" "$kept"
    build darn-cc --only=wanted $level -c audit.c -o audit.o
    expect_same "$(accesses audit.o)" "audit read a->balance
audit write a->balance"
    # What reads and writes back the same variable goes along: the runtime decides by the address.
    expect_same "$(sections audit.o)" "load-and-store audit a->balance entry=2:read end=2:write:read"
    [ -z "$(raw_sites bank.o | grep -v ' deposit read ' | grep -v after)" ] ||
        fault "an access is not followed by its end"
    for function in look reset; do
        expect_has "$(code_of bank.o $function)" darn_hook_access
        expect_has "$(code_of bank.o $function)" darn_hook_done
    done
    expect_lacks "$(code_of bank.o identify)" darn
    expect_lacks "$(code_of audit.o number)" darn

    claim "no other hook, and no other condition ($level)"
    for symbol in attention filter hook_write hook_spin hook_wait hook_begin hook_fence; do
        expect_lacks "$(nm bank.o audit.o)" darn_$symbol
    done

    claim "a file of which nothing is needed is what clang makes of it ($level)"
    build darn-cc --only=wanted $level -c none.c -o none.o
    clang-19 $level -g -c none.c -o plain.o
    expect_same "$(whole_code none.o)" "$(whole_code plain.o)"
    expect_lacks "$(nm none.o)" darn
    expect_lacks "$(readelf -S none.o)" darn

    claim "the program works ($level)"
    build darn-cc bank.o audit.o none.o -pthread -o bank
    try ./bank
    expect_status 0
    expect_same "$out" "2000 1999 0 10"
done

claim "where the function is inlined into a loop, its accesses stay in it"
build darn-cc --only=wanted -O2 -c bank.c -o bank.o
expect_lacks "$(raw_sites bank.o)" ":0:"
[ "$(code_of bank.o work | grep -c 'darn_hook_access')" -ge 2 ] || fault "work does not load and store"

claim "only functions that are instrumented have a frame pointer"
expect_has "$(code_of bank.o look)" "push   %rbp"
expect_lacks "$(code_of bank.o identify)" "%rbp"

claim "a read that a write follows at once has no hook behind it"
cat >follow.c <<'END_OF_SOURCE'
long sum;
void f(void);
void near_by(void) { sum += 2; }
void far_away(void) { long s = sum; f(); sum = s + 2; }
END_OF_SOURCE
cat >sums <<'END_OF_REPOSITORY'
{"darn-sections": 1, "sections": [{"variable": "sum", "function": "gone", "file": "follow.c",
 "kind": "race", "entry": "1:1 write"}]}
END_OF_REPOSITORY
build darn-cc --only=sums -O1 -c follow.c -o follow.o
expect_same "$(raw_sites follow.o | cut -d ' ' -f 2-)" "near_by read - 8 sum
near_by write after 8 sum
far_away read after 8 sum
far_away write after 8 sum"

claim "moved lines are the same section"
mkdir moved
cp bank.h moved
{ printf '\n\n\n'; sed 's/^    hits++;/    hits++;\n\n/' bank.c; } >moved/bank.c
for level in -O0 -O2; do
    build darn-cc --only=wanted $level -Imoved -c moved/bank.c -o moved.o
    expect_same "$(sections moved.o)" \
        "load-and-store deposit account->balance entry=12:read end=16:write:read"
    expect_has "$(accesses moved.o)" "deposit write account->balance"
done

# compile_deposit BODY: bank.c with this function, in another directory under the same name.
compile_deposit() {
    awk -v body="$1" '/^static void deposit/ { print; print body; off = 1 } !off; /^}/ { off = 0 }' \
        bank.c >moved/bank.c
    cd moved
    build darn-cc --only=../wanted -O0 -c bank.c -o bank.o
    cd ..
}

claim "two that look alike are both there: which of them is meant, or none, the runtime says"
compile_deposit "{

    long old = account->balance;
    hits++;
    account->balance = old + amount;
    hits++;
    account->balance += 1;
}"
expect_same "$(sections moved/bank.o)" "load-and-store deposit account->balance entry=10:read end=12:write:read
load-and-store deposit account->balance entry=14:read end=14:write:read"
expect_has "$(accesses moved/bank.o)" "deposit read account->balance"
compile_deposit "{
    long old = account->balance;
    hits++;
    account->balance = old + amount;
    hits++;
    account->balance += 1;
}"
expect_same "$(sections moved/bank.o)" "$kept
load-and-store deposit account->balance entry=13:read end=13:write:read"

claim "a section that reads where the other one writes is another one"
compile_deposit "{

    long old = account->balance;
    hits++;
    if (old > amount)
        hits = account->balance;
}"
expect_same "$(sections moved/bank.o)" ""

# other NAME JSON...: a repository with one section.
other() { printf '{"darn-sections": 1, "sections": [\n %s]}\n' "$2" >"$1"; }

claim "sections over lines, of other kinds, and accesses that race"
other lines '"bank.c:8-12 balance allow=read"'
build darn-cc --only=lines -O1 -c bank.c -o lines.o
expect_has "$(sections lines.o)" "$kept"
expect_has "$(accesses lines.o)" "look read shared->balance"
expect_lacks "$(accesses lines.o)" hits
other lines '"bank.c:13-20 balance"'
build darn-cc --only=lines -O1 -c bank.c -o lines.o
expect_same "$(sections lines.o)" ""
other race '{"variable": "hits", "function": "deposit", "file": "bank.c", "kind": "race", "entry": "10:9 write"}'
build darn-cc --only=race -O1 -c bank.c -o race.o
expect_same "$(sections race.o)" "load-and-store deposit hits entry=10:read end=10:write:read"
expect_same "$(accesses race.o)" "deposit read hits
deposit write hits"
other learned '{"variable": "elsewhere", "function": "look", "file": "bank.c", "kind": "learned",
 "entry": "13:34 read", "ends": ["15:39 write in identify"]}'
build darn-cc --only=learned -O0 -c bank.c -o learned.o
expect_same "$(accesses learned.o)" "identify write shared->id
look read shared->balance"
other dropped '], "dropped": [{"variable": "hits", "function": "deposit", "file": "bank.c",
 "kind": "load-and-store", "entry": "10:9 read", "ends": ["10:9 write"], "why": "wrong"}'
build darn-cc --only=dropped -O1 -c bank.c -o dropped.o
expect_lacks "$(nm dropped.o)" darn

claim "ways out of a section are instrumented, and calls that lead into one"
cat >ways.c <<'END_OF_SOURCE'
int *top;
void f(void);
int pop(int n)
{
    if (top) {
        f();
        if (n > 7)
            return 0;
        f();
        return *top + (top == &n);
    }
    return 1;
}
END_OF_SOURCE
build darn-cc -O1 -shared -fPIC ways.c -o ways.so
try darn sections infer -o ways --kind=test-and-use ways.so
build darn-cc --only=ways -O1 -c ways.c -o ways.o
expect_has "$(nm ways.o)" darn_hook_leave
expect_has "$(raw_sites ways.o)" "pop leave"

claim "memory functions, and constants under another name"
cat >memory.c <<'END_OF_SOURCE'
#include <string.h>
char name[64];
long total;
static void add(long *to, long n) { *to += n; }
void use(void) { add(&total, 3); }
void set(long n) { total = n; }
void clean(void) { memset(name, 0, sizeof(name)); }
unsigned long size(void) { return strlen(name); }
END_OF_SOURCE
other memory '{"variable": "*to", "function": "add", "file": "memory.c", "kind": "load-and-store",
 "entry": "4:41 read", "ends": ["4:41 write allow=read"]},
 {"variable": "name[]", "function": "clean", "file": "memory.c", "kind": "race", "entry": "7:20 write"}'
build darn-cc --only=memory -O2 -c memory.c -o memory.o
expect_same "$(raw_sites memory.o | cut -d ' ' -f 2-)" "add read - 8 total
add write after 8 total
set write after 8 total
clean write range,after 0 name
size read range,after strlen name"
expect_has "$(code_of memory.o clean)" darn_hook_range
expect_has "$(code_of memory.o size)" darn_hook_string

claim "C++"
cat >queue.cc <<'END_OF_SOURCE'
#include <stdexcept>
#include <string>
template <class T> struct Queue {
    T *first;
    int count;
    int take() { int n = count; if (n == 0) throw std::runtime_error("empty"); count = n - 1; return n; }
    int size() const { return count; }
};
Queue<long> queue;
Queue<int> second;
std::string text;
int take() { try { return queue.take() + second.take(); } catch (...) { text += "none"; return 0; } }
int size() { return queue.size(); }
END_OF_SOURCE
sed -n '/^std/,$d; p' queue.cc >lone.cc
echo 'int size() { std::string s = "x"; s += "y"; return (int)s.size(); }' >>lone.cc
other queue '{"variable": "this->count", "function": "take", "file": "queue.cc", "kind": "load-and-store",
 "entry": "6:26 read", "ends": ["6:86 write allow=read"]}'
for level in -O0 -O2; do
    build darn-c++ --only=queue $level -c queue.cc -o queue.o
    for access in "take read" "take write" "size read"; do
        [[ $(accesses queue.o) == *"$access "*count* ]] || fault "$level: no $access"
    done
    [[ $(accesses queue.o) != *" "*first* ]] || fault "$level: $(accesses queue.o)"
    [[ $(sections queue.o) == *"load-and-store take "*"count entry=6:read end=6:write:read"* ]] ||
        fault "$level: $(sections queue.o)"
    build darn-c++ --only=wanted $level -c lone.cc -o lone.o
    clang++-19 $level -g -c lone.cc -o plain.o
    expect_same "$(whole_code lone.o)" "$(whole_code plain.o)"
done

claim "an ordinary build has no hook behind an access"
build darn-cc -O1 -c bank.c -o ordinary.o
expect_lacks "$(nm ordinary.o)" darn_hook_done
expect_lacks "$(raw_sites ordinary.o)" after
finish
