# What it costs to learn a profile and to record a trace with it.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

plan_recording() {
    cat <<END
tables user wall
variant plain plain $few_rounds $record_limit plain
variant learn plain 1 $record_limit learning
variant record plain $few_rounds $record_limit recording
goal record user mean 3.0 recording with the profile applied: user time, geometric mean
END
}

plan_recorded_program() {
    local name=$1 command
    command=$(command_of darn "$name" "$size")
    cat <<END
run $name plain $(command_of plain "$name" "$size")
run $name learn DARN_OPTIONS=learn=$work/profiles/$name $command
run $name record DARN_OPTIONS=profile=$work/profiles/$name:trace=$work/traces/$name.trace:max_size=$trace_megabytes $command
END
}

# The last trace of a program, packed: a row of the table.
trace_row() {
    local name=$1 trace=$work/traces/$1.trace unpacked about lost
    unpacked=$(stat -c %s "$trace") && "$work/trace_make" --pack "$trace" &&
        about=$("$build/bin/darn" trace stat --json "$trace") || return 1
    lost=$(json_number lost <<<"$about")
    awk -v name="$name" -v unpacked="$unpacked" -v packed="$(stat -c %s "$trace")" -v lost="$lost" \
        -v events="$(json_number events <<<"$about")" 'BEGIN {
            printf "| %s | %.2f M | %.1f MB | %.1f MB | %.2f | %s |\n", name, events / 1e6,
                unpacked / 1e6, packed / 1e6, events ? packed / events : 0,
                lost ? sprintf("no, %.2f M more", lost / 1e6) : "yes"
        }'
}

trace_table() {
    local name failed=0
    echo "| Trace | events | as it is written | packed | bytes for each event | complete |"
    echo "|---|---:|---:|---:|---:|---|"
    for name in "$@"; do
        trace_row "$name" || {
            complain "$name left no trace that can be read"
            failed=1
        }
    done
    echo
    return $failed
}

part_recording() {
    local name failed=0 programs=()
    plan_recording >"$work/plan"
    for name in $(chosen "${own[@]}" "${real[@]}" "${large[@]}"); do
        make_ready "$name" plain darn || failed=1
        rm -f "$work/profiles/$name" "$work/traces/$name.trace"
        plan_recorded_program "$name" >>"$work/plan"
        programs+=("$name")
    done
    "$work/compare" "$work/plan" "$work/logs" || failed=1
    trace_table "${programs[@]}" || failed=1
    return $failed
}

about_recording() {
    cat <<END
\`learning\` is the run that finds out which sites share memory, \`recording\` the one that is recorded
with that profile applied: the program alone, without the packing that \`darn record\` does afterwards. They
take turns with the plain build; each runs $(times $few_rounds) and the median counts (learning is run once), and none may take longer
than $record_limit s. A trace has at most $trace_megabytes MB before it is packed.
END
}
