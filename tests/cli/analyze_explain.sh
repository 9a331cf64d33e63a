#!/bin/bash
# darn analyze --explain: one finding at length, for every engine.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

# The vector of Wang & Stoller, figure 1, with the lines of Vector.java.
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

claim "each finding says by which number it is explained"
try "$darn" analyze --engine=blocks vector.std
expect_has "$out" "  at length: --explain=1"
expect_has "$out" "  at length: --explain=2"

claim "the transactions, the accesses in order with their locks, and the lock that is given back in between"
try "$darn" analyze --engine=blocks --explain=1 vector.std
expect_status 66
expect_has "$out" "  steps: in the order that no order of whole transactions has
    1. thread t1 reads 'elementCount' at vector.std:267, holding mutex 'v1' (taken at vector.std:266)
       in the transaction Vector, which begins at vector.std:100
    2. thread t2 writes 'elementCount' at vector.std:631, holding mutex 'v1' (taken at vector.std:629)
       in the transaction removeAllElements, which begins at vector.std:628
    3. thread t1 reads 'elementCount' at vector.std:690, holding mutex 'v1' (taken at vector.std:689)
       in the transaction Vector, which begins at vector.std:100
  this run: 1 (event 7), 3 (event 10), 2 (event 17)
  between: what t1 did after 1 and before 3
    gives back mutex 'v1' at vector.std:268
    takes mutex 'v1' at vector.std:689
  locks: where they are held
    mutex 'v1' is held at 1, 2, 3; t1 gives it back between 1 and 3
  order: what puts steps in order for blocks: starts, joins and barriers; not locks
    thread m starts thread t1 at vector.std:3
    thread m starts thread t2 at vector.std:4
    1 and 2: no start, join or barrier orders them; in this run other synchronization had put 1 before 2, and another schedule may turn it round"
expect_has "$out" "  all: who accesses 'elementCount' in this run
    thread m writes 'elementCount' at vector.std:1, holding no lock
    thread t1 reads 'elementCount' at vector.std:267, holding mutex 'v1'"
expect_lacks "$out" "SUMMARY"

claim "an access that is made several times is told once, with its number"
{
    grep '^m' vector.std
    for i in 1 2 3; do grep '^t2' vector.std; done
    grep '^t1' vector.std
} >often.std
try "$darn" analyze --engine=blocks --explain=1 often.std
expect_has "$out" "    thread t2 writes 'elementCount' at often.std:631, holding mutex 'v1', 3 times"

claim "two variables: four accesses, what both threads did between theirs, and who touches each"
try "$darn" analyze --engine=blocks --explain=2 vector.std
expect_status 66
expect_has "$out" "    2. thread t2 writes 'elementData' at vector.std:630, holding"
expect_has "$out" "    4. thread t1 reads 'elementData' at vector.std:691, holding"
expect_has "$out" "  between: what t2 did after 2 and before 3
    no synchronization
  between: what t1 did after 1 and before 4
    gives back mutex 'v1' at vector.std:268"
expect_has "$out" "  all: who accesses 'elementData' in this run"

claim "the finding can be named by its id, too"
try "$darn" analyze --engine=blocks --json=out.jsonl vector.std
id=$(sed -n '2s/^{"id":"\([^"]*\)".*/\1/p' out.jsonl)
try "$darn" analyze --engine=blocks --explain="$id" vector.std
expect_status 66
expect_has "$out" "    4. thread t1 reads 'elementData' at vector.std:691, holding"

claim "what is suppressed is not counted"
echo 'atomicity:elementCount, elementData' >sup
"$darn" analyze --engine=blocks,reduction --suppressions=sup vector.std >list
try "$darn" analyze --engine=blocks,reduction --suppressions=sup --explain="$(grep -c 'at length' list)" vector.std
expect_status 66
expect_has "$out" "predicted by reduction]"

claim "reduction: the movers, and where the pattern breaks"
try "$darn" analyze --engine=reduction --explain=1 vector.std
expect_has "$out" "    R, moves to the right:  takes mutex 'v1' at vector.std:266
    B, moves both ways:     reads 'elementCount' at vector.std:267
    L, moves to the left:   gives back mutex 'v1'  <- from here on only L may follow
    R, moves to the right:  takes mutex 'v1' at vector.std:689  <- here the pattern breaks
    B, moves both ways:     reads 'elementCount' at vector.std:690
    B, moves both ways:     reads 'elementData' at vector.std:691
    L, moves to the left:   gives back mutex 'v1'"

