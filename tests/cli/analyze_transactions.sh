#!/bin/bash
# Which functions of a compiled program are transactions: those that other files can call, and what is said otherwise.
# needs: compiler
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

# program NAME STORAGE: a counter with a section for the read and one for the write. $flags are for the compiler, $begin
# and $end stand around the two.
flags=--darn-functions begin='' end=''
program() {
    cat >"$1.c" <<END
#include <pthread.h>
#include "darn.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
$2 void add(int n);
$2 void add(int n)
{
    int old;

    $begin
    pthread_mutex_lock(&lock);
    old = sum;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    sum = old + n;
    pthread_mutex_unlock(&lock);
    $end
}
static void *run(void *arg)
{
    for (int i = 0; i < 3; i++)
        add(i);
    return arg;
}
int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, run, NULL);
    pthread_create(&b, NULL, run, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END
    # shellcheck disable=SC2086 # none, or several
    "$darn" cc -O0 $flags "$1.c" -o "$1" 2>.cc || fault "$1.c does not compile"
    "$darn" record -o "$1.trace" -- "./$1" >/dev/null 2>&1
}

claim "a function with external linkage is one, and its two sections are not atomic"
program external ''
try "$darn" analyze --engine=blocks external.trace
expect_status 66
expect_has "$out" "external.c:12:11: warning: possible atomicity violation on 'sum' [atomicity-violation, predicted by blocks]"
expect_has "$out" "  section: transaction in add"
try "$darn" analyze --engine=reduction external.trace
expect_has "$out" "possible atomicity violation in add: its steps cannot be moved together"

claim "a static function is none: each of its sections is one"
program internal static
try "$darn" analyze --engine=blocks,reduction internal.trace
expect_status 0

claim "names override it both ways"
try "$darn" analyze --engine=blocks --transactions='a*' internal.trace
expect_status 66
expect_has "$out" "  section: transaction in add"
try "$darn" analyze --engine=blocks --no-transactions=add external.trace
expect_status 0

claim "a name that no function has is told, and only that"
try "$darn" analyze --engine=blocks --transactions='add,a*,subtract' --no-transactions='!run,z*' internal.trace
expect_status 66
expect_same "$err" "darn analyze: warning: transactions: no function that was recorded is called 'subtract', 'z*'"
try "$darn" analyze --engine=blocks --transactions='add' internal.trace
expect_same "$err" ""

claim "a trace without functions is told, where they are asked for"
flags='' program plain ''
for engine in blocks reduction reduction-online serial; do
    try "$darn" analyze --engine=$engine --transactions=subtract plain.trace
    expect_status 0
    expect_same "$err" "darn analyze: warning: atomicity: no functions were recorded, so only critical sections are expected to be atomic; compile with 'darn cc --darn-functions'"
done
try "$darn" analyze plain.trace
expect_same "$err" ""
try "$darn" predict --atomicity -- ./plain
expect_status 0
expect_has "$err" "darn predict: warning: atomicity: no functions were recorded, so only critical sections are expected"
try "$darn" predict -- ./plain
expect_lacks "$err" "warning"

claim "a file does so as well, with a comment and both ways"
printf '# what must be atomic\nad*\n!remove, !clear\n' >yes.list
try "$darn" analyze --engine=blocks --transactions=@yes.list internal.trace
expect_status 66
expect_has "$out" "  section: transaction in add"
printf 'remove\n!add   # it only counts\n' >no.list
try "$darn" analyze --engine=blocks --transactions=@no.list external.trace
expect_status 0

claim "a name in full counts for more than a pattern"
try "$darn" analyze --engine=blocks --transactions='!*,add' internal.trace
expect_status 66
try "$darn" analyze --engine=blocks --transactions='add' --no-transactions='a*' internal.trace
expect_status 66
try "$darn" analyze --engine=blocks --transactions='a*' --no-transactions='add' internal.trace
expect_status 0

claim "what cannot be read is refused"
try "$darn" analyze --engine=blocks --transactions=@none.list internal.trace
expect_refused "darn analyze: transactions: none.list: No such file or directory"
printf 'add\n!\n' >bad.list
try "$darn" analyze --engine=blocks --transactions=@bad.list internal.trace
expect_refused "darn analyze: transactions: bad.list:2: '' is no name of a function; it may have * for any letters, \
and ! before it"

claim "darn predict takes the same file, and looks at it before the program runs"
try "$darn" predict --atomicity --transactions=@yes.list -- ./internal
expect_status 66
expect_has "$err" "  section: transaction in add"
try "$darn" predict --atomicity --transactions=@none.list -- ./internal
expect_refused "darn predict: transactions: none.list: No such file or directory"

claim "an annotated function is one, though static, and though no functions were asked for"
flags='' program annotated 'DARN_ATOMIC_FUNCTION static'
try "$darn" analyze --engine=blocks annotated.trace
expect_status 66
expect_has "$out" "  section: transaction in add"
flags=--darn-functions program annotated_too 'DARN_ATOMIC_FUNCTION static'
try "$darn" analyze --engine=blocks annotated_too.trace
expect_status 66
expect_has "$out" "SUMMARY: darn: 1 possible atomicity violation ("

claim "a function that is annotated as not atomic is none, though others can call it"
flags=--darn-functions program denied DARN_NOT_ATOMIC_FUNCTION
try "$darn" analyze --engine=blocks,reduction denied.trace
expect_status 0

claim "the command line has the last word"
try "$darn" analyze --engine=blocks --no-transactions=add annotated.trace
expect_status 0
try "$darn" analyze --engine=blocks --transactions=add denied.trace
expect_status 66

claim "an annotated block is one; in a function with another the outermost counts"
flags='' begin='DARN_ATOMIC_BEGIN(sum);' end='DARN_ATOMIC_END(sum);' program block static
try "$darn" analyze --engine=blocks block.trace
expect_status 66
expect_has "$out" "  section: transaction in add"
flags=--darn-functions begin='DARN_ATOMIC_BEGIN(sum);' end='DARN_ATOMIC_END(sum);' program outer ''
try "$darn" analyze --engine=blocks --stats outer.trace
expect_status 66
expect_has "$out" "blocks: 6 transactions"

claim "nothing is annotated for other compilers"
${CC:-cc} -Wall -Wextra -Werror -I"$bin/../include" -fsyntax-only annotated.c 2>.cc || fault "$(cat .cc)"

finish
