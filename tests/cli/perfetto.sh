#!/bin/bash
# darn trace export-perfetto and darn report --perfetto: tracks that a trace viewer can read.
. "$(dirname "$0")/lib.bash"
. "$(dirname "$0")/perfetto.bash"
darn=$bin/darn

cat >t.std <<'END'
main|fork(worker)|1
worker|begin(f)|5
worker|acq(a)|10
worker|acq(b)|10
worker|w(count)|11
worker|rel(a)|12
worker|rel(b)|12
worker|end(f)|5
main|join(worker)|2
main|acq(b)|3
main|r(count)|3
main|rel(b)|3
main|acq(held)|4
END

claim "the check finds what is wrong"
try "$darn" trace export-perfetto t.std
expect_status 0
cp .out good.json
check_tracks good.json
before=$faults
sed '0,/"ph":"E"/{/"ph":"E"/d}' good.json >bad.json
check_tracks bad.json 2>/dev/null
sed 's/"ts":60/"ts":600/' good.json >bad.json
check_tracks bad.json 2>/dev/null
sed '/"ph":"f"/d' good.json >bad.json
check_tracks bad.json 2>/dev/null
sed '/"thread_name"/d' good.json >bad.json
check_tracks bad.json 2>/dev/null
found=$((faults - before))
faults=$before
rm -f "$faulty"
expect_same "$found" 4

claim "threads are tracks, locks are slices, accesses are instants"
expect_has "$out" '"tid":2,"name":"thread_name","args":{"name":"worker"}}'
expect_has "$out" '{"ph":"i","pid":1,"tid":2,"name":"write count","ts":50,"cat":"access","s":"t","args":{"at":"11"}}'
for name in f a b; do
    expect_has "$out" "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"name\":\"$name\""
done

claim "locks that do not nest are cut, and opened again"
expect_same "$(grep -c '"tid":2,"name":"b"' .out)" 2

claim "arrows go from the fork to the thread, and from an unlock to the next lock of another thread"
expect_same "$(grep -E '"ph":"[sf]"' .out | sed 's/.*"ph":"\(.\)".*"tid":\(.\).*"ts":\([0-9]*\).*"id":\(.\).*/\1 \2 \3 \4/' | tr '\n' ';')" \
    "s 1 10 1;f 2 20 1;s 2 70 2;f 1 100 2;"

claim "hostile names stay text"
printf '%s\n' 'a"]}|w(x"\y)|1' >evil.std
try "$darn" trace export-perfetto evil.std
cp .out evil.json
check_tracks evil.json

claim "of a damaged trace, what comes before is written whole"
printf '%s\n' 'T1|acq(a)|1' 'T1|nonsense' >bad.std
try "$darn" trace export-perfetto bad.std
expect_status 2
try "$darn" trace export-perfetto --prefix bad.std
expect_status 0
cp .out prefix.json
check_tracks prefix.json

claim "the story of a finding becomes tracks, with its switches as arrows and its end"
mkdir -p hunt/1 hunt/2
echo '{}' >hunt/state.json
tr -d '\n' >hunt/1/story.json <<'END'
{"version":1,"threads":[{"title":"T0 main"},{"title":"T1 one"},{"title":"T2 two"}],
"deeds":[{"op":"create","text":"create T1","place":0},{"op":"lock","text":"lock a"},{"op":"lock","text":"lock b"},
{"op":"unlock","text":"unlock a"},{"op":"write","text":"write x","place":0}],
"steps":[0,0,2, 1,1,0, 1,2,0, 1,3,0, 2,1,1, 2,4,0],"switches":[1,"T0 waits",4,"T1 is interrupted"],
"holds":[1,0,1,3, 1,1,2,6, 2,0,4,6],"locks":["a","b"],"met":[],
"ending":[{"text":"deadlock"},{"text":"T2 waits for b, which T1 holds","thread":2}],"places":[{"file":"a.c","line":7}],"made":6}
END
object='{"id":"one","kind":"deadlock","certainty":"confirmed","accesses":[],"directory":"1"}'
echo "$object" >hunt/1/finding.json
echo "$object" >hunt/index.jsonl
try "$darn" report --perfetto=story.out hunt/1
expect_status 66
expect_same "$out$err" ""
check_tracks story.out
out=$(cat story.out)
expect_has "$out" '"name":"write x","ts":60,"cat":"access","s":"t","args":{"at":"a.c:7"}}'
expect_has "$out" '{"ph":"B","pid":1,"tid":3,"name":"T2 waits for b, which T1 holds"'
expect_same "$(grep -c '"ph":"s"' story.out)" 2
try "$darn" report --perfetto=again.out hunt
expect_status 66
cmp -s story.out again.out || fault "the only finding of a hunt is not what it says itself"

claim "one story at a time, and one that there is"
cp hunt/1/story.json hunt/1/finding.json hunt/2
echo "${object//1/2}" >>hunt/index.jsonl
sed -i '2s/one/two/' hunt/index.jsonl
try "$darn" report --perfetto=x hunt
expect_refused "darn report: --perfetto: there are 2 stories; name one of them: hunt/2"
echo '{"id":"a","kind":"data-race","certainty":"predicted","accesses":[]}' >p.jsonl
try "$darn" report --perfetto=x p.jsonl
expect_refused "darn report: --perfetto: there is no finding with a story"
[ ! -e x ] || fault "a file was left"

claim "wrong use of --html is told in one line"
try "$darn" report --html=x
expect_refused "darn report: nothing to show; usage: darn report --html=FILE DIRECTORY|FILE..."
try "$darn" report --html=x nowhere
expect_refused "darn report: nowhere: No such file or directory"
try "$darn" report --html=x t.std
expect_status 2
expect_has "$err" "t.std:1: this is not a finding"
mkdir empty
try "$darn" report --html=x empty
expect_refused "darn report: empty is neither the directory of a hunt nor of a finding"
try "$darn" report --html=none/x p.jsonl
expect_refused "darn report: --html: none/x cannot be written: No such file or directory"
[ ! -e x ] || fault "a file was left"

claim "what the baseline has, or what is suppressed, is not on the page; SARIF is written as well"
object() { printf '{"id":"%s","kind":"data-race","certainty":"observed","variable":"%s","count":1,"accesses":[{"op":"write","thread":"T1","file":"a.c","line":3,"function":"f%s","stack":[{"function":"f%s","file":"a.c","line":3}],"locks":[]}]}\n' "$1" "$1" "$1" "$1"; }
{ object old; object new; object bad; } >found.jsonl
object old >known.jsonl
echo 'race:fbad' >supp
try "$darn" report --html=few.html --baseline=known.jsonl --suppressions=supp found.jsonl
expect_status 66
expect_same "$(grep -o '"id":"[a-z]*","kind"' few.html)" '"id":"new","kind"'
try "$darn" report --html=few.html --baseline=found.jsonl found.jsonl
expect_status 0
expect_lacks "$(cat few.html)" '"id":"new"'
try "$darn" report --html=all.html --sarif=found.sarif found.jsonl
expect_status 66
expect_same "$(grep -o '"id":"[a-z]*","kind"' all.html | wc -l)" 3
expect_has "$(cat found.sarif)" '"version":"2.1.0"'

claim "what a run predicted makes a page, and has the status that the text has"
object later | sed 's/observed/predicted/' >later.jsonl
try "$darn" report later.jsonl
expect_status 66
try "$darn" report --html=p.html later.jsonl
expect_status 66
[ -s p.html ] || fault "no page"
finish
