#!/bin/bash
# darn trace: what is in a trace, and what is said of one that is damaged or none at all.
# (tests/unit/trace/test_trace_*.c try the readers themselves.)
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

# A trace as a program leaves it: thread 0 starts, writes 8 bytes at 0x40, and ends.
make_trace() {
    printf 'darntrc\n\1\0\0\0\x67\x12\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0'
    head -c $((4096 - 32)) /dev/zero
    printf 'dBLK\1\0\0\0\0\0\0\0\0\0\0\0\x2c\0\0\0\x0d\0\0\0\0\0\0\0\0\0\0\0'
    printf '\x49\1\0\0\2\0\x08\x80\1\x4a\1\0\x7f'
    head -c 31 /dev/zero
}

cat >t.std <<'END'
# main starts a worker
main|fork(worker)|1
worker|acq(m)|10
worker|w(count)|11
worker|rel(m)|12
main|join(worker)|2
main|r(count)|3
END

claim "stat says what is in a text trace"
try "$darn" trace stat t.std
expect_status 0
expect_same "$err" ""
for line in "trace     t.std, text" "complete  yes" "threads   2" "events    6" "  acquire   1" \
    "  read      1" "sites     6"; do
    expect_has "$out
" "$line
"
done

claim "stat --json is one object with the same numbers"
try "$darn" trace stat --json t.std
expect_status 0
expect_has "$out" '"events":6'
expect_has "$out" '"complete":true'
expect_has "$out" '"kinds":{"read":1,"write":1,"acquire":1,"release":1,"fork":1,"join":1}'
expect_same "$(wc -l <.out)" 1

claim "dump has a line for each event, by its names"
try "$darn" trace dump t.std
expect_status 0
expect_same "$(wc -l <.out)" 6
expect_has "$out" "main  fork      worker                  1"
expect_has "$out" "worker acquire   m mutex                 10"
expect_has "$out" "main  read      count 8 bytes           3"

claim "a text comes out of export-std as it went in"
try "$darn" trace export-std t.std
expect_status 0
expect_same "$out" "$(grep -v '^#' t.std)"

make_trace >t.trace
claim "a trace of a program is read, wherever the options stand"
try "$darn" trace stat t.trace
expect_status 0
expect_has "$out" "trace     t.trace, version 1, as the program left it"
expect_has "$out" "events    3"
try "$darn" trace --prefix dump t.trace
expect_same "$out" "T0    start     T0
T0    write     0x40 8 bytes
T0    exit"
try "$darn" trace export-std -- t.trace
expect_same "$out" "T0|w(V40)|0"

claim "a trace may come from a pipe"
status=0
out=$("$darn" trace export-std /dev/stdin <t.trace) || status=$?
expect_status 0
expect_same "$out" "T0|w(V40)|0"

claim "damage is told with its position, and --prefix reads what comes before"
head -c 4133 t.trace >cut.trace
try "$darn" trace stat cut.trace
expect_refused "darn trace: cut.trace: byte 4133: the file ends within the block that begins at byte \
4096 (--prefix reads what comes before)"
try "$darn" trace dump --prefix cut.trace
expect_status 0
expect_same "$out" "T0    start     T0"
expect_has "$err" "darn trace: warning: cut.trace: byte 41"
try "$darn" trace stat --prefix cut.trace
expect_status 0
expect_has "$out" "complete  no"
expect_has "$out" "the rest is damaged: cut.trace: byte 41"
try "$darn" trace stat --prefix --json cut.trace
expect_has "$out" '"complete":false'
expect_has "$out" '"cut_at":41'
printf 'T1|acq(L)|1\nT1|hold(L)|2\n' >bad.std
try "$darn" trace stat bad.std
expect_refused "darn trace: bad.std:2: 'hold(L)' is no operation; there are r, w, acq, rel, fork, join, \
begin, end, alloc, free, destroy, store and give (--prefix reads what comes before)"
try "$darn" trace export-std --prefix bad.std
expect_status 0
expect_same "$out" "T1|acq(L)|1"

claim "a program that was killed has left a trace"
printf '\0' | dd of=t.trace bs=1 seek=20 conv=notrunc status=none
try "$darn" trace stat t.trace
expect_status 0
expect_has "$out" "complete  no
          the program did not end in good order; what it recorded is there"

claim "what is no trace is refused, with or without --prefix"
: >empty
for option in "" --prefix; do
    try "$darn" trace stat $option empty
    expect_refused "darn trace: empty: byte 0: the file is empty; darn record -o FILE -- PROGRAM makes a trace"
    try "$darn" trace stat $option "$darn"
    expect_refused "darn trace: $darn: byte 0: this is no trace: neither one of darn record nor a text with \
lines as T1|acq(L)|12"
    try "$darn" trace stat $option missing
    expect_refused "darn trace: missing: cannot be read: No such file or directory"
    try "$darn" trace stat $option .
    expect_refused "darn trace: .: cannot be read: Is a directory"
    printf '\7' | dd of=t.trace bs=1 seek=8 conv=notrunc status=none
    try "$darn" trace stat $option t.trace
    expect_refused "darn trace: t.trace: byte 8: the trace has version 7 of the format, this darn reads up to \
4; use the darn that recorded it, or a newer one"
done

claim "wrong use is told"
usage="usage: darn trace stat|dump|export-std|export-perfetto [options] TRACE"
try "$darn" trace
expect_refused "darn trace: nothing to do; $usage"
try "$darn" trace stat
expect_refused "darn trace: no trace; $usage"
try "$darn" trace t.std
expect_refused "darn trace: 't.std' is none of stat, dump, export-std and export-perfetto"
try "$darn" trace stat t.std more
expect_refused "darn trace: 'more' is too much; 'darn trace --help' says what is wanted"
try "$darn" trace stat --frob t.std
expect_refused "darn trace: there is no option --frob; 'darn trace --help' lists them"
try "$darn" trace dump --json t.std
expect_refused "darn trace: --json is for stat only"

claim "help is the same both ways"
try "$darn" trace --help
expect_status 0
cp .out page
try "$darn" help trace
cmp -s .out page || fault "help trace differs from trace --help"

claim "output that cannot be written is not a success"
try sh -c '"$0" trace dump t.std >/dev/full' "$darn"
expect_status 1

finish
