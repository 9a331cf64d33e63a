#!/bin/bash
# darn sections refine: what it makes of the counts that runs leave. The program is a script that
# writes them itself, by the number of the run: everything is known beforehand.
. "$(dirname "$0")/lib.bash"
export PATH=$bin:$PATH

# The run has the seed that was given and its number. `plan N FILE` appends the counts of run N and
# returns its status.
cat >prog <<'EOS'
#!/bin/bash
option() { printf %s "$DARN_OPTIONS" | sed -n "s/.*\b$1='\{0,1\}\([^:']*\).*/\1/p"; }
number=$(($(option seed) - 1000))
out=$(option sections_out)
echo "$number" >>numbers
case $DARN_OPTIONS in *section:*) ;; *) echo "no noise" >>faults ;; esac
[ -s "$(option sections)" ] || echo "no sections" >>faults
# What has gone by now is not asked for any more.
sed -n 's/.*"variable": "\([a-z]*\)".*/\1/p' "$(option sections)" | tr '\n' ' ' >last
status=0
. ./plan
exit $status
EOS
chmod +x prog

section() { # variable, line, ends
    printf '  {"variable": "%s", "function": "f", "file": "p.c", "kind": "%s",' "$1" "$2"
    printf ' "entry": "%d:5 read", "ends": [%s]}' "$3" "$4"
}
make_file() {
    {
        echo '{"darn-sections": 1,'
        echo ' "sections": ['
        section statistics load-and-store 10 '"11:5 write"'
        echo ,
        section flag test-and-use 20 '"21:5 read", "22:5 write"'
        echo ,
        section balance load-and-store 30 '"31:5 write"'
        echo ,
        section never pair 40 '"41:5 write"'
        echo ,
        echo '  "p.c:50-60 total"'
        echo ' ]}'
    } >prog.sections
}
refine() { try darn sections refine --seed=1000 "$@"; }
of() { tr -d '\n' <prog.sections | sed 's/   *{/\n{/g; s/   *"p/\n"p/g' | grep "$1"; }

# statistics: violated in run 3. flag: its second end in run 2. balance: in each run that fails,
# which is each fifth. total (over lines): only seen. Sections are in lines 2 to 6 of what the
# program is given.
cat >plan <<'EOS'
echo "end 2 0 7 $((number == 3))" >>"$out"
echo "end 3 0 5 0 something new" >>"$out"
echo "end 3 1 5 $((number == 2))" >>"$out"
if [ $((number % 5)) = 0 ]; then
    echo "end 4 0 4 2" >>"$out"
    status=1
else
    echo "end 4 0 4 0" >>"$out"
fi
echo "end 6 3 1 0" >>"$out"
echo "unknown words" >>"$out"
echo "done" >>"$out"
EOS

claim "correct runs take out what they violate; what only failing runs violate is kept and named"
make_file
refine --runs=12 --jobs=1 prog.sections -- ./prog
expect_status 0
expect_has "$(of '"statistics"')" '"why": "violated in a correct run (run 3)"'
expect_has "$(of '"never"')" '"why": "never seen in 18 runs"'
expect_has "$(of '"balance"')" 'write allow=read seen=72 violated=6'
expect_lacks "$(of '"balance"')" why
expect_has "$(of '"flag"')" '21:5 read allow=read seen=90'
expect_has "$(of '"flag"')" '22:5 write allow=read,write'
expect_lacks "$(of '"flag"')" why
expect_has "$(of 'p.c:50-60 total')" total
expect_lacks "$(of 'p.c:50-60 total')" why
expect_has "$(cat prog.sections)" '"refinement": {"runs": 18, "quiet": 12, "seed": 1000}'
[ ! -e faults ] || fault "$(cat faults)"

claim "it is told, the suspects first"
expect_same "$out" "violated only in failing runs:
  p.c:30: 'balance' in f (load-and-store), 6 times
3 of 5 sections are left: 1 load-and-store, 1 test-and-use, 1 by-hand
  1 went: violated in a correct run
  1 went: never seen in 18 runs
18 runs, 3 failed; the last 12 correct ones changed nothing"
expect_same "$err" "darn sections refine: run 2: violated: p.c:20: 'flag' in f (test-and-use) at line 22; everything is allowed there
darn sections refine: run 3: violated: p.c:10: 'statistics' in f (load-and-store); it goes
darn sections refine: run 5 failed (exited with status 1): violated: p.c:30: 'balance' in f (load-and-store) at line 31"

claim "what has gone is not given to the runs any more"
expect_same "$(cat last)" "flag balance never "

