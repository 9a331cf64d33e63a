#!/bin/bash
# darn sections show, check and infer, as far as they need no program: what is in a repository, and
# what is said of one that is wrong. (tests/unit/section/test_section_*.c try the reader itself;
# sections_infer.sh has programs.)
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

cat >bank.c <<'END'
long balance;
int deposit(long amount)
{
    if (balance < 0)
        return -1;
    balance += amount;
    return 0;
}
END
cat >bank.sections <<'END'
{"darn-sections": 1,
 "sections": [
  {"variable": "balance", "function": "deposit", "file": "bank.c", "kind": "test-and-use",
   "entry": "4:9 read", "ends": ["6:13 read allow=read", "6:13 write allow=none"],
   "leaves": ["5:9"], "inside": ["calls", "loops"]},
  "bank.c:4-6 balance allow=read"
 ],
 "dropped": [
  {"variable": "balance", "function": "deposit", "file": "bank.c", "kind": "pair",
   "entry": "6:13 read", "ends": ["6:13 write"], "why": "violated in a correct run"}
 ]}
END

claim "show prints a table, and the source under it"
try "$darn" sections show bank.sections
expect_status 0
expect_same "$err" ""
expect_same "$out" "#  kind          variable  function  entry -> ends     allow       inside
1  test-and-use  balance   deposit   bank.c:4 -> 6, 6  read; none  calls, loops
    4 |     if (balance < 0)
      |         ^
    6 |     balance += amount;
      |             ^
2  by-hand       balance   -         bank.c:4-6        read

2 sections: 1 test-and-use, 1 by-hand; 1 dropped: 1 pair"

claim "the source may be left out, and what was dropped be shown"
try "$darn" sections show --dropped bank.sections --source=no
expect_status 0
expect_lacks "$out" "balance < 0"
expect_has "$out" "
3  pair          balance   deposit   bank.c:6 -> 6     read
      dropped: violated in a correct run
"

claim "a repository may come from the standard input"
status=0
out=$("$darn" sections show --source=no - <bank.sections) || status=$?
expect_status 0
expect_has "$out" "2 sections: "

claim "what is wrong is told with its place, and the rest is shown"
sed -e 's/4:9 read/4:9 reads/' bank.sections >wrong.sections
try "$darn" sections show --source=no wrong.sections
expect_status 1
expect_same "$err" "wrong.sections:4:18: error: 'reads' is no operation: read, write or update expected"
expect_has "$out" "1 section: 1 by-hand; 1 dropped: 1 pair"
sed -e 's/"balance", "function"/"balance, "function"/' bank.sections >wrong.sections
try "$darn" sections show --source=no wrong.sections
expect_status 1
expect_has "$err" "wrong.sections:3:27: error: ',' or '}' expected, not 'function'"
expect_has "$out" "1 section: 1 by-hand"
sed -e 's/^  "bank.c:4-6 balance allow=read"/  "bank.c:4-6 balance", "bank.c:5-9 balance"/' bank.sections >wrong.sections
try "$darn" sections show --source=no wrong.sections
expect_status 1
expect_same "$err" "wrong.sections:6:25: error: two sections over 'balance' share lines of bank.c: 5-9, and 4-6 \
(at line 6); this one is not used"
expect_has "$out" "2 sections: 1 test-and-use, 1 by-hand"

claim "what is no repository is told in one line"
: >empty
for file in empty bank.c; do
    try "$darn" sections show $file
    expect_status 1
    expect_same "$err" "$file:1:1: error: this is no repository of sections: it has to begin with {\"darn-sections\": 1"
done
sed -e 's/"darn-sections": 1/"darn-sections": 2/' bank.sections >newer.sections
try "$darn" sections show newer.sections
expect_status 1
expect_has "$err" "newer.sections:1:2: error: the repository has another version of the format"
try "$darn" sections show missing
expect_refused "darn sections show: missing: cannot be read: No such file or directory"
try "$darn" sections show .
expect_refused "darn sections show: .: cannot be read: Is a directory"

claim "what is no program is refused"
try "$darn" sections infer bank.c
expect_refused "darn sections infer: bank.c is no program: an ELF file is needed"
try "$darn" sections infer missing
expect_refused "darn sections infer: missing: cannot be read: No such file or directory"
try "$darn" sections infer /bin/sh
expect_refused "darn sections infer: /bin/sh was not compiled by darn; compile it with darn cc -g"
try "$darn" sections check bank.sections /bin/sh
expect_refused "darn sections check: /bin/sh was not compiled by darn; compile it with darn cc -g"

claim "wrong use is told"
try "$darn" sections
expect_refused "darn sections: nothing to do; usage: darn sections infer|show|check|refine|shared ..."
try "$darn" sections frob
expect_refused "darn sections: 'frob' is none of infer, show, check, refine and shared"
try "$darn" sections show
expect_refused "darn sections show: no file; usage: darn sections show [options] FILE [PROGRAM]"
try "$darn" sections show bank.sections one two
expect_refused "darn sections show: 'two' is too much; 'darn sections show --help' says what is wanted"
try "$darn" sections show --frob bank.sections
expect_refused "darn sections show: there is no option --frob; 'darn sections show --help' lists them"
try "$darn" sections show --source=perhaps bank.sections
expect_refused "darn sections show: --source=perhaps: 0, 1, false, true, no or yes is needed"
try "$darn" sections infer
expect_refused "darn sections infer: no program; usage: darn sections infer [options] PROGRAM"
try "$darn" sections infer --kind=pair,triple /bin/sh
expect_refused "darn sections infer: --kind: 'triple' is none of load-and-store, test-and-use and pair"
try "$darn" sections infer -o no/such/file /bin/sh
expect_refused "darn sections infer: no/such/file cannot be written: No such file or directory"
try "$darn" sections check bank.sections
expect_refused "darn sections check: a file and a program are needed; usage: darn sections check FILE PROGRAM"

claim "help is the same both ways, and each word has its own"
try "$darn" sections --help
expect_status 0
cp .out page
try "$darn" help sections
cmp -s .out page || fault "help sections differs from sections --help"
for word in infer show check; do
    try "$darn" sections $word --help
    expect_status 0
    expect_has "$out" "usage: darn sections $word"
done

claim "output that cannot be written is not a success"
try sh -c '"$0" sections show bank.sections >/dev/full' "$darn"
expect_status 1

finish