# Figure 4 of the paper, in the order t3, t2, t4.
cat >figure4.std <<END
m|w(x)|1
m|fork(t2)|2
m|fork(t3)|3
m|fork(t4)|4
t3|begin(t3)|30
t3|acq(o1)|31
t3|r(x)|32
t3|rel(o1)|33
t3|end(t3)|34
t2|begin(t2)|20
t2|acq(o2)|21
t2|r(x)|22
t2|rel(o2)|23
t2|end(t2)|24
t4|begin(t4)|40
t4|r(x)|41
t4|acq(o1)|42
t4|acq(o2)|43
t4|w(x)|44
t4|rel(o2)|45
t4|rel(o1)|46
t4|end(t4)|47
END

claim "figure 4: reduction reports t2, t3 and t4, at t4; x does not move for t2 and t3, and blocks reports none"
try "$darn" analyze --engine=reduction --explain=1 figure4.std
expect_status 66
expect_has "$out" "    N, does not move:       reads 'x' at figure4.std:41  <- from here on only L may follow
    R, moves to the right:  takes mutex 'o1' at figure4.std:42  <- here the pattern breaks"
expect_has "$out" "  all: who accesses 'x' in this run
    thread m writes 'x' at figure4.std:1, holding no lock
    thread t3 reads 'x' at figure4.std:32, holding mutex 'o1'
    thread t2 reads 'x' at figure4.std:22, holding mutex 'o2'
    thread t4 reads 'x' at figure4.std:41, holding no lock
    thread t4 writes 'x' at figure4.std:44, holding mutex 'o1' and mutex 'o2'"
try "$darn" analyze --engine=blocks figure4.std
expect_status 0

claim "a race: the locks on both sides, and what could have ordered them"
printf '%s\n' 'T1|acq(L)|12' 'T1|w(x)|13' 'T1|rel(L)|14' 'T2|acq(M)|18' 'T2|rel(M)|19' 'T2|r(x)|20' >race.std
try "$darn" analyze --explain=1 race.std
expect_status 66
expect_has "$out" "    mutex 'L' is held at 1; not at 2
  around: what T1 did last before 1
    takes mutex 'L' at race.std:12
  around: what T1 did first after 1
    gives back mutex 'L' at race.std:14
  around: what T2 did last before 2
    takes mutex 'M' at race.std:18
    gives back mutex 'M' at race.std:19"
expect_has "$out" "    1 and 2: nothing in this run orders them"

claim "an order that the engine does not know of is told"
printf '%s\n' 'm|w(x)|1' 'm|fork(a)|2' 'a|w(x)|3' 'm|join(a)|4' 'm|w(x)|5' >joined.std
try "$darn" analyze --engine=eraser --explain=1 joined.std
expect_status 66
expect_has "$out" "  order: what puts steps in order for eraser: nothing: it goes by locks alone"
expect_has "$out" "a start, join or barrier puts "

claim "a deadlock: who takes the locks, and what is held there"
printf '%s\n' 'a|acq(l)|1' 'a|acq(k)|2' 'a|rel(k)|3' 'a|rel(l)|4' 'b|acq(k)|5' 'b|acq(l)|6' 'b|rel(l)|7' \
    'b|rel(k)|8' >cycle.std
try "$darn" analyze --explain=1 cycle.std
expect_status 66
expect_has "$out" "  all: who takes mutex 'k' in this run
    thread a takes mutex 'k' at cycle.std:2, holding mutex 'l'
    thread b takes mutex 'k' at cycle.std:5, holding no lock"

claim "what is not there, and several traces, are refused"
try "$darn" analyze --explain=2 race.std
expect_refused "darn analyze: --explain: there is no finding '2': 1 were found, and have the numbers from 1 on in the order in which they are printed"
try "$darn" analyze --explain=1 race.std cycle.std
expect_refused "darn analyze: --explain takes one trace, not 2"
try "$darn" analyze --explain= race.std
expect_refused "darn analyze: --explain needs a value: --explain=FINDING"

finish