claim "the same command goes on where it ended, with other noise"
rm numbers
refine --runs=12 --jobs=1 prog.sections -- ./prog
expect_status 0
expect_same "$(head -1 numbers)" 19
expect_has "$out" "3 of 5 sections are left"
refine --runs=14 --jobs=1 -v prog.sections -- ./prog
expect_has "$out" "  p.c:10: 'statistics' in f (load-and-store): violated in a correct run (run 3)"
expect_has "$out" "  p.c:40: 'never' in f (pair): never seen in 18 runs"
expect_same "$(wc -l <numbers)" $((15 + 2 + 1))

claim "several runs at a time come to the same end"
make_file
refine --runs=12 --jobs=4 prog.sections -- ./prog
expect_status 0
expect_has "$(of '"statistics"')" '"why": "violated in a correct run (run 3)"'
expect_has "$(of '"never"')" '"why": "never seen in '
expect_has "$(of '"flag"')" '22:5 write allow=read,write'
expect_has "$out" "3 of 5 sections are left"

claim "-o leaves the file alone"
make_file
cp prog.sections before
refine --runs=3 --jobs=1 -o other prog.sections -- ./prog
expect_status 0
cmp -s prog.sections before || fault "the file was changed"
expect_has "$(cat other)" '"dropped": ['
refine --runs=3 --jobs=1 -o - prog.sections -- ./prog
expect_has "$out" '{"darn-sections": 1,'
expect_has "$err" "sections are left"

claim "an oracle judges, not the status; it gets the output and the status"
make_file
cat >plan.oracle <<'EOS'
echo "end 2 0 7 1" >>"$out"
echo "done" >>"$out"
echo "sum $((number % 2))"
echo "on stderr" >&2
status=3
EOS
cp plan plan.first
cp plan.oracle plan
refine --runs=2 --jobs=1 --oracle='test "$DARN_STATUS" = 3 && grep -q "sum 0" && cat >/dev/null' \
    prog.sections -- ./prog
expect_status 0
expect_has "$err" "run 1 failed (the oracle says no): violated: p.c:10: 'statistics'"
expect_has "$(of '"statistics"')" '"why": "violated in a correct run (run 2)"'
make_file
refine --runs=2 --jobs=1 --oracle='no-such-command-at-all' prog.sections -- ./prog
expect_status 2
expect_has "$err" "darn sections refine: the oracle cannot be asked: there is no such command"

claim "a run about which the oracle does not answer, or that leaves no counts, says nothing"
cat >plan <<'EOS'
if [ $number != 2 ]; then
    echo "end 2 0 7 $((number == 3))" >>"$out"
    echo done >>"$out"
fi
echo "$number"
EOS
make_file
refine --runs=2 --jobs=1 --timeout=3 --oracle='read n; [ "$n" != 3 ] || sleep 1000' prog.sections -- ./prog
expect_status 0
expect_same "$(tail -1 .out)" \
    "4 runs, 2 without an answer of the oracle or without counts; the last 2 correct ones changed nothing"
expect_lacks "$(of '"statistics"')" why
cp plan.oracle plan

claim "--expect compares stdout"
sed -i 's/^status=3/status=0/' plan
make_file
echo "sum 0" >expected
refine --runs=2 --jobs=1 --expect=expected prog.sections -- ./prog
expect_status 0
expect_has "$err" "run 1 failed (printed something else): violated: p.c:10: 'statistics'"
expect_has "$(of '"statistics"')" '"why": "violated in a correct run (run 2)"'

claim "a run that does not end, and one that is killed, have failed"
cat >plan <<'EOS'
echo "end 2 0 7 $((number < 3))" >>"$out"
echo "done" >>"$out"
if [ $number = 1 ]; then kill -SEGV $$; fi
if [ $number = 2 ]; then sleep 1000; fi
EOS
make_file
refine --runs=2 --jobs=1 --timeout=3 prog.sections -- ./prog
expect_status 0
expect_has "$err" "run 1 failed (crashed with SIGSEGV): violated"
expect_has "$out" "violated only in failing runs:
  p.c:10: 'statistics' in f (load-and-store), 2 times"

claim "if too few runs are correct it ends, and nothing goes for not being seen"
echo 'status=1; echo done >>"$out"' >plan
make_file
refine --runs=2 --jobs=2 prog.sections -- ./prog
expect_status 1
expect_has "$out" "5 of 5 sections are left"
expect_has "$out" "too few runs are correct"

claim "when no section is left there is nothing to run for"
cat >plan <<'EOS'
for line in 2 3 4 5 6; do echo "end $line 0 1 1" >>"$out"; echo "end $line 1 1 1" >>"$out"; done
echo done >>"$out"
EOS
make_file
rm numbers
refine --runs=20 --jobs=1 prog.sections -- ./prog
expect_status 0
expect_same "$(cat numbers)" 1
expect_has "$out" "0 of 5 sections are left"
expect_has "$(of 'p.c:50-60 total')" '"why": "violated in a correct run (run 1)"'

