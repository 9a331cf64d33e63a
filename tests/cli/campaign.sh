#!/bin/bash
# more: 50 kills instead of 6; a gigabyte of output instead of 50 MB
# darn campaign: where tests come from, what a killed campaign loses, and tests that would harm it. They
# are shell scripts: what darn sees in programs of its own is in campaign_programs.sh.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn
command -v sqlite3 >/dev/null || { echo "sqlite3 is not here"; exit 77; }
ask() { sqlite3 -cmd '.timeout 20000' "$1" "$2" 2>&1; }

script() {
    printf '#!/bin/sh\n%s\n' "$2" >"$1"
    chmod +x "$1"
}

claim "init takes commands with parameters, tries them, and writes a file that run reads"
script good 'test "$1" -ge 3'
script bad 'exit 3'
try "$darn" campaign init --test='./good {n}' --test="./bad 'two words'" --param=n=3..40 -o night.json
expect_status 0
expect_same "$out" "night.json: 2 tests, 1 of them pass"
expect_has "$err" "good: passes"
expect_has "$err" "bad: failed: exit status 3"
expect_has "$(cat night.json)" '"n": "3..40"'
expect_has "$(cat night.json)" '"two words"'

claim "a file that is there is not replaced unasked"
try "$darn" campaign init --test=./good -o night.json
expect_refused "darn campaign init: night.json is there already; --force replaces it"

claim "a test that always fails without noise, too, is marked and is no finding"
try "$darn" campaign run night.json --rounds=30 --jobs=2
expect_status 0
expect_has "$out" "30 rounds"
try "$darn" campaign status night.json
expect_has "$out" "rounds    30 in 1 shard"
expect_has "$out" "bad  fails without noise, too, each time"
expect_has "$out" "findings  0"

claim "run again, it goes on; the parameter has taken several values of its range, and no others"
try "$darn" campaign run night.json --rounds=30 --jobs=1
expect_same "$(ask night.db 'SELECT count(*), max(number) FROM rounds')" "60|60"
values=$(ask night.db "SELECT DISTINCT json_extract(setting,'$.n') FROM rounds WHERE test='good' AND mode='run'")
[ "$(wc -w <<<"$values")" -ge 3 ] || fault "only these values: $values"
for value in $values; do
    [ "$value" -ge 3 ] && [ "$value" -le 40 ] || fault "the value $value is not of its range"
done

claim "a test that fails sometimes only under other parameters is a finding, once"
script picky 'test "$1" -le 2'
try "$darn" campaign init --test='./picky {n}' --param=n='1|2|9' -o picky.json
# Without noise it gets the first value of choices, which passes.
try "$darn" campaign run picky.json --rounds=40 --jobs=1
expect_status 66
expect_has "$err" "picky (run): new: the test picky fails: exit status 1 [failure, observed]"
expect_same "$(ask picky.db 'SELECT count(*) FROM findings')" 1
expect_has "$out" "1 new finding;"

claim "a failure that comes without noise, too, as is seen later, is a finding no more"
script turns 'n=$(cat turns.count); echo $((n + 1)) >turns.count; test "$n" -lt 3'
echo 0 >turns.count
"$darn" campaign init --test=./turns --no-try -o turns.json >/dev/null
sed -i '/^  "hunt",$/d; /^  "explore"$/d; s/^  "run",$/  "run"/' turns.json
try "$darn" campaign run turns.json --rounds=6 --jobs=1
expect_status 0
expect_has "$err" "turns (run): new: the test turns fails: exit status 1 [failure, observed]"
expect_lacks "$out" "the test turns fails"
try "$darn" campaign status turns.json
expect_has "$out" "findings  0,"
expect_has "$out" "turns  flaky: it fails without noise, too"

claim "a runtime of another version that refuses our options says nothing of the test"
script old 'case $DARN_OPTIONS in *coverage*) echo "darn: DARN_OPTIONS: there is no option coverage" >&2; exit 2 ;; esac'
try "$darn" campaign init --test=./old -o old.json
try "$darn" campaign run old.json --rounds=5 --jobs=1
expect_has "$err" "old (run): unfit: another version of darn has compiled it"
expect_has "$err" "no test is left that can be run in any of its modes"
expect_same "$(ask old.db 'SELECT count(*) FROM findings')" 0

