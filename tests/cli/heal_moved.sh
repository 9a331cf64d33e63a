#!/bin/bash
# needs: compiler
# heal=FILE with a repository of another version of the program: what is the same section still is healed, what is not is
# told, and no other variable is.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

# version NAME FUNCTION VARIABLE: a bank whose tellers add to VARIABLE in FUNCTION.
version() {
    mkdir -p "$1"
    cat >"$1/bank.c" <<END
#include <pthread.h>

static volatile long $3, fees;

__attribute__((noinline)) static void $2(long amount)
{
    long seen = $3;
    for (volatile int i = 0; i < 300; i++)
        ;
    $3 = seen + amount;
}

static void *teller(void *unused)
{
    for (int i = 0; i < 300; i++) {
        $2(1);
        fees = 1;
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, teller, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return $3 != 600;
}
END
}

# built DIRECTORY: compiles its bank.c as bank.
built() {
    (cd "$1" && "$darn" cc -O1 -g bank.c -o bank -pthread) || fault "$1/bank.c does not compile"
}

# healed DIRECTORY [REPOSITORY]: a run of it, healed with what version 1 has; what was counted is in $counts.
healed() {
    rm -f counts
    DARN_OPTIONS=heal=${2:-one/bank.sections}:heal_bound=20000:heal_out=counts try "$1/bank"
    counts=$(cat counts 2>/dev/null)
}

# has_rule VARIABLE MATCH ENTERED: a rule over the variable matches like this; ENTERED is `0`, or `+` for more.
has_rule() {
    local line entered
    line=$(grep "\"variable\":\"$1\"" <<<"$counts" | grep "\"match\":\"$2\"" | head -1)
    entered=$(sed -n 's/.*"entered":\([0-9]*\).*/\1/p' <<<"$line")
    if [ "$3" = 0 ]; then
        [ "$entered" = 0 ] || fault "no rule over '$1' with match '$2' was left out in: $counts"
    else
        [ "${entered:-0}" -gt 0 ] || fault "no rule over '$1' with match '$2' was entered in: $counts"
    fi
}

version one deposit balance
built one
(cd one && "$darn" sections infer --kind=load-and-store -o bank.sections ./bank >/dev/null) || fault "cannot infer"

claim "in the program that it is from, a repository matches"
healed one
expect_status 0
expect_same "$err" ""
has_rule balance exact +

claim "a section that has moved is healed"
version two deposit balance
sed -i '2a/* Two\n   lines more. */' two/bank.c
sed -i 's/    long seen/        long seen/' two/bank.c
built two
for run in 1 2 3 4 5; do
    healed two
    expect_status 0
    has_rule balance moved +
done

# watched DIRECTORY: a run of it that obeys what version 1 has.
watched() {
    DARN_OPTIONS=sections=one/bank.sections:exitcode=0 try "$1/bank"
}

claim "what is watched is what would be healed: the section where it is now"
watched two
expect_lacks "$err" "does not begin where the repository says"

claim "another directory, and another path on the command line of the compiler, do not matter"
mkdir -p deep/er
cp one/bank.c deep/er/
"$darn" cc -O1 -g deep/er/bank.c -o deep/bank -pthread || fault "it does not compile"
healed deep
expect_status 0
[ "$(grep -c '"match":"none"' <<<"$counts")" = 0 ] || fault "it does not match: $counts"

claim "a variable of another name is another variable"
version three deposit credit
built three
healed three
has_rule balance none 0
expect_lacks "$counts" '"variable":"credit"'
watched three
expect_has "$err" "the section over 'balance' in deposit (bank.c) does not begin where the repository says"

claim "a function of another name is another function"
version four pay_in balance
built four
healed four
has_rule balance none 0

claim "where lines have moved so that another variable stands at the place, that one is not healed"
version five deposit balance
sed -i 's/balance/\n/; s/fees/balance/g; s/\n/fees/' five/bank.c
sed -i '3,10s/balance/@/g; 3,10s/fees/balance/g; 3,10s/@/fees/g' five/bank.c
built five
healed five
expect_lacks "$counts" '"variable":"fees"'

# Two sections of the same shape in one function: which is which is known by their places alone.
similar() {
    mkdir -p "$1"
    cat >"$1/bank.c" <<END
#include <pthread.h>

static volatile long left[2], balance;
$3
__attribute__((noinline)) static void deposit(long amount)
{
    long seen = balance;
    for (volatile int i = 0; i < 100; i++)
        ;
    balance = seen + amount;
    for (volatile int i = 0; i < 100; i++)
        ;
$2
}

static void *teller(void *unused)
{
    for (int i = 0; i < 300; i++)
        deposit(1);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, teller, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return left[0] != 0;
}
END
}
second='    seen = balance;
    for (volatile int i = 0; i < 100; i++)
        ;
    balance = seen + amount;'

claim "of two sections of one shape, both are healed when both have moved"
similar six "$second" ""
built six
(cd six && "$darn" sections infer --kind=load-and-store -o bank.sections ./bank >/dev/null) || fault "cannot infer"
expect_same "$(grep -c '"function": "deposit"' six/bank.sections)" 2
similar seven "$second" "/* moved
 */"
built seven
healed seven six/bank.sections
expect_status 0
expect_same "$(grep -c '"match":"moved"' <<<"$counts")" 2

claim "where only one of the two is left, and it has moved, neither is guessed"
similar eight "" "/* moved
 */"
built eight
healed eight six/bank.sections
expect_status 0
expect_same "$(grep -c '"match":"none","why":"[^"]' <<<"$counts")" 2

claim "a repository of another program heals nothing, and the program goes on"
cat >other.c <<'END'
int main(void)
{
    return 0;
}
END
"$darn" cc -O1 -g other.c -o two/other -pthread || fault "other.c does not compile"
rm -f counts
DARN_OPTIONS=heal=one/bank.sections:heal_out=counts try two/other
expect_status 0
counts=$(cat counts)
has_rule balance none 0

finish
