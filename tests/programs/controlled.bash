# What run-explore and run-control have in common: the builds of a program, and
# one run of `darn explore`. To be sourced; `$0` is one of the two.

. "$(dirname "$0")/program.bash"
build=
seeds=
take_options "build seeds" "" "$@"
make_work_directory
cd "$work" && ulimit -c 0

# fail TEXT: with everything that the last run has left.
fail()
{
    fail_with "command compiler json stderr replayed" "$1"
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
        [ -n "$build" ] && [ "$build" != $((index + 1)) ] && continue
        "$1" "${variants[$index]}" $((index + 1))
        done=$((done + 1))
    done
    [ $done -gt 0 ] || fail "nothing was run: no 'build:' line fits"
}
