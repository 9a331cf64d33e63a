#!/bin/bash
# darn analyze on text traces: what it prints, writes and returns, and what it refuses.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

# trace FILE EVENT...
trace() {
    local file=$1
    shift
    printf '%s\n' "$@" >"$file"
}

trace race.std 'T0|fork(T1)|1' 'T0|fork(T2)|2' 'T1|acq(L)|12' 'T1|w(x)|13' 'T1|rel(L)|14' 'T2|r(x)|20'
trace locked.std 'T0|fork(T1)|1' 'T0|fork(T2)|2' 'T1|acq(L)|12' 'T1|w(x)|13' 'T1|rel(L)|14' \
    'T2|acq(L)|19' 'T2|r(x)|20' 'T2|rel(L)|21'
trace cycle.std 'T0|fork(T1)|1' 'T0|fork(T2)|2' 'T1|acq(a)|11' 'T1|acq(b)|12' 'T1|rel(b)|13' 'T1|rel(a)|14' \
    'T2|acq(b)|21' 'T2|acq(a)|22' 'T2|rel(a)|23' 'T2|rel(b)|24'
trace gate.std 'T0|fork(T1)|1' 'T0|fork(T2)|2' 'T1|acq(g)|10' 'T1|acq(a)|11' 'T1|acq(b)|12' 'T1|rel(b)|13' \
    'T1|rel(a)|14' 'T1|rel(g)|15' 'T2|acq(g)|20' 'T2|acq(b)|21' 'T2|acq(a)|22' 'T2|rel(a)|23' 'T2|rel(b)|24' \
    'T2|rel(g)|25'

claim "a possible race makes the status 66, and reads like a compiler's warning on stdout"
try "$darn" analyze race.std
expect_status 66
expect_same "$err" ""
expect_same "$out" "race.std:13: warning: possible data race on 'x' [data-race, predicted by hb, syncp]
  thread T1 writes it, holding mutex 'L'
race.std:20: note: thread T2 reads it, holding no lock
  why: only T1 holds a lock, and nothing in this run ordered the two accesses
  next: hold mutex 'L' at race.std:20 too, or make 'x' _Atomic
  suppress: race:x
  at length: --explain=1

SUMMARY: darn: 1 possible data race (race.std:13 'x')"

claim "nothing found is 0, and says in what and by whom"
try "$darn" analyze locked.std
expect_status 0
expect_same "$out" "SUMMARY: darn: nothing found in 8 events (hb, syncp, deadlock, notify)"
try "$darn" analyze gate.std
expect_status 0

claim "a possible deadlock says who holds what, and where it was taken"
try "$darn" analyze cycle.std
expect_status 66
expect_has "$out" "cycle.std:12: warning: possible deadlock between T1 and T2 [deadlock, predicted]
  thread T1 holds mutex 'a' (taken at cycle.std:11) and then takes mutex 'b'
cycle.std:22: note: thread T2 holds mutex 'b' (taken at cycle.std:21) and then takes mutex 'a'
  why: "
expect_has "$out" "  next: take mutex 'b' and mutex 'a' in the same order everywhere"
expect_has "$out" "  suppress: deadlock:b"
expect_has "$(tail -1 .out)" "SUMMARY: darn: 1 possible deadlock (cycle.std:12 'a, b')"

claim "what several engines predict is one finding"
try "$darn" analyze --engine=hb,hybrid race.std
expect_has "$out" "[data-race, predicted by hb, hybrid]"
expect_has "$out" "SUMMARY: darn: 1 possible data race ("
try "$darn" analyze --engine all race.std cycle.std
expect_status 66
grep -qE '^serial +0 +0 +[0-9.]+ +[0-9]+ +[0-9]+ +0$' .out || fault "no table of all engines: $out"
expect_has "$(tail -1 .out)" "SUMMARY: darn: 1 possible data race, 1 possible deadlock (race.std:13 'x', "

claim "engines are listed, and unknown ones refused"
try "$darn" analyze --engine=help
expect_status 0
for engine in hb syncp hybrid eraser eraser+ multilockset deadlock syncp-deadlock notify blocks reduction reduction-online serial views; do
    grep -q "^$engine  *[^ ]" .out || fault "$engine is not listed"
done
try "$darn" analyze --engine=hb,psychic race.std
expect_refused "darn analyze: there is no engine 'psychic'; --engine=help lists them"

claim "json has the fields that tools rely on, and the counts of several traces add up"
try "$darn" analyze --json=out.jsonl race.std
expect_same "$(wc -l <out.jsonl)" 1
line=$(cat out.jsonl)
for field in '"id":"' '"kind":"data-race"' '"certainty":"predicted"' '"variable":"x"' '"count":1 ' \
    '"accesses":[{"op":"write","thread":"T1","file":"race.std","line":13,' '"stack":[]' \
    '"locks":[{"kind":"mutex",' '"name":"L"' '"engine":"hb, syncp"'; do
    expect_has "$line" "$field"
