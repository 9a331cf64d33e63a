#!/bin/bash
# What `darn run` hands to the program.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

# A script may be run: it starts other programs. This one shows what they would see.
printf '#!/bin/sh\necho "[$DARN_OPTIONS]"\nprintf "<%%s>" "$0" "$@"\n' >show
chmod +x show

options() { expect_same "${out%%$'\n'*}" "[$1]"; }
arguments() { expect_same "${out#*$'\n'}" "$1"; }

claim "without options there is no DARN_OPTIONS"
try "$darn" run ./show
expect_status 0
options ""
arguments "<./show>"
expect_same "$err" ""

claim "options become DARN_OPTIONS"
try "$darn" run --budget=max --window-us 7 --halt-on-error --seed=0x10 --exitcode 0 -- ./show
options "budget='max':window_us='7':seed='16':exitcode='0':halt_on_error='1'"
try "$darn" run --report-volatile=0 --color=never ./show
options "report_volatile='0':color='never'"

claim "options that say what holds anyway are left out"
try "$darn" run --budget=10% --log-path=stderr --halt-on-error=no ./show
options ""

claim "the program's arguments are its own"
try "$darn" run --seed=1 ./show --budget=5 -- '' 'a b'
options "seed='1'"
arguments "<./show><--budget=5><--><><a b>"
try "$darn" run --seed=1 -- ./show -- x
arguments "<./show><--><x>"

claim "the command line wins over DARN_OPTIONS, and noise adds up"
export DARN_OPTIONS="budget=5,seed=3:noise='random:1/2'"
try "$darn" run --budget=7 --noise=var:x:1/2 ./show
options "budget='7%':noise='random:1/2':noise='var:x:1/2':seed='3'"
try "$darn" run --noise= --noise=random:3/4,random:5/6 ./show
options "budget='5%':noise='random:3/4':noise='random:5/6':seed='3'"
try "$darn" run --budget=10 --seed=0 --noise= ./show
options ""
unset DARN_OPTIONS

claim "paths become absolute"
printf 'race:f\n' >my.supp
mkdir out
try "$darn" run --json=out/a.jsonl --log-path ./log --suppressions my.supp ./show
options "json='$PWD/out/a.jsonl':log_path='$PWD/log':suppressions='$PWD/my.supp'"
try "$darn" run --json /dev/null --log-path=stdout ./show
options "json='/dev/null':log_path='stdout'"
expect_same "$(ls out)" ""

claim "a program is looked for in PATH"
mkdir tools && cp show tools/show-me
PATH=$PWD/tools:$PATH try "$darn" run show-me x
expect_status 0
expect_has "$out" "<x>"

claim "any program may be run when that is wanted"
try "$darn" run --any --seed=4 sh -c 'echo "[$DARN_OPTIONS]"; exit 7'
expect_status 7
options "seed='4'"

claim "a program with sites is one that darn compiled, also when it is stripped"
printf 'int main(void) { return 5; }\n' >main.c
printf '__attribute__((section("darn_sites"), used)) static const int site = 1;\n' >>main.c
clang-19 main.c -o compiled
try "$darn" run ./compiled
expect_status 5
strip compiled
try "$darn" run ./compiled
expect_status 5

claim "so is one that has no sites but the runtime, for its shared objects; not one that only wants it"
printf 'char darn_attention; int main(void) { return 6; }\n' >main.c
clang-19 main.c -o compiled -Wl,-E
strip compiled
try "$darn" run ./compiled
expect_status 6
printf 'extern char darn_attention; int main(void) { return darn_attention; }\n' >main.c
printf 'char darn_attention;\n' >lib.c
clang-19 -shared -fPIC lib.c -o liblib.so
clang-19 -fPIC -fno-direct-access-external-data main.c -o wanting ./liblib.so
try "$darn" run ./wanting
expect_status 2

claim "noise is aimed at findings: places first, then variables, each once"
cat >found.jsonl <<'END'
{"id":"1","variable":"acct->balance","accesses":[{"file":"bank.c","line":12},{"file":"bank.c","line":20}]}
{"id":"2","variable":"acct->balance","accesses":[{"file":"bank.c","line":12},{"file":"a b.c","line":3}]}
{"id":"3","variable":"heap block allocated at f.c:12 + 8","accesses":[{"op":"free"},{"file":"f.c","line":0}]}
{"id":"4","variable":"*p","accesses":[]}
{"kind":"summary"}
END
try "$darn" run --noise-from=found.jsonl ./show
options "noise='site:bank.c:12:1000/200':noise='site:bank.c:20:1000/200':noise='site:a b.c:3:1000/200':noise='var:acct->balance:1000/200'"
expect_same "$err" ""

claim "more findings than noise has room for are not left out silently"
for ((i = 1; i <= 70; i++)); do
    echo '{"variable":"v","accesses":[{"file":"f.c","line":'$i'}]}'
done >many.jsonl
try "$darn" run --noise-from=many.jsonl ./show
expect_status 0
expect_has "$out" "site:f.c:64:"
expect_lacks "$out" "site:f.c:65:"
expect_same "$err" "darn run: warning: --noise-from: the findings name more than the 64 places that noise can have"

claim "no findings, no noise"
: >none.jsonl
try "$darn" run --noise-from=none.jsonl ./show
expect_status 0
options ""

finish
