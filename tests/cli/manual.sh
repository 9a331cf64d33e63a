#!/bin/bash
# Manual pages and completion. (tests/unit/cli/test_help.c compares the pages with the tables.)
. "$(dirname "$0")/lib.bash"
darn=$bin/darn

claim "each command has a page, and man understands all of it"
try "$darn" help --manual=pages
expect_status 0
expect_same "$out$err" ""
for command in $("$darn" help | sed -n 's/^  \([a-z+]*\) .*/\1/p') sections-{infer,show,check,refine,shared}; do
    [ "$command" = darn ] || [ -s "pages/darn-$command.1" ] || fault "darn-$command.1 is missing"
done
for page in pages/*.1; do
    try groff -man -ww -Tascii "$page"
    expect_status 0
    expect_same "$err" ""
    expect_has "$(cat "$page")" ".SH SYNOPSIS"
    [ "$(sed -n 's/^\.TH \([^ ]*\) .*/\L\1/p' "$page")" = "$(basename "$page" .1)" ] || fault "the title of $page"
done

claim "a page leads to pages that are there"
for name in $(sed -n '/SEE ALSO/,$p' pages/*.1 | sed -n 's/^\\fB\(.*\)\\fR(1).*/\1/p' | tr -d '\\' | sort -u); do
    [ -f "pages/$name.1" ] || fault "there is no $name.1"
done

claim "pages that cannot be written are told of"
touch file
try "$darn" help --manual=file
expect_status 1
expect_has "$err" "file/darn.1: Not a directory"
try "$darn" help --manual=no/such
expect_refused "darn help: no/such: No such file or directory"
try "$darn" help --completion=csh
expect_status 2

claim "bash reads the completion without a word"
try "$darn" help --completion=bash
expect_status 0
cp .out completion
try bash -ue -c '. ./completion'
expect_status 0
expect_same "$out$err" ""
. ./completion

# complete_line WORD...: what the last of them is completed to, one in a line, in $out. Bash has split them at = and :.
complete_line() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _darn 2>.err
    out=$(printf '%s\n' "${COMPREPLY[@]}" | sort -u)
    expect_same "$(cat .err)" ""
}
# expect_words 'WORD...': exactly these.
expect_words() { expect_same "$(echo $out)" "$(printf '%s\n' $1 | sort | xargs)"; }

mkdir work && cd work || exit
touch bank.c 'my file' && mkdir folder && cp /bin/true bank

claim "commands are completed"
complete_line darn ''
expect_words "$("$darn" help | sed -n 's/^  \([a-z+]*\) .*/\1/p' | grep -vx darn)"
complete_line darn --
expect_words "--help --version"
complete_line darn sections ''
expect_words "infer show check refine shared"
complete_line darn help sh
expect_words "shrink"
complete_line darn frobnicate ''
expect_words ""

claim "each option that help lists is completed, and no other"
options_of() { # the names in a page of help, with = where a value has to follow
    sed -nE 's/^  (-[^ ]*).*/\1/p' | sed -E 's/=.*/=/; s/\[=?.*//'
}
for command in run predict hunt replay shrink explore heal record analyze trace help report \
    'sections show' 'sections check' 'sections refine' 'sections shared'; do
    complete_line darn $command -
    "$darn" $command --help | options_of | sort >../listed
    "$darn" $command --help | sed -n '/^Of the options of darn run:/,/\.$/p' | grep -oE -- '--[a-z-]+' >../others
    diff ../listed <(printf '%s\n' "$out" | grep -vxFf <(sed 's/$/=/' ../others)) >../difference ||
        fault "darn $command: $(cat ../difference)"
    while read -r option; do
        expect_has "$out" "$option"
    done <../others
done
complete_line darn sections infer -
for option in $({ "$darn" sections infer --help && "$darn" sections infer --runs=1 --help; } | options_of); do
    expect_has "$out" "$option"
done
for name in 'darn cc' 'darn c++' darn-cc "$bin/darn-c++"; do
    complete_line $name -O2 bank.c --
    expect_words "$("$darn" cc --darn-help | options_of)"
done

claim "choices are completed to their words"
complete_line darn run --color = a
expect_words "auto always"
complete_line darn run --color =
expect_words "auto always never"
complete_line darn run --color al
expect_words "always"
complete_line darn run --color=al # by a shell that does not split there
expect_words "--color=always"
complete_line darn run --halt-on-error =
expect_words "0 1"
complete_line darn explore --strategy = p
expect_words "portfolio pct pos"
complete_line darn help --completion =
expect_words "bash zsh"
complete_line darn trace ''
expect_words "dump export-perfetto export-std stat"

claim "files and directories are completed where they are wanted"
complete_line darn run --json = ba
expect_words "bank bank.c"
complete_line darn run --json my
expect_same "$out" "my file"
complete_line darn run --log-path = s
expect_words "stderr stdout"
complete_line darn hunt -o f
expect_words "folder"
complete_line darn shrink ''
expect_words "folder"
complete_line darn sections show b
expect_words "bank bank.c"
complete_line darn run --seed = ''
expect_lacks "$out" "--"
complete_line darn run --seed b
expect_words ""

claim "programs are completed as commands and files, their arguments as files"
complete_line darn run -- ./ba
expect_words "./bank ./bank.c"
complete_line darn run --noise = var : x : 1/2 --seed 5 -- ./ba
expect_words "./bank ./bank.c"
complete_line darn run basenam
expect_words "basename"
complete_line darn run -- ./bank --js
expect_words ""
complete_line darn run ./bank --js
expect_words ""
complete_line darn run -- ./bank my
expect_same "$out" "my file"
complete_line darn sections refine bank.c -- ./ba
expect_words "./bank ./bank.c"
complete_line darn sections show bank.c ./bank b
expect_words ""

claim "zsh reads its completion, and knows each option of each command"
cd ..
try "$darn" help --completion=zsh
expect_status 0
mkdir functions && cp .out functions/_darn
expect_same "$(head -1 functions/_darn)" "#compdef darn darn-cc darn-c++"
# What _darn asks of zsh's own functions, for the words after the first argument.
cat >ask.zsh <<'END'
service=$1
shift
words=("$@" '')
CURRENT=$#words
_arguments() { print -rl -- "$@" }
_describe() { print -rl -- ${(P)argv[-1]} }
. functions/_darn
END
try zsh -f ask.zsh darn darn
expect_status 0
expect_same "$err" ""
expect_same "$(cut -d: -f1 .out | sort | xargs)" "$("$darn" help | sed -n 's/^  \([a-z+]*\) .*/\1/p' | grep -vx darn | sort | xargs)"
for command in run predict hunt replay shrink explore heal record analyze trace help report \
    'sections show' 'sections check' 'sections refine' 'sections shared' 'sections infer'; do
    try zsh -f ask.zsh darn darn $command
    expect_same "$err" ""
    for option in $("$darn" $command --help | options_of); do
        grep -qE -- "^\*?${option%=}(=-?|\+)?\[" .out || fault "darn $command: $option is missing"
    done
done
try zsh -f ask.zsh darn darn run
expect_has "$out" ':auto|always|never:(auto always never)'
expect_has "$out" '*::program:_normal'
try zsh -f ask.zsh darn-cc darn-cc
expect_has "$out" '--darn-functions['

finish
