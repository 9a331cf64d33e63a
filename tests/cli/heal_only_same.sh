#!/bin/bash
# needs: compiler
# One repository and one program: an ordinary build and one with --only heal the same sections, for the compiler and the
# runtime have one rule for what a repository means (src/section/match.h).
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

cat >main.c <<'END'
#include <pthread.h>
void work(int round);
static void *thread(void *unused)
{
    for (int i = 0; i < 100; i++)
        work(i);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, thread, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
END

# build OUTPUT OPTIONS FILE...: an object for each file, so that files of one name do not meet.
build() {
    local output=$1 options=$2 number=0 file

    shift 2
    rm -f ./*.o
    for file in "$@" main.c; do
        number=$((number + 1))
        "$darn" cc $options -g -c "$file" -o "$number.o" || fault "$file does not compile"
    done
    "$darn" cc ${options//-O[0-9]/} ./*.o -o "$output" -pthread || fault "$output is not linked"
}

infer() {
    local kind=$1 options=$2

    shift 2
    build inferred "$options" "$@"
    "$darn" sections infer --kind="$kind" -o wanted ./inferred >/dev/null || fault "nothing is inferred"
}

# Of each section of `wanted`, where it is in the file, how it was found, and how often a thread was in it.
account() {
    rm -f counts
    DARN_OPTIONS=heal=wanted:heal_bound=20000:heal_out=counts try "$1"
    expect_status 0
    sed -n 's/.*"line":\([0-9]*\),.*"function":"\([^"]*\)".*"match":"\([a-z]*\)".*"entered":\([0-9]*\).*/\1 \2 \3 \4/p' counts
}

# healed OPTIONS EXPECTED FILE...: what both builds of the program make of `wanted`.
healed() {
    local options=$1 expected=$2

    shift 2
    build ordinary "$options" "$@"
    build only "$options --only=wanted" "$@"
    expect_same "ordinary: $(account ./ordinary)" "ordinary: $expected"
    expect_same "only: $(account ./only)" "only: $expected"
}

cat >seats.c <<'END'
static volatile long seats = 9, seen;
__attribute__((noinline)) static void take(int n)
{
    if (seats > 0) {
        if (n & 1)
            seen = seats;
        else
            seats = 5;
    }
}
void work(int round) { take(round); }
END

claim "as inferred"
infer test-and-use -O1 seats.c
healed -O1 "3 take exact 200" seats.c

claim "a section that has one end more than the repository says, and of another kind"
sed -i 's/"8:[^"]*write[^"]*", //' wanted
expect_lacks "$(cat wanted)" write
healed -O1 "3 take exact 200" seats.c

claim "a section that the repository calls by another kind"
infer test-and-use -O1 seats.c
sed -i 's/test-and-use/pair/' wanted
healed -O1 "3 take exact 200" seats.c

claim "names that the optimizer has made other ones"
cat >point.c <<'END'
static volatile long total, other;
static void add(volatile long *to, long n)
{
    long old = *to;
    for (volatile int i = 0; i < 10; i++)
        ;
    *to = old + n;
}
void work(int round) { add(&total, round); other = round; }
END
infer load-and-store -O0 point.c
expect_has "$(cat wanted)" '"variable": "*to"'
healed -O2 "3 add exact 200" point.c

claim "a function that is inlined twice: two sections, the same accesses"
cat >twice.c <<'END'
static volatile long x, y;
static inline long get(void) { return x; }
static inline void put(long n) { x = n; }
__attribute__((noinline)) static void twice(int n)
{
    long a = get();
    put(a + 1);
    y = 1;
    if (n % 4)
        return;
    a = get();
    put(a + 1);
}
void work(int round) { twice(round); }
END
infer load-and-store -O2 twice.c
healed -O2 "3 twice exact 200
5 twice exact 50" twice.c

claim "two alike in a header, in two files, after their lines have moved"
cat >both.h <<'END'
extern volatile long total, other;
static inline void both(long n)
{
    long old = total;
    for (volatile int i = 0; i < 10; i++)
        ;
    total = old + n;
    other = n;
    old = total;
    for (volatile int i = 0; i < 10; i++)
        ;
    total = old + n;
}
END
printf '#include "both.h"\nvolatile long total, other;\nvoid more(int);\nvoid work(int n) { both(n); more(n); }\n' >one.c
printf '#include "both.h"\nvoid more(int n) { both(n); }\n' >two.c
infer load-and-store -O1 one.c two.c
sed -i '1i\\n' both.h
healed -O1 "3 both moved 400
5 both moved 400" one.c two.c

claim "files of one name: what could be several is not healed, in whatever file they are"
mkdir -p a b
cp seats.c a/seats.c
infer test-and-use -O1 a/seats.c
sed -i '1i\\n' a/seats.c
cat >b/seats.c <<'END'
static volatile long seats = 9, seen;
__attribute__((noinline)) static void take(int n)
{
    if (seats > 0) {
        if (n & 1)
            seen = seats;
        else
            seats = 5;
    }
    seen = 3;
    if (seats > 1) {
        if (n & 1)
            seen = seats;
        else
            seats = 5;
    }
}
void more(int round) { take(round); }
END
healed -O1 "3 take none 0" a/seats.c b/seats.c
finish