claim "init takes a folder, CTest's list, Meson's and Automake's"
mkdir folder && cp good bad folder/ && touch folder/text
try "$darn" campaign init --folder=folder --no-try -o folder.json
expect_same "$out" "folder.json: 2 tests"
mkdir -p ct/meson-info
printf 'add_test(one "%s/good" "5")\nset_tests_properties(one PROPERTIES ENVIRONMENT "A=b" TIMEOUT "7" WORKING_DIRECTORY "/")\n' "$PWD" >ct/CTestTestfile.cmake
printf 'add_test(off "%s/bad")\nset_tests_properties(off PROPERTIES DISABLED "TRUE")\n' "$PWD" >>ct/CTestTestfile.cmake
printf 'add_test(fails "%s/bad")\nset_tests_properties(fails PROPERTIES WILL_FAIL "TRUE")\n' "$PWD" >>ct/CTestTestfile.cmake
script skips 'exit 77'
printf 'add_test(skips "%s/skips")\nset_tests_properties(skips PROPERTIES SKIP_RETURN_CODE "77")\n' "$PWD" >>ct/CTestTestfile.cmake
try "$darn" campaign init --ctest=ct -o ct.json
expect_same "$out" "ct.json: 2 tests, 2 of them pass"
expect_has "$err" "skips: skipped: exit status 77"
expect_lacks "$(cat ct.json)" skip
for text in '"name": "one"' '"A": "b"' '"timeout": 7' '"directory": "/"' '"oracle": "test'; do
    expect_has "$(cat ct.json)" "$text"
done
printf '[{"name":"m","cmd":["%s/good","4"],"env":{"X":"y"},"workdir":null,"timeout":30,"suite":[]}]' "$PWD" >ct/meson-info/intro-tests.json
try "$darn" campaign init --meson=ct -o meson.json
expect_same "$out" "meson.json: 1 test, 1 of them pass"
mkdir am && cp good am/ && printf 'TESTS = good missing\nall:\n' >am/Makefile
try "$darn" campaign init --automake=am --no-try -o am.json
expect_same "$out" "am.json: 1 test"
expect_has "$err" "missing is not there: make check TESTS= builds it"

claim "a test that hangs, leaves processes, needs a terminal, prints a lot or fills the disk gets a line, and stops nothing"
script hangs 'trap "" TERM; while :; do sleep 1; done'
script forks "setsid sleep 4242 & (sleep 4242 &) ; exit 0"
script asks 'read -r answer </dev/tty && exit 0; exit 1'
bytes=50000000
does_all && bytes=1073741824
script prints "head -c $bytes /dev/zero"
script fills 'head -c 30000000 /dev/zero >$TMPDIR/full'
try "$darn" campaign init --test=./hangs --test=./forks --test=./asks --test=./prints --test=./fills --no-try -o bad.json
sed -i 's/"darn-campaign": 1,/&\n "file-size-mb": 20,/; s/"name": "hangs",/&\n   "timeout": 0.5,/' bad.json
try "$darn" campaign run bad.json --rounds=18 --jobs=2
expect_has "$out" "18 rounds"
expect_has "$err" "hangs (plain): hung: it was killed after 0."
expect_has "$err" "forks (plain): passed: it left processes behind, which were killed"
expect_has "$err" "prints (plain): passed: most of what it printed was thrown away"
expect_has "$err" "fills (plain): failed: a file of it became too large"
expect_has "$err" "asks (plain): failed: exit status 1: './asks: 2: cannot open /dev/tty: No such device or address'"
expect_same "$(ask bad.db "SELECT DISTINCT outcome FROM rounds WHERE test='asks'")" failed
expect_same "$(pgrep -f 'sleep 4242')" ""
expect_same "$(ls bad.db.d)" ""
[ "$(du -s --apparent-size -k bad.db | cut -f1)" -lt 1000 ] || fault "what it printed is in the database"

