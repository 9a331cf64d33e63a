#!/bin/bash
# Help, version, and what is no command. (tests/unit/cli/test_help.c compares help with the tables.)
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

claim "the version is printed"
try "$darn" --version
expect_status 0
[[ $out =~ ^darn\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fault "$out"

claim "help lists the commands, and each has its own"
try "$darn" help
expect_status 0
cp .out all
for command in cc c++ run predict hunt replay shrink explore sections heal record analyze trace help report; do
    expect_has "$out" "
  $command "
done
try "$darn" --help
cmp -s .out all || fault "--help differs from help"
for command in cc c++ run predict hunt replay shrink explore sections heal record analyze trace help report; do
    try "$darn" help $command
    expect_status 0
    [ -n "$out" ] || fault "help $command is empty"
done

claim "the ways to the same help are the same"
try "$darn" help run
cp .out page
try "$darn" run --help
expect_status 0
cmp -s .out page || fault "run --help"
try "$darn" run --budget=5 --help ./program
cmp -s .out page || fault "run ... --help"
for command in record predict; do
    try "$darn" help $command
    cp .out page
    try "$darn" $command --help
    expect_status 0
    cmp -s .out page || fault "$command --help"
    try "$darn" $command --every-access --help ./program
    cmp -s .out page || fault "$command ... --help"
done
try "$darn" help cc
cp .out page
try "$darn" cc --darn-help
cmp -s .out page || fault "cc --darn-help"
try "$bin/darn-c++" --darn-help
cmp -s .out page || fault "darn-c++ --darn-help"

claim "what is no command is said"
try "$darn"
expect_refused "darn: no command; 'darn help' lists them"
try "$darn" frobnicate
expect_refused "darn: there is no command 'frobnicate'; 'darn help' lists them"
try "$darn" help frobnicate
expect_refused "darn help: there is no command 'frobnicate'; 'darn help' lists them"
try "$darn" help sections infer
expect_status 0
expect_has "$out" "usage: darn sections infer [options] PROGRAM"
try "$darn" help sections frobnicate
expect_refused "darn help: there is no command 'sections frobnicate'; 'darn help sections' lists them"

claim "output that cannot be written is not a success"
try sh -c '"$0" help >/dev/full' "$darn"
expect_status 1

finish
