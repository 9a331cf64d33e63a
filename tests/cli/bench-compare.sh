#!/bin/bash
# needs: nothing of darn
# The runner behind `make bench`: what it measures, what it refuses, what its tables say.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/lib.bash"
bench=$here/../../bench

clang-19 -std=gnu11 -g -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all \
    "$bench"/{compare,measure,plan,result,table}.c -o compare -lm || exit 1
mkdir logs

# program NAME BODY: the programs that the plans run are small scripts.
program() { printf '#!/bin/bash\n%s\n' "$2" >"$1" && chmod +x "$1"; }
program hang 'sleep 3456 & echo $! >hung; wait'
program crash 'kill -SEGV $$'
program races 'exit 66'
program spin 'for ((i = 0; i < $1; i++)); do :; done'
program hold 'dd if=/dev/zero of=/dev/null bs=$1 count=1 status=none'
program show 'echo "${NEW-unset}"'

# The lines of a plan, after that of the plain variant.
plan() {
    printf '%s\n' "variant plain plain 3 600 plain" "$@" >plan
    try ./compare plan logs
}

# The number in the row of a program, in the n-th table (user, wall, peak), of the first variant that is compared.
ratio() { grep "^| $1 |" .out | sed -n "$2p" | cut -d'|' -f4 | tr -d ' '; }

# expect_between LOW VALUE HIGH
expect_between() {
    awk -v low="$1" -v value="$2" -v high="$3" 'BEGIN {exit !(value >= low && value <= high)}' ||
        fault "'$2' is not between $1 and $3"
}

claim "ratios are those of what was measured: wall time, user time, peak memory"
plan "tables user wall peak" "variant more plain 3 600 more" "run nap plain sleep 0.5" "run nap more sleep 1.5" \
    "run spin plain ./spin 30000" "run spin more ./spin 300000" \
    "run hold plain ./hold 8M" "run hold more ./hold 160M"
expect_status 0
expect_between 1.5 "$(ratio nap 2)" 4
expect_between 4 "$(ratio spin 1)" 25
expect_between 4 "$(ratio hold 3)" 25
expect_has "$out" "| **geometric mean** | |"
expect_has "$out" "| **worst** | |"

claim "a run that takes too long is stopped, with what it started, and is no failure"
plan "variant long plain 3 1 long" "run hang plain true" "run hang long ./hang"
expect_status 0
expect_same "$(ratio hang 1)" ">1s"
expect_has "$out" "hang, long: stopped after 1 s; not in the means"
is_gone() { ! grep -qs "(sleep) [^Z]" "/proc/$(cat hung)/stat"; }
await is_gone || fault "what it started is still there"

claim "a crash, a bad exit status, a missing program and another output are failures"
for case in "./crash=killed by signal 11" "false=exit status 1" "./missing=exit status 127" \
    "echo more=its output differs from that of the plain build"; do
    plan "variant bad plain 2 60 bad" "run p plain true" "run p bad ${case%=*}"
    expect_status 1
    expect_has "$out" "p, bad: ${case#*=}"
    expect_same "$(ratio p 1)" failed
done

claim "exit status 66 is a report of races, not a failure"
plan "variant darn plain 1 60 darn" "run p plain true" "run p darn ./races"
expect_status 0
expect_has "$out" "p, darn: reported races"

claim "leading assignments go to the environment of their command and of no other"
plan "variant env plain 1 60 env" "run p plain ./show" "run p env NEW=1 ./show"
expect_status 1
expect_same "$(cat logs/p.plain.out) $(cat logs/p.env.out)" "unset 1"

claim "the goals are judged by what was measured"
plan "variant darn plain 1 60 darn" "variant max plain 1 60 max" "variant tsan plain 1 60 TSan" \
    "run spin plain ./spin 100000" "run spin darn ./spin 1000000" \
    "run spin max ./spin 1000000" "run spin tsan ./spin 100000" \
    "goal darn user worst 2.0 user time, worst" "below max tsan user user time below TSan" \
    "within darn user 2 0.000001 hardly more" "within darn user 2 1000 a little more"
expect_status 0
expect_has "$(grep 'user time, worst' .out)" "| **no** |"
expect_has "$(grep 'below TSan' .out)" "not spin ("
expect_has "$(grep 'below TSan' .out)" "0 of 1 | **no** |"
expect_has "$(grep 'hardly more' .out)" "0 of 1 | **no** |"
expect_has "$(grep 'a little more' .out)" "1 of 1 | yes |"

claim "a plan that makes no sense is refused with its line"
refused() {
    plan "$1"
    expect_refused "plan:2: $2"
}
refused "walk" "no such directive"
refused "variant x none 1 20 x" "the base is not a variant that stands before this one"
refused "variant plain plain 1 20 plain" "this variant is there already"
refused "variant x plain 0 20 x" "rounds and limit must be positive numbers"
refused "variant x plain 1" "usage: variant NAME BASE ROUNDS LIMIT TITLE..."
refused "run p nobody true" "no such variant that is run"
refused "goal nobody user mean 1.2 text" "no such variant, or no such quantity"
refused "goal plain user mean none text" "the limit must be a positive number"
refused "within plain user 1.2 none text" "the limit must be a positive number"
refused "run p plain" "usage: run PROGRAM VARIANT COMMAND..."
try ./compare plan no-such-directory
expect_refused "no-such-directory: No such file or directory"
try ./compare no-such-plan logs
expect_refused "no-such-plan: No such file or directory"

finish
