#!/bin/bash
# darn analyze with the engines for atomicity, on text traces.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

# The vector of Wang & Stoller, figures 1 and 7, with the lines of Vector.java.
cat >vector.std <<END
m|w(elementCount)|1
m|w(elementData)|2
m|fork(t1)|3
m|fork(t2)|4
t1|begin(Vector)|100
t1|acq(v1)|266
t1|r(elementCount)|267
t1|rel(v1)|268
t1|acq(v1)|689
t1|r(elementCount)|690
t1|r(elementData)|691
t1|rel(v1)|693
t1|end(Vector)|102
t2|begin(removeAllElements)|628
t2|acq(v1)|629
t2|w(elementData)|630
t2|w(elementCount)|631
t2|rel(v1)|633
t2|end(removeAllElements)|634
END

claim "blocks says which three accesses, in their order, and why nothing prevents it"
try "$darn" analyze --engine=blocks vector.std
expect_status 66
expect_has "$out" "vector.std:267: warning: possible atomicity violation on 'elementCount' [atomicity-violation, predicted by blocks]
  thread t1 reads it, holding mutex 'v1'
vector.std:631: note: meanwhile thread t2 writes it, holding mutex 'v1'
vector.std:690: note: then thread t1 reads it, holding mutex 'v1'
  pattern: "
expect_has "$out" "  why: t1 holds no lock from its first access to its last that the other holds, "
expect_has "$out" "  suppress: atomicity:elementCount"

claim "two variables are named at each access"
expect_has "$out" "possible atomicity violation on 'elementCount, elementData' [atomicity-violation, predicted by blocks]
  thread t1 reads 'elementCount', holding mutex 'v1'
vector.std:630: note: meanwhile thread t2 writes 'elementData', holding mutex 'v1'
vector.std:631: note: then thread t2 writes 'elementCount', holding mutex 'v1'
vector.std:691: note: then thread t1 reads 'elementData', holding mutex 'v1'"
expect_has "$(tail -1 .out)" "SUMMARY: darn: 2 possible atomicity violations ("

claim "reduction names the critical sections"
try "$darn" analyze --engine=reduction vector.std
expect_status 66
expect_has "$out" "vector.std:266: warning: possible atomicity violation of a transaction: its steps cannot be moved together [atomicity-violation, predicted by reduction]
  thread t1 takes mutex 'v1'
vector.std:689: note: thread t1 takes mutex 'v1'"

claim "one critical section from the first access to the last is atomic to all"
grep -v '|268$\|acq(v1)|689$' vector.std >whole.std
try "$darn" analyze --engine=blocks,reduction,reduction-online whole.std
expect_status 0
expect_has "$out" "SUMMARY: darn: nothing found in 17 events (blocks, reduction, reduction-online)"

claim "a potential deadlock is told too: the theorems take it that there is none"
printf '%s\n' 'a|acq(l)|1' 'a|acq(k)|2' 'a|rel(k)|3' 'a|rel(l)|4' 'b|acq(k)|5' 'b|acq(l)|6' 'b|rel(l)|7' \
    'b|rel(k)|8' >cycle.std
try "$darn" analyze --engine=blocks,deadlock --stats cycle.std
expect_status 66
expect_has "$(tail -1 .out)" "SUMMARY: darn: 1 possible deadlock ("
expect_has "$out" "blocks: 1 potential deadlocks: where there are any, what is said about atomicity may be wrong"

claim "the share of accesses to memory that has not escaped is told"
try "$darn" analyze --engine=blocks --stats vector.std
expect_has "$out" "blocks: 7 accesses to variables"
expect_has "$out" "blocks: 0 of them to memory that had not escaped, left out"

claim "a bound that is reached is said, and the rest is reported"
{
    for thread in a b; do
        echo "$thread|begin(f)|1"
        for i in $(seq 1 200); do echo "$thread|w(x$i)|$((10 + i))"; done
        echo "$thread|end(f)|2"
    done
} >long.std
try "$darn" analyze --engine=blocks long.std
expect_status 66
expect_has "$(tail -1 .out)" "SUMMARY: darn: 16 possible atomicity violations ("
expect_has "$err" "darn analyze: warning: engine blocks: 2 transactions of which not all pairs of accesses were looked at (--block-events)"

claim "the bound can be set"
try "$darn" analyze --engine=blocks --block-work=1 vector.std
expect_has "$err" "comparisons of blocks that were left out (--block-work)"
try "$darn" analyze --engine=blocks --block-work=none vector.std
expect_refused "darn analyze: --block-work=none: a number from 1 to 18446744073709551615 is needed"
try "$darn" analyze --engine=blocks --block-events=400 long.std
expect_lacks "$err" "(--block-events)"
try "$darn" analyze --engine=blocks --block-events=1 vector.std
expect_has "$err" "2 transactions of which not all pairs of accesses were looked at (--block-events)"
expect_has "$(tail -1 .out)" "SUMMARY: darn: 1 possible atomicity violation ("
try "$darn" analyze --engine=blocks --block-events=0 vector.std
expect_refused "darn analyze: --block-events=0: a number from 1 to 4294967295 is needed"
try "$darn" analyze --engine=blocks --block-events=5000000000 vector.std
expect_refused "darn analyze: --block-events=5000000000: a number from 1 to 4294967295 is needed"
try "$darn" analyze --engine=blocks --block-count=1 long.std
expect_has "$err" "blocks for which there was no room (--block-count)"
try "$darn" analyze --engine=blocks --block-count=100000 long.std
expect_lacks "$err" "(--block-count)"
try "$darn" analyze --engine=blocks --block-count=0 vector.std
expect_refused "darn analyze: --block-count=0: a number from 1 to 4294967295 is needed"

claim "order can be left out"
printf '%s\n' 'm|w(x)|1' 'm|fork(a)|2' 'a|begin(f)|10' 'a|r(x)|11' 'a|w(x)|12' 'a|end(f)|13' >ordered.std
try "$darn" analyze --engine=blocks ordered.std
expect_status 0
try "$darn" analyze --engine=blocks --no-order ordered.std
expect_status 66
try "$darn" analyze --engine=blocks --no-escape ordered.std
expect_status 0

claim "json has the variable of each access"
try "$darn" analyze --engine=blocks --json=out.jsonl vector.std
expect_same "$(wc -l <out.jsonl)" 2
expect_has "$(tail -1 out.jsonl)" '"kind":"atomicity-violation","certainty":"predicted","variable":"elementCount, elementData"'
expect_has "$(tail -1 out.jsonl)" '"variable":"elementData"'

claim "atomicity can be suppressed"
echo 'atomicity:elementCount' >sup
try "$darn" analyze --engine=blocks --suppressions=sup vector.std
expect_status 0

finish