done
cp race.std again.std
try "$darn" analyze --json=both.jsonl race.std again.std
expect_same "$(wc -l <both.jsonl)" 1
expect_has "$(cat both.jsonl)" '"count":2 '
id=${line#*\"id\":\"}
expect_has "$(cat both.jsonl)" "\"id\":\"${id%%\"*}\""
try "$darn" analyze --json=out.jsonl locked.std
expect_same "$(wc -l <out.jsonl)" 1
try "$darn" analyze --json=cycle.jsonl cycle.std
line=$(cat cycle.jsonl)
for field in '"kind":"deadlock"' '"variable":"a, b"' '"op":"acquire"' '"target":{"kind":"mutex",' \
    '"taken":{"file":"cycle.std","line":11}'; do
    expect_has "$line" "$field"
done

claim "suppressions hide what they name, and it does not count"
echo 'race:^x$' >supp
try "$darn" analyze --suppressions=supp race.std
expect_status 0
expect_same "$out" "SUMMARY: darn: nothing found in 6 events (hb, syncp, deadlock, notify); 1 suppressed"
try "$darn" analyze --suppressions=supp race.std cycle.std
expect_status 66
expect_lacks "$out" "data race"
echo 'deadlock:a' >supp
try "$darn" analyze --suppressions=supp cycle.std
expect_status 0

claim "stats tell what each engine found and cost, before the last line"
try "$darn" analyze --stats --engine=hb,deadlock race.std
expect_status 66
grep -qE '^hb +1 +1 +[0-9.]+ +[0-9]+ +[0-9]+ +0$' .out || fault "no row of hb: $out"
grep -qE '^deadlock +0 +0 ' .out || fault "no row of deadlock: $out"
expect_has "$(tail -1 .out)" "SUMMARY:"

claim "color and strip_path_prefix"
mkdir -p deep/down
cp race.std deep/down/
try "$darn" analyze --color=always --strip-path-prefix=deep/ deep/down/race.std
expect_has "$out" $'\e['
try "$darn" analyze --strip-path-prefix deep/ deep/down/race.std
expect_has "$out" "down/race.std:13: warning"
expect_lacks "$out" "deep/"

claim "what is no trace is refused in one line, with its place"
refused() {
    try "$darn" analyze "$@"
    expect_status 2
    expect_same "$out" ""
    expect_same "$(wc -l <.err)" 1
    [[ $err == "darn analyze: "* ]] || fault "$err"
}
refused missing.std
expect_has "$err" "missing.std: "
: >empty
refused empty
refused /
refused "$darn"
trace bad.std 'T1|w(x)|1' 'T1|frobnicate(x)|2'
refused bad.std
expect_has "$err" "bad.std:2: "
printf 'darntrc\n\xff\xff\xff\xff' >foreign
refused foreign
refused race.std bad.std
refused --json=never.jsonl race.std bad.std
[ ! -e never.jsonl ] || fault "the findings before the bad trace were written"

claim "with --prefix the events before the damage are analyzed"
{
    cat race.std
    echo rubbish
} >cut.std
refused cut.std
expect_has "$err" "cut.std:7: "
try "$darn" analyze --prefix cut.std
expect_status 66
expect_has "$out" "possible data race on 'x'"
expect_has "$err" "warning: cut.std:7: "
expect_has "$err" "; only what comes before was read"

claim "wrong use is refused in one line"
try "$darn" analyze
expect_refused "darn analyze: no trace; usage: darn analyze [options] TRACE..."
try "$darn" analyze --fast race.std
expect_refused "darn analyze: there is no option --fast; 'darn analyze --help' lists them"
try "$darn" analyze --stats=1 race.std
expect_refused "darn analyze: --stats takes no value"
try "$darn" analyze race.std --json
expect_refused "darn analyze: --json needs a value: --json=FILE"
try "$darn" analyze --color=pink race.std
expect_refused "darn analyze: --color=pink: auto, always or never is needed"
refused --json=no/such/place race.std
refused --suppressions=missing race.std

claim "a trace may be called like an option"
cp race.std ./--stats
try "$darn" analyze -- --stats
expect_status 66
expect_has "$out" "--stats:13: warning"

claim "at the end of a run the runtime has the locks of its trace looked at"
try sh -c 'DARN_OPTIONS=json=locks.jsonl "$0" report --locks <cycle.std' "$darn"
expect_status 66
expect_same "$out" ""
expect_has "$err" ":12: warning: possible deadlock between T1 and T2 [deadlock, predicted]"
expect_has "$(tail -1 .err)" "SUMMARY: darn: 1 possible deadlock"
expect_same "$(wc -l <locks.jsonl)" 1
try sh -c '"$0" report --locks <gate.std' "$darn"
expect_status 0
expect_same "$out$err" ""

claim "the ways to the same help are the same"
try "$darn" help analyze
cp .out page
try "$darn" analyze --help
expect_status 0
cmp -s .out page || fault "analyze --help"

claim "output that cannot be written is not a success"
try sh -c '"$0" analyze race.std >/dev/full' "$darn"
expect_status 1

finish