claim "init has the same protection and the same words, and a timeout for all"
script dies 'kill -9 $PPID'
script says 'printf "\033]0;title\007 it is broken"; exit 1'
rm -f full
try "$darn" campaign init --test=./hangs --timeout=0.5 -o hanging.json
expect_has "$err" "hangs: hung: it was killed after "
expect_has "$(cat hanging.json)" '"timeout": 0.5'
try env TMPDIR= "$darn" campaign init --test=./dies --test=./says --test=./fills -o tried.json
expect_has "$err" "dies: lost: whoever watched over it was killed"
expect_has "$err" "says: failed: exit status 1: '?]0;title? it is broken'"
expect_has "$err" "fills: passes"
[ ! -e full ] && [ ! -e /full ] || fault "what a test has put into its TMPDIR is left"

claim "a database of something else, and none, are refused"
echo text >other.db
try "$darn" campaign run night.json --db=other.db --rounds=1
expect_status 2
expect_has "$err" "other.db: file is not a database"
try "$darn" campaign status none.json
expect_status 2

claim "two campaigns do not write into one database at a time"
script slow 'sleep 3'
"$darn" campaign init --test=./slow --no-try -o slow.json >/dev/null
"$darn" campaign run slow.json --rounds=1 >/dev/null 2>&1 &
first=$!
await test -e slow.db.d/round-0
try "$darn" campaign run slow.json --rounds=1
expect_status 2
kill -TERM $first
wait $first

claim "kill -9 at any moment: no round is counted twice, none is lost but those under way, the database is sound"
script quick 'echo $$ >>"$LOG"'
LOG=$PWD/log
export LOG
"$darn" campaign init --test='./quick {n}' --param=n=1..4 --no-try -o kill.json >/dev/null
# Scripts cannot be hunted: to try takes time.
sed -i '/^  "hunt",$/d; /^  "explore"$/d; s/^  "run",$/  "run"/' kill.json
kills=6
does_all && kills=50
for ((i = 0; i < kills; i++)); do
    "$darn" campaign run kill.json --jobs=2 >/dev/null 2>&1 &
    victim=$!
    sleep "0.$((RANDOM % 90 + 10))"
    worker= # the process that works, if it is there already; else the one that waits for it
    ((i % 2)) && worker=$(pgrep -P $victim)
    kill -9 ${worker:-$victim}
    wait $victim 2>/dev/null
    before=${rounds:-0}
    if [ -e kill.db ]; then
        expect_same "$(ask kill.db 'PRAGMA integrity_check')" ok
        # It may have been killed before it had made the tables.
        rounds=0
        [ "$(ask kill.db "SELECT count(*) FROM sqlite_master WHERE name='rounds'")" = 0 ] ||
            rounds=$(ask kill.db 'SELECT count(*) FROM rounds')
        [ "$rounds" -ge "$before" ] || fault "$before rounds became $rounds"
    fi
done
# The one that was killed last may be going on for a moment: it has the database until it is gone.
again() { "$darn" campaign run kill.json --rounds=5 --jobs=2 >/dev/null 2>&1; }
await again
expect_same "$(ask kill.db 'SELECT count(*) FROM rounds')" $((${rounds:-0} + 5))
expect_same "$(ask kill.db 'SELECT count(*)=max(number) AND count(DISTINCT number)=count(*) FROM rounds')" 1
runs=$(wc -l <log)
rounds=$(ask kill.db "SELECT count(*) FROM rounds WHERE mode IN ('run', 'plain')")
# Each kill loses at most what two jobs had under way, or had just done.
[ "$runs" -ge "$rounds" ] && [ "$runs" -le $((rounds + 2 * kills)) ] ||
    fault "$runs runs, but $rounds rounds after $kills kills"
nobody_is_left() { ! pgrep -f 'campaign run kill.json' >/dev/null; }
await nobody_is_left || fault "processes are left: $(pgrep -f 'campaign run kill.json')"

finish
