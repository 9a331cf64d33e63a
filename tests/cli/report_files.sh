#!/bin/bash
# darn report over the files of several runs: merged, compared with yesterday's, for services.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

# finding ID KIND CERTAINTY VARIABLE LINE COUNT [FUNCTION]: a line of JSON Lines.
finding() {
    printf '{"id":"%s","kind":"%s","certainty":"%s","variable":"%s","count":%s,"accesses":[' "$1" "$2" "$3" "$4" "$6"
    printf '{"op":"write","thread":"T1","file":"bank.c","dir":"%s/src","line":%s,"column":3,"function":"%s","stack":[],"locks":[]},' "$PWD" "$5" "${7-put}"
    printf '{"op":"read","thread":"T2","file":"bank.c","dir":"%s/src","line":%s,"column":5,"function":"get","stack":[],"locks":[]}],' "$PWD" $(($5 + 10))
    printf '"engine":"hb","same_value":false}\n'
}
finding 1111 data-race predicted rare 10 1 >a.jsonl
finding 2222 data-race predicted often 20 5 often >>a.jsonl
finding 2222 data-race observed often 20 7 often >b.jsonl
echo '{"kind":"summary","schedules":12}' >>b.jsonl
finding 2222 data-race predicted often 20 1 often >c.jsonl

claim "what was seen in the most files comes first, once, with all counts and the strongest certainty"
try "$darn" report a.jsonl b.jsonl c.jsonl
expect_status 66
expect_same "$err" ""
expect_same "$(grep -c "'often' \[data-race" .out)" 1
expect_has "$out" "bank.c:20:3: warning: data race on 'often' [data-race]"
expect_has "$out" "seen: 13 times, in 3 of 3 files"
expect_has "$out" "seen: 1 time, in 1 of 3 files"
[ "$(grep -n "'often' \[" .out | cut -d: -f1)" -lt "$(grep -n "'rare' \[" .out | cut -d: -f1)" ] || fault "the order: $out"
try "$darn" report --json a.jsonl b.jsonl c.jsonl
expect_same "$(sed -n '1s/.*"count":\([0-9]*\).*"files":\([0-9]*\).*/\1 \2/p' .out)" "13 3"

claim "only what is new counts, and is shown"
try "$darn" report --baseline=a.jsonl b.jsonl c.jsonl
expect_status 0
expect_lacks "$out" "warning"
expect_same "$err" "darn report: 0 new, 1 known by the baseline a.jsonl; of the baseline, 1 not seen"
try "$darn" report --baseline=b.jsonl a.jsonl
expect_status 66
expect_has "$out" "'rare'"
expect_lacks "$out" "'often'"

claim "a finding that a change has moved is no new one, another one beside it is"
finding 3333 data-race observed rare 99 1 >moved.jsonl
try "$darn" report --baseline=a.jsonl moved.jsonl
expect_status 0
finding 4444 data-race observed rare 120 1 >>moved.jsonl
try "$darn" report --baseline=a.jsonl moved.jsonl
expect_status 66
expect_has "$err" "1 new, 1 known"

claim "an empty baseline knows nothing, one that is missing is refused"
touch empty.jsonl
try "$darn" report --baseline=empty.jsonl a.jsonl
expect_status 66
try "$darn" report --baseline=missing.jsonl a.jsonl
expect_refused "darn report: baseline: missing.jsonl: No such file or directory"
try "$darn" report missing.jsonl
expect_refused "darn report: missing.jsonl: No such file or directory"
echo 'no JSON' >bad.jsonl
try "$darn" report a.jsonl bad.jsonl
expect_status 2
expect_has "$err" "bad.jsonl:1: this is not a finding"

claim "suppressions that match nothing are named"
printf '# known\nrace:often\ndeadlock:never\n' >supp
sed 's/"stack":\[\]/"stack":[{"function":"often","file":"bank.c","line":20}]/' c.jsonl >stack.jsonl
try "$darn" report --suppressions=supp stack.jsonl
expect_status 0
expect_same "$err" "darn report: supp:3: deadlock:never matches nothing here"
expect_has "$out" "1 suppressed"

claim "SARIF and annotations name files from the top of the sources"
mkdir -p .git src/deep
(cd src/deep && "$darn" report --sarif=../../out.sarif ../../a.jsonl >/dev/null)
expect_has "$(cat out.sarif)" '"uri":"src/bank.c","uriBaseId":"%SRCROOT%"'
expect_has "$(cat out.sarif)" "\"%SRCROOT%\":{\"uri\":\"file://$PWD/\"}"
try "$darn" report --sarif=- a.jsonl
expect_same "$out" "$(cat out.sarif)"
try "$darn" report --annotate=github b.jsonl
expect_status 66
expect_has "$out" "::error file=src/bank.c,line=20,col=3,title=data race on 'often'::"
try "$darn" report --annotate=github --baseline=b.jsonl b.jsonl
expect_status 0
expect_same "$out" ""
try "$darn" report --annotate=gitlab b.jsonl
expect_has "$out" '"location":{"path":"src/bank.c","lines":{"begin":20}}'
finding 5555 data-race observed often 20 1 often >>b.jsonl
try "$darn" report --annotate=github b.jsonl
expect_same "$(grep -c ^:: .out) $(grep -o '%0A1 variant with the same cause' .out)" "1 %0A1 variant with the same cause"
try "$darn" report --annotate=gitlab b.jsonl
expect_same "$(grep -o '"fingerprint"' .out | wc -l)" 2
try "$darn" report --annotate=nobody b.jsonl
expect_status 2
try "$darn" report --baseline=a.jsonl --sarif=state.sarif b.jsonl
expect_has "$(cat state.sarif)" '"baselineState":"unchanged"'

claim "a frame of a library has no source in SARIF"
sed 's|"stack":\[\]|"stack":[{"function":"get","file":"get.c","line":1,"module":"/bin/bank"},{"module":"/lib/pool.so"}]|; s|}$|,"program":"/bin/bank"}|' c.jsonl >library.jsonl
try "$darn" report --sarif=- library.jsonl
expect_has "$out" '"location":{},"module":"/lib/pool.so"'

claim "the command that shows it again says where there were arguments, and not which"
sed 's|}$|,"program":"/bin/bank","had_arguments":true}|' c.jsonl >arguments.jsonl
try "$darn" report arguments.jsonl
expect_has "$out" "-- /bin/bank ARGUMENTS..."

claim "SARIF that cannot be written is told of"
try "$darn" report --sarif=no/such a.jsonl
expect_refused "darn report: sarif: no/such cannot be written: No such file or directory"

finish
