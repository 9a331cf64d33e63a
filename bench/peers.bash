# What darn run costs, next to TSan, DRD and Helgrind.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

plan_peers() {
    cat <<END
tables user wall peak
variant plain plain $rounds $limit plain
variant darn plain $rounds $limit darn
variant max plain $slow_rounds $limit darn, max
variant tsan plain $slow_rounds $limit TSan
END
    [ "$valgrind" = no ] || cat <<END
variant plain-small plain-small 3 $limit plain, small
variant drd plain-small 1 $valgrind_limit DRD
variant helgrind plain-small 1 $valgrind_limit Helgrind
END
    cat <<END
goal darn user mean 1.3 default budget: user time, geometric mean
goal darn user worst 2.0 default budget: user time, worst
within darn peak 1.2 34 default budget: peak memory of each program, in MB
below max tsan user \`--budget=max\`: user time below TSan
END
}

plan_peer_program() {
    local name=$1 full small
    full="$name $(arguments "$name" "$peer_size")"
    small="$name $(arguments "$name" "$valgrind_size")"
    cat <<END
run $name plain $work/plain/$full
run $name darn DARN_OPTIONS=budget=10% $work/darn/$full
run $name max DARN_OPTIONS=budget=max $work/darn/$full
run $name tsan $work/tsan/$full
END
    [ "$valgrind" = no ] || cat <<END
run $name plain-small $work/plain/$small
run $name drd valgrind --tool=drd -q $work/plain/$small
run $name helgrind valgrind --tool=helgrind -q $work/plain/$small
END
}

part_peers() {
    local name failed=0
    plan_peers >"$work/plan"
    for name in $(chosen "${own[@]}" "${real[@]}"); do
        make_ready "$name" plain tsan darn || { failed=1 && continue; }
        plan_peer_program "$name" >>"$work/plan"
    done
    "$work/compare" "$work/plan" "$work/logs" || failed=1
    return $failed
}

about_peers() {
    cat <<END
The numbers are ratios to the plain build (\`clang-19 -O2 -g\`), whose own time and memory are in the
first column. \`darn\` is the default budget of 10 %, \`darn, max\` is \`--budget=max\`. All builds of a
program take turns on the same machine, the median of $rounds runs counts; \`darn, max\` and TSan run $(times $slow_rounds).
DRD and Helgrind run once with $valgrind_size % of the work, against the plain build with as much, for at most $valgrind_limit s.
Memory is the largest resident size; in the programs that need hardly any, it shows
what the runtime needs for itself. Every run must print what the plain build prints.
END
}
