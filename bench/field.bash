# What is left when nothing is watched: the guard alone, a build with a training profile, and starting and ending.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

short=(nothing children)

plan_field() {
    cat <<END
tables user
variant plain plain $few_rounds $limit plain
variant darn plain $few_rounds $limit darn
variant guard plain $few_rounds $limit darn, budget 0
variant trained plain $few_rounds $limit darn, trained
goal darn user mean 1.2 default budget: user time, geometric mean
goal darn user worst 1.5 default budget: user time, worst
goal guard user mean 1.1 \`--budget=0\`: user time, geometric mean
goal guard user worst 1.25 \`--budget=0\`: user time, worst
goal trained user mean 1.05 a build with a training profile, default budget: user time, geometric mean
END
}

plan_field_program() {
    local name=$1 command
    command="$name $(arguments "$name" "$peer_size")"
    cat <<END
run $name plain $work/plain/$command
run $name darn $work/darn/$command
run $name guard DARN_OPTIONS=budget=0 $work/darn/$command
run $name trained $work/trained/$command
END
}

# A smaller run is the training.
train() {
    local name=$1 profile=$work/trained/$1.profile command
    [ "$profile" -nt "$work/darn/$name" ] && return 0
    rm -f "$profile"
    read -ra command <<<"$work/darn/$name $(arguments "$name" "$valgrind_size")"
    "$build/bin/darn" record --quiet --max-size=64 --profile="$profile" -o "$work/traces/training.trace" -- "${command[@]}" \
        >/dev/null 2>"$work/logs/train.$name" </dev/null || {
        echo "bench/run: the training run of $name failed; see $work/logs/train.$name" >&2
        return 1
    }
}

make_trained() {
    local name=$1
    make_ready "$name" plain darn && train "$name" || return 1
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

part_field() {
    local name failed=0
    mkdir -p "$work/trained"
    plan_field >"$work/plan"
    for name in $(chosen "${own[@]}" "${real[@]}"); do
        make_trained "$name" || { failed=1 && continue; }
        plan_field_program "$name" >>"$work/plan"
    done
    "$work/compare" "$work/plan" "$work/logs" || failed=1
    echo
    start_table || failed=1
    return $failed
}

about_field() {
    cat <<END
What is left when little or nothing is watched. \`--budget=0\` is what guards cost by themselves. *Trained* is a build with \`darn cc --profile=FILE\`, of a run with $valgrind_size % of the work: what it
has never seen to be shared has no guard. The median of $few_rounds runs counts.
END
}
