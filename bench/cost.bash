# What darn costs while a program runs, next to TSan, DRD and Helgrind; and what starting and ending cost.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

short=(nothing children)

plan_cost() {
    cat <<END
tables user wall peak
variant plain plain $rounds $limit plain
variant darn plain $rounds $limit darn
variant guard plain $rounds $limit darn, budget 0
variant trained plain 1 $limit darn, trained
variant max plain 1 $limit darn, max
variant tsan plain 1 $limit TSan
END
    [ "$valgrind" = no ] || cat <<END
variant plain-small plain-small 3 $limit plain, small
variant drd plain-small 1 $valgrind_limit DRD
variant helgrind plain-small 1 $valgrind_limit Helgrind
END
    cat <<END
goal darn user mean 1.2 default budget: user time, geometric mean
goal darn user worst 1.5 default budget: user time, worst
goal guard user mean 1.1 \`--budget=0\`: user time, geometric mean
goal guard user worst 1.25 \`--budget=0\`: user time, worst
goal trained user mean 1.05 a build with a training profile, default budget: user time, geometric mean
within darn peak 1.2 34 default budget: peak memory of each program, in MB
below max tsan user \`--budget=max\`: user time below TSan
END
}

plan_cost_program() {
    local name=$1
    cat <<END
run $name plain $(command_of plain "$name" "$cost_size")
run $name darn $(command_of darn "$name" "$cost_size")
run $name guard DARN_OPTIONS=budget=0 $(command_of darn "$name" "$cost_size")
run $name trained $(command_of trained "$name" "$cost_size")
run $name max DARN_OPTIONS=budget=max $(command_of darn "$name" "$cost_size")
run $name tsan $(command_of tsan "$name" "$cost_size")
END
    [ "$valgrind" = no ] || cat <<END
run $name plain-small $(command_of plain "$name" "$valgrind_size")
run $name drd $(command_of plain "$name" "$valgrind_size" valgrind --tool=drd -q)
run $name helgrind $(command_of plain "$name" "$valgrind_size" valgrind --tool=helgrind -q)
END
}

# A smaller run is the training.
train() {
    local name=$1 profile=$work/trained/$1.profile log=$work/logs/train.$1 command
    [ "$profile" -nt "$work/darn/$name" ] && return 0
    rm -f "$profile"
    read -ra command <<<"$(command_of darn "$name" "$train_size")"
    DARN_OPTIONS=learn=$profile timeout 120 "${command[@]}" >/dev/null 2>"$log" </dev/null && [ -s "$profile" ] ||
        complain "the training run of $name failed; see $log"
}

make_for_cost() {
    local name=$1
    make_ready "$name" plain darn tsan && train "$name" || return 1
    extra[trained]=--profile=$work/trained/$name.profile
    make_ready "$name" trained
}

# start_row NAME RUNS: the median time in milliseconds, and the memory, of each build, and how much more darn's is.
start_row() {
    local name=$1 runs=$2 variant row=$1
    for variant in plain darn; do
        row+=" $("$work/often" "$runs" 1 20 "$work/$variant/$name" | cut -d' ' -f5)"
        row+=" $("$work/cost" /dev/null /dev/null "$work/$variant/$name" | cut -d' ' -f3)"
    done
    echo "$row"
}

start_table() {
    local name failed=0
    : >"$work/starts"
    for name in $(chosen "${short[@]}"); do
        make_ready "$name" plain darn && start_row "$name" "$([ "$name" = nothing ] && echo 400 || echo 5)" >>"$work/starts" || failed=1
    done
    awk '
        function goal(what, most, value, unit) {
            printf "| %s | ≤ %d %s | %.2f %s | %s |\n", what, most, unit, value, unit, value <= most ? "yes" : "**no**"
        }
        BEGIN { print "| Start and end | plain | darn | more | plain | darn | more |\n|---|---:|---:|---:|---:|---:|---:|" }
        {
            printf "| %s | %.2f ms | %.2f ms | %.2f ms | %.1f MB | %.1f MB | %.1f MB |\n", $1, $2, $4, $4 - $2, $3, $5, $5 - $3
            time[$1] = $4 - $2
            memory[$1] = $5 - $3
        }
        END {
            if (NR < 2)
                exit
            print "\n| Goal | wanted | measured | met |\n|---|---|---|---|"
            goal("a program that does nothing: time", 1, time["nothing"], "ms")
            goal("a program that does nothing: memory", 1, memory["nothing"], "MB")
            goal("each of a thousand children: time", 1, time["children"] / 1000, "ms")
        }' "$work/starts"
    return $failed
}

# A program that does not build has a row, too: it says that it failed. Two are built at a time, for to configure and to link
# leave a processor idle, those that take longest first.
part_cost() {
    local name names failed=0 begun=$SECONDS
    mapfile -t names < <(chosen "${own[@]}" "${real[@]}" "${large[@]}")
    # shellcheck disable=SC2046 # names have no blanks
    two_at_a_time make_for_cost $(printf '%s\n' "${names[@]}" | tac) || failed=1
    echo "$((SECONDS - begun)) (of the next: to fetch, build and train)" >>"$work/took"
    plan_cost >"$work/plan"
    for name in "${names[@]}"; do
        plan_cost_program "$name" >>"$work/plan"
    done
    "$work/compare" "$work/plan" "$work/logs" || failed=1
    start_table || failed=1
    return $failed
}

about_cost() {
    cat <<END
The numbers are ratios to the plain build (\`clang-19 -O2 -g\`), whose own time and memory are in the
first column. \`darn\` is the default budget of 10 %, \`budget 0\` what guards cost by themselves. \`trained\` is a build with
\`darn cc --profile=FILE\`, at the default budget: what a run with $((100 * train_size / cost_size)) % of the work has never seen to be shared has no guard.
\`darn, max\` is \`--budget=max\`. All builds of a program take turns on the same machine, round by round. A ratio is that of one round, and the median of
$rounds rounds counts; \`trained\`, \`darn, max\` and TSan run in the first one only. The work is sized so that a plain run takes two seconds of the processor or more: of the first
100 ms everything is seen, which is a few percent of such a run, and less of a longer one.
DRD and Helgrind run once with $valgrind_size % of what takes half a second, against the plain build with as much, for at most $valgrind_limit s.
Memory is the largest resident size; in the programs that need hardly any, it shows what the runtime needs for itself.
Every run must print what the plain build prints. Of memcached the server is measured, with a client beside it.

Last, what a program costs that ends at once, and one that forks a thousand children.
END
}
