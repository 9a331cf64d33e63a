#!/bin/bash
# needs: compiler
# A race that was predicted, and reported, is observed later in the run: that is told in short, and there is one finding,
# in the text, in the file and in the summary.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH
program=$(cd "$(dirname "$0")/../programs/racy" && pwd)/meets_later.c

darn cc -O1 -g "$program" -o meets -pthread || exit 1

claim "what was predicted and then observed is one finding"
try darn run --json=found.jsonl -- ./meets
expect_status 66
expect_same "$(grep -c 'possible data race on .total. \[data-race, predicted by hb\]' <<<"$err")" 1
expect_same "$(grep -c 'data race on .total. \[data-race, predicted before and now observed\]' <<<"$err")" 1
expect_has "$err" "note: at the same time thread T"
expect_has "$err" "SUMMARY: darn: 1 data race ("
expect_same "$(wc -l <found.jsonl)" 1
expect_same "$(grep -o '"certainty":"[a-z]*"' found.jsonl)" '"certainty":"observed"'
expect_same "$(grep -o '"engine":"[a-z]*"' found.jsonl)" '"engine":"atomrace"'

claim "what was suppressed as predicted is not told when it is observed"
echo 'race:add' >suppressions
try darn run --suppressions=suppressions -- ./meets
expect_status 0
expect_lacks "$err" "warning"

claim "with --report=observed only the meeting is told"
try darn run --report=observed -- ./meets
expect_status 66
expect_lacks "$err" "predicted"
expect_has "$err" "data race on 'total' [data-race]"
expect_has "$err" "SUMMARY: darn: 1 data race ("

finish
