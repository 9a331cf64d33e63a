# What run-explore and run-control have in common: the options, the header of a program, its builds, and
# one run of `darn explore`. To be sourced; `$0` is one of the two.

here=$(cd "$(dirname "$0")" && pwd)
darn=$here/../../build/bin/darn
variant=
seeds=
keep=

usage()
{
    echo "$(basename "$0"): $1 (see the first lines of $0)" >&2
    exit 2
}

while [ $# -gt 1 ]; do
    case $1 in
    --darn) darn=$2 && shift ;;
    --build) variant=$2 && shift ;;
    --seeds) seeds=$2 && shift ;;
    --keep) keep=yes ;;
    *) usage "unknown option '$1'" ;;
    esac
    shift
done
[ $# -eq 1 ] && [ -r "$1" ] || usage "no program '${1-}'"
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
darn=$(cd "$(dirname "$darn")" 2>/dev/null && pwd)/$(basename "$darn")

# header KEY: the values of the lines ` * KEY: value` of the first comment.
header()
{
    sed -n "1,/\*\//s/^ \* $1: *//p" "$program"
}

# value KEY DEFAULT: the only one, or what is meant without any.
value()
{
    header "$1" | grep . || echo "$2"
}

[ -n "$(header claim)" ] || usage "$program has no 'claim:' line"
work=$(mktemp -d "${TMPDIR:-/tmp}/darn-program.XXXXXX") || exit 1
[ -n "$keep" ] && echo "work directory: $work" || trap 'rm -rf "$work"' EXIT
cd "$work" && ulimit -c 0

# fail TEXT: with everything that the last run has left.
fail()
{
    local file
    echo "FAILED: $(header claim)"
    echo "program: $program"
    echo "$1"
    for file in command compiler json stderr replayed; do
        [ -s "$file" ] || continue
        echo "--- $file"
        cat "$file"
    done
    exit 1
}

# compile WARNING FLAGS...: `darn cc` is silent, but for the one warning that has this text.
compile()
{
    local warning=$1 language=cc
    shift
    [[ $program == *.cpp ]] && language=c++
    rm -f json stderr replayed
    set -- "$darn" $language -g -pthread -Wall -Wextra -Werror "$@" "$program" -o program
    echo "$*" >command
    "$@" >compiler 2>&1 || fail "does not compile"
    if [ -n "$warning" ]; then
        [ "$(wc -l <compiler)" = 1 ] && grep -qF "$warning" compiler || fail "the compiler does not say: $warning"
    else
        [ ! -s compiler ] || fail "the compiler says something"
    fi
}

# explore OPTIONS...: leaves `json`, `stderr`, the exit status in `status` and what it kept in `out`. With one
# job the same seed gives the same schedules.
explore()
{
    local command=(timeout -k 5 "${limit:-240}" "$darn" explore --json --jobs=1 -o out "$@" -- ./program)
    rm -rf out replayed
    echo "${command[*]}" >command
    "${command[@]}" >json 2>stderr
    status=$?
    [ $status != 124 ] && [ $status != 137 ] || fail "darn does not end within ${limit:-240} s"
}

# of NAME: a field of the summary. finding NAME: of the first finding; of a list, its first element.
of()
{
    sed -n '$'"s/.*\"$1\":\([^,}]*\).*/\1/p" json
}

finding()
{
    sed -n "1s/.*\"$1\":\[*\"\([^\"]*\)\".*/\1/p" json
}

# some_end_well: what fails in every schedule is no finding, but is not right either.
some_end_well()
{
    ! grep -q ' every run \| no run ends well' stderr || fail "$(grep ' every run \| no run ends well' stderr)"
}

# replays_alike: what was kept happens again in each of three replays.
replays_alike()
{
    "$darn" replay --times=3 out/1 >replayed 2>&1
    [ $? = 66 ] && grep -qx '3 of 3' replayed || fail "a replay is not the same"
}

# each_variant FUNCTION: calls it with the flags and the number of each `build:` line that was asked for.
each_variant()
{
    local variants index done=0
    mapfile -t variants < <(header build)
    for index in "${!variants[@]}"; do
        [ -n "$variant" ] && [ "$variant" != $((index + 1)) ] && continue
        "$1" "${variants[$index]}" $((index + 1))
        done=$((done + 1))
    done
    [ $done -gt 0 ] || fail "nothing was run: no 'build:' line fits"
}
