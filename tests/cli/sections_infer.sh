#!/bin/bash
# needs: compiler
# darn sections infer, check and show with programs that darn cc has compiled.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

cat >bank.c <<'END'
#include <pthread.h>

struct account {
    long balance;
};

struct account shared;
long total;

__attribute__((noinline)) void deposit(struct account *acct, long amount)
{
    acct->balance += amount;
}

static void *teller(void *unused)
{
    for (int i = 0; i < 100; i++)
        deposit(&shared, 1);
    if (total < 100)
        total = 7;
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, teller, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
END
"$darn" cc -O1 -g bank.c -o bank -pthread || fault "bank.c does not compile"

claim "the sections of a program become a repository that show can print"
try "$darn" sections infer ./bank
expect_status 0
expect_same "$err" ""
cp .out piped.sections
try "$darn" sections infer -o bank.sections ./bank
expect_status 0
expect_has "$out" "bank.sections: "
expect_has "$out" "load-and-store"
cmp -s bank.sections piped.sections || fault "-o writes something else than the standard output gets"
expect_has "$(cat bank.sections)" '{"variable": "acct->balance", "type": "account", "function": "deposit", "file": "bank.c"'
try "$darn" sections show bank.sections ./bank
expect_status 0
expect_same "$err" ""
expect_has "$out" "   12 |     acct->balance += amount;"

claim "the kinds can be chosen"
try "$darn" sections infer --kind=load-and-store ./bank
expect_status 0
expect_has "$out" '"load-and-store"'
expect_lacks "$out" '"test-and-use"'
try "$darn" sections infer --kind=test-and-use ./bank
expect_has "$out" '"test-and-use"'
expect_lacks "$out" '"load-and-store"'

claim "pairs come only when they are asked for"
try "$darn" sections infer ./bank
expect_lacks "$out" '"pair"'
try "$darn" sections infer --kind=pair ./bank
expect_has "$out" '"pair"'
try "$darn" sections infer --all ./bank
expect_has "$out" '"pair"'
expect_has "$out" '"load-and-store"'

claim "the file is replaced, not written into"
ln bank.sections before
try "$darn" sections infer -o bank.sections ./bank
expect_status 0
[ bank.sections -ef before ] && fault "it is the same file"
leftover=$(echo bank.sections.*)
expect_same "$leftover" 'bank.sections.*'

claim "a repository fits the program that it is from"
try "$darn" sections check bank.sections ./bank
expect_status 0
expect_has "$out" ", 0 do not"

claim "what does not fit is told with its place in the file"
# change EDIT ERROR: what is said after the edit of the repository.
change() {
    sed -e "$1" bank.sections >changed.sections
    cmp -s bank.sections changed.sections && fault "'$1' changes nothing"
    try "$darn" sections check changed.sections ./bank
    expect_status 1
    expect_has "$err" "changed.sections:"
    expect_has "$err" ": error: $2"
    expect_lacks "$out" ", 0 do not"
}
change 's/"load-and-store"/"pair"/; s/"12:\([0-9]*\) read"/"9912:\1 read"/' "bank.c:9912: the file has no such line any more"
change 's/"load-and-store"/"pair"/; s/"12:\([0-9]*\) read"/"13:\1 read"/' "nothing reads 'acct->balance' at bank.c:13:"
expect_has "$err" "the access may have moved to 12:"
change 's/"acct->balance"/"acct->credit"/' "bank.c:12:"
expect_has "$err" "accesses 'acct->balance', not 'acct->credit'"
change 's/"function": "deposit"/"function": "withdraw"/' "bank.c has no function 'withdraw' with accesses any more"
change 's/"file": "bank.c"/"file": "shop.c"/' "the program has no accesses in a file 'shop.c'"

claim "a section whose lines have moved fits, as it would be watched and healed; it is said where it is"
sed -e 's/"12:\([0-9]*\) read"/"13:\1 read"/' bank.sections >changed.sections
try "$darn" sections check changed.sections ./bank
expect_status 0
expect_has "$out" "'acct->balance' in deposit has moved: it begins at bank.c:12:19, not 13:19"
expect_has "$out" " fit, 0 do not; 1 has moved"

claim "lines mean sections of the program, or it is said why they do not"
by_hand() { printf '{"darn-sections": 1,\n "sections": [\n  "%s"\n ]}\n' "$1" >hand.sections; }
by_hand "bank.c:10-13 balance allow=read"
try "$darn" sections check hand.sections ./bank
expect_status 0
expect_has "$out" "hand.sections:3:3: bank.c:10-13 balance means load-and-store of acct->balance in deposit, from bank.c:12"
expect_has "$out" "1 section: 1 fit, 0 do not"
try "$darn" sections show hand.sections ./bank
expect_has "$out" "means load-and-store of acct->balance in deposit: bank.c:12 -> 12"
for wrong in \
    "shop.c:1-99 balance|the program has no accesses in a file 'shop.c'" \
    "bank.c:1000-1001 balance|the file has no such lines" \
    "bank.c:1-99 credit|bank.c accesses no variable 'credit'" \
    "bank.c:1-3 balance|'balance' is not accessed in these lines"; do
    by_hand "${wrong%|*}"
    try "$darn" sections check hand.sections ./bank
    expect_status 1
    expect_same "$err" "hand.sections:3:3: error: ${wrong%|*}: ${wrong#*|}"
done

claim "shared objects that the program needs are read, too, unless that is not wanted"
cat >use.c <<'END'
void deposit(void *acct, long amount);
extern char shared[];
int main(void)
{
    deposit(shared, 1);
    return 0;
}
END
sed -e 's/int main(void)/int not_main(void)/' bank.c >lib.c
"$darn" cc -O1 -g -fPIC -shared lib.c -o libbank.so -pthread &&
    "$darn" cc -O1 -g use.c -o use -L. -lbank '-Wl,-rpath,$ORIGIN' || fault "lib.c does not compile"
try "$darn" sections infer ./use
expect_status 0
expect_has "$out" '"function": "deposit", "file": "lib.c"'
try "$darn" sections infer --no-libs ./use
expect_lacks "$out" '"function": "deposit"'

claim "a damaged program is told, and nothing else happens"
head -c 3000 bank >cut
try "$darn" sections infer cut
[ "$status" -le 2 ] || fault "status $status"

claim "the example of the README is violated at the first try"
cp "$(dirname "$0")/../../examples/tickets.c" . || fault "there is no example"
"$darn" cc -O1 -g tickets.c -o tickets -pthread || fault "tickets.c does not compile"
try "$darn" sections infer -o tickets.sections ./tickets
expect_same "$out" "tickets.sections: 2 sections: 1 load-and-store, 1 test-and-use"
try "$darn" run --exitcode=7 --sections=tickets.sections --noise=section:1000/2000 -- ./tickets
expect_has "$err" "tickets.c:18:14: warning: atomicity violation on 'seats' [atomicity-violation]"
expect_has "$err" "  pattern: what was tested at line 18 had changed when it was used at line 26"
expect_has "$err" "  section: test-and-use in counter, from tickets.sections:5; inferred by the compiler"
expect_has "$err" "  next: mutex 'lock' is held at both accesses, but given back in between: hold it at tickets.c:18 up to line 26 without"
expect_has "$err" "SUMMARY: darn: 1 atomicity violation"
expect_has "$err" "(tickets.c:18 left 'seats'"

finish
