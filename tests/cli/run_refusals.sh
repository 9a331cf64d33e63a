#!/bin/bash
# Wrong use of `darn run`: one line, status 2, and the program is not started.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

# Must never run: it would leave a file.
printf '#!/bin/sh\ntouch started\n' >program
chmod +x program

claim "a program is needed, and must be there"
try "$darn" run
expect_refused "darn run: no program; usage: darn run [options] -- PROGRAM [arguments]"
try "$darn" run --budget=5 --
expect_refused "darn run: no program; usage: darn run [options] -- PROGRAM [arguments]"
try "$darn" run ./missing
expect_refused "darn run: ./missing: there is no such program"
try "$darn" run missing
expect_refused "darn run: missing was not found in PATH"
try "$darn" run program
expect_refused "darn run: program was not found in PATH; did you mean ./program?"
try "$darn" run ''
expect_refused "darn run:  was not found in PATH"

claim "what is no program is refused"
echo hello >text
try "$darn" run ./text
expect_refused "darn run: ./text is not an executable file"
chmod +x text
try "$darn" run ./text
expect_refused "darn run: ./text is neither a program nor a script that begins with #!"
mkdir directory
try "$darn" run ./directory
expect_refused "darn run: ./directory is not an executable file"

claim "a program that darn did not compile is refused, with the command that would"
cp /bin/true bank
try "$darn" run -- ./bank
expect_refused "darn run: ./bank was not compiled by darn; compile it with: darn cc -g -pthread ... -o bank (--any runs it as it is)"
printf '\177ELF' >broken
head -c 64 /bin/true >headless
chmod +x broken headless
try "$darn" run ./headless
expect_status 2
expect_has "$err" "./headless was not compiled by darn"
try "$darn" run ./broken
expect_status 2

claim "options are checked"
try "$darn" run --frob ./program
expect_refused "darn run: there is no option --frob; 'darn run --help' lists them"
try "$darn" run -b ./program
expect_refused "darn run: there is no option -b; 'darn run --help' lists them"
try "$darn" run --budget=200% ./program
expect_refused "darn run: --budget=200%: a percentage 0%..100% or the word max is needed"
try "$darn" run --window-us ./program
expect_refused "darn run: --window-us=./program: a number from 1 to 1000000 is needed"
try "$darn" run --budget
expect_refused "darn run: --budget needs a value: --budget=P%|max"
try "$darn" run --any=1 ./program
expect_refused "darn run: --any takes no value"
try "$darn" run --noise=var:x ./program
expect_refused "darn run: --noise=var:x: random:F/S, var:NAME:F/S, site:FILE:LINE:F/S or section:F/S is needed, with F 0..1000 and S 0..10000000"
try "$darn" run --color=$'a\nb' ./program
expect_refused "darn run: --color=a?b: auto, always or never is needed"
try env DARN_OPTIONS=budget=5:colour=never "$darn" run ./program
expect_refused "darn run: DARN_OPTIONS: there is no option 'colour'; help=1 lists them"
try "$darn" run --json="a'b\"c" ./program
expect_refused "darn run: json: a value cannot contain both ' and \""

claim "suppressions are checked"
try "$darn" run --suppressions=missing ./program
expect_status 2
expect_has "$err" "darn run: suppressions: missing"
printf '# fine\nrace:f\nnonsense\n' >suppressions
try "$darn" run --suppressions suppressions ./program
expect_status 2
expect_has "$err" "darn run: suppressions: suppressions:3: "
expect_same "$(wc -l <.err)" 1

claim "output paths are checked"
try "$darn" run --json=nowhere/found.jsonl ./program
expect_refused "darn run: json: nowhere/found.jsonl cannot be written: No such file or directory"
try "$darn" run --json=directory ./program
expect_refused "darn run: json: directory cannot be written: Is a directory"
try "$darn" run --json=text/x ./program
expect_refused "darn run: json: text/x cannot be written: Not a directory"
try "$darn" run --log-path=nowhere/log ./program
expect_refused "darn run: log_path: nowhere/log cannot be written: No such file or directory"

claim "findings to aim at are checked"
try "$darn" run --noise-from=missing ./program
expect_refused "darn run: missing: No such file or directory"
printf '{"id":"1"}\n\n[1]\n' >found.jsonl
try "$darn" run --noise-from=found.jsonl ./program
expect_refused "darn run: found.jsonl:3: this is not a finding: expected an object"
printf '{"id":"1"}\n{"id":\n' >found.jsonl
try "$darn" run --noise-from found.jsonl ./program
expect_status 2
expect_has "$err" "darn run: found.jsonl:2: this is not a finding: "

claim "nothing was started or written"
rm -f .out .err
expect_same "$(ls -A | tr '\n' ' ')" "bank broken directory found.jsonl headless program suppressions text "

finish