claim "it can be interrupted, keeps what it knows, and goes on from there"
cat >plan <<'EOS'
echo "end 2 0 1 1" >>"$out"
echo "end 4 0 1 0" >>"$out"
echo done >>"$out"
if [ $number = 4 ]; then touch fourth; sleep 1000; fi
EOS
make_file
rm numbers
darn sections refine --seed=1000 --runs=5 --jobs=1 prog.sections -- ./prog >.out 2>.err </dev/null &
pid=$!
for i in $(seq 600); do [ -e fourth ] && break; sleep 0.1; done
kill -TERM $pid
kill -TERM $pid # as timeout does: together they are one
status=0
wait $pid || status=$?
expect_status 143
expect_has "$(cat .out)" "interrupted: the same command goes on from here"
expect_has "$(cat prog.sections)" '"refinement": {"runs": 3, "quiet": 2, "seed": 1000}'
expect_has "$(of '"statistics"')" '"why": "violated in a correct run (run 1)"'
expect_lacks "$(of '"never"')" why
# What has gone is behind the rest of the file now: balance is in line 3.
echo 'echo "end 3 0 1 0" >>"$out"; echo done >>"$out"' >plan
refine --runs=5 --jobs=1 prog.sections -- ./prog
expect_status 0
expect_same "$(tr '\n' ' ' <numbers)" "1 2 3 4 4 5 6 "
expect_has "$(of '"balance"')" seen=6
expect_has "$(of '"never"')" '"why": "never seen in 6 runs"'

claim "nothing is left behind"
mkdir tmp
make_file
try env TMPDIR="$PWD/tmp" darn sections refine --seed=1000 --runs=2 prog.sections -- ./prog
expect_status 0
expect_same "$(ls -A tmp)" ""

claim "each run reads the same input"
cat >plan <<'EOS'
cat >>inputs
echo done >>"$out"
EOS
make_file
echo first | darn sections refine --seed=1000 --runs=2 --jobs=1 prog.sections -- ./prog >/dev/null 2>&1
expect_same "$(grep -c first inputs)" 2

claim "a program that says nothing is refused after its first run"
echo ':' >plan
make_file
cp prog.sections before
refine --runs=20 --jobs=1 prog.sections -- ./prog
expect_refused "darn sections refine: ./prog says nothing about its sections: it, or what it starts, must have been compiled by darn, and end by itself"
cmp -s prog.sections before || fault "the file was changed"

claim "wrong use: one line, status 2, before the program is run"
rm numbers
try darn sections refine
expect_refused "darn sections refine: no file of sections; usage: darn sections refine [options] FILE -- PROGRAM [arguments]"
try darn sections refine prog.sections
expect_refused "darn sections refine: no program; usage: darn sections refine [options] FILE -- PROGRAM [arguments]"
try darn sections refine --frob prog.sections -- ./prog
expect_refused "darn sections refine: there is no option --frob; 'darn sections refine --help' lists them"
try darn sections refine --noise=random:5/5 prog.sections -- ./prog
expect_refused "darn sections refine: --noise=random:5/5: section:F/S is needed, with F 0..1000 and S 0..10000000"
try darn sections refine --runs=0 prog.sections -- ./prog
expect_refused "darn sections refine: --runs=0: a number from 1 to 1000000 is needed"
try darn sections refine --oracle=true --expect=expected prog.sections -- ./prog
expect_refused "darn sections refine: --oracle and --expect exclude each other"
try darn sections refine prog.sections -- ./missing
expect_refused "darn sections refine: ./missing: there is no such program"
try darn sections refine --expect=missing prog.sections -- ./prog
expect_refused "darn sections refine: --expect: missing: No such file or directory"
try darn sections refine -o nowhere/x prog.sections -- ./prog
expect_refused "darn sections refine: nowhere/x cannot be written: No such file or directory"
try darn sections refine missing -- ./prog
expect_status 2
expect_same "$(wc -l <.err)" 1
[ ! -e numbers ] || fault "the program was run"

claim "of a file with faults the rest is used, but not written over it"
make_file
sed -i 's/"entry": "40:5 read"/"entry": "here"/' prog.sections
cp prog.sections before
refine --runs=2 prog.sections -- ./prog
expect_status 2
expect_has "$err" "prog.sections has 1 fault; mend it, or have the rest written to another file with -o"
cmp -s prog.sections before || fault "the file was changed"

finish
