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
expect_has "$err" "darn hunt: predict: 0 possible data races, 0 deadlocks, 0 mishandled notifications, 1 atomicity violation ("
expect_has "$out$err" "vector.c:$size:21: warning: atomicity violation on 'vector->count' [atomicity-violation, confirmed]"
try darn replay --times=20 hunt/1
expect_same "$out" "20 of 20"

finish
