# What the runners have in common: their options, the header of a program, and the work directory. To be sourced.

here=$(cd "$(dirname "$0")" && pwd)
clang=${CLANG:-clang-19}
darn=$here/../../build/bin/darn
keep=
declare -A lists=() only=()

usage()
{
    echo "$(basename "$0"): $1 (see the first lines of $0)" >&2
    exit 2
}

# take_options NAMES FLAGS ARGUMENTS...: each option of NAMES has a value, which becomes that of the variable of this name;
# a flag's becomes `yes`. The last argument is the program.
take_options()
{
    local names=" darn $1 " flags=" keep $2 " name
    shift 2
    while [ $# -gt 1 ]; do
        name=${1#--}
        if [[ $1 == --* && $names == *" $name "* ]]; then
            declare -g "$name=$2"
            shift
        elif [[ $1 == --* && $flags == *" $name "* ]]; then
            declare -g "$name=yes"
        else
            usage "unknown option '$1'"
        fi
        shift
    done
    [ $# -eq 1 ] && [ -r "$1" ] || usage "no program '${1-}'"
    program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
    darn=$(cd "$(dirname "$darn")" 2>/dev/null && pwd)/$(basename "$darn")
    read_header
    [ -n "${only[claim]-}" ] || usage "$program has no 'claim:' line"
}

# read_header: of each key of the lines ` * KEY: value` of the first comment all values, a line for each, in `lists`, and
# the first one in `only`. It is read once: a test has hundreds of runs, and each asks for it.
read_header()
{
    local line key
    while IFS= read -r line; do
        if [[ $line =~ ^\ \*\ ([^:]+):\ *(.*)$ ]]; then
            key=${BASH_REMATCH[1]}
            lists[$key]+=${BASH_REMATCH[2]}$'\n'
            [ -n "${only[$key]-}" ] || only[$key]=${BASH_REMATCH[2]}
        fi
        [[ $line != *\*/* ]] || break
    done <"$program"
}

# header KEY: all its values, a line for each.
header()
{
    printf %s "${lists[$1]-}"
}

# make_work_directory: `work`, which goes at the end.
make_work_directory()
{
    work=$(mktemp -d "${TMPDIR:-/tmp}/darn-program.XXXXXX") || exit 1
    [ -n "$keep" ] && echo "work directory: $work" || trap 'rm -rf "$work"' EXIT
}

# fail_with FILES TEXT: with those of the files that are there.
fail_with()
{
    local file
    echo "FAILED: ${only[claim]}"
    echo "program: $program"
    echo "$2"
    for file in $1; do
        [ -s "$file" ] || continue
        echo "--- $(basename "$file")"
        cat "$file"
    done
    exit 1
}
