# Witness: how often one trial confirms what hb and syncp predict of racy programs, by the reordering that shows it.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run, lib.bash and recall.bash

# races_in FILE: the findings that are races, as ID PLACES; places are an operation and a line for each side.
races_in() {
    sed -n '/"kind":"data-race"/p' "$1" | perl -ne '
        my ($id) = /^\{"id":"([0-9a-f]*)"/ or next;
        my ($sides) = /"accesses":(.*?),"engine"/ or next;
        print join(" ", $id, $sides =~ /"op":"([a-z ]*)","thread":.*?"line":(\d+)/g), "\n"'
}

# keeps_apart SOURCE LINE...: whether an order that no tool sees holds between the accesses, in each schedule: by unseen.h or
# the like, or because memory that a thread makes is nobody else's until it is published, and that is a race of its own.
keeps_apart() {
    local source=$1 line
    shift
    ! grep -q '"\.\./unseen\.h"\|while (umask' "$source" || return 0
    for line; do
        ! sed -n "${line}p" "$source" | grep -q 'before it is published' || return 0
    done
    return 1
}

# measure_witness NAME: for each race that the recorded run of a hunt predicts a row of NAME, `confirmed`, `apart` or `open`,
# and the places.
measure_witness() {
    local name=$1 log=$work/logs/witness.$1 darn=$build/bin/darn at place source id one line other other_line verdict
    local -a subject wish front=()
    build_racy "$name" darn || return 1
    prepare "$name" hunt
    source=$(recall_source "$name")
    at=$witnessed/$name
    rm -rf "$at" && mkdir -p "$at" && : >"$at/predicted"
    while [[ ${subject[0]} == *=* ]]; do
        front+=("${subject[0]}")
        subject=("${subject[@]:1}")
    done
    (cd "$place" && env "${front[@]}" "$darn" hunt "${wish[@]}" --trials=1 --no-explore --no-shrink --jobs=1 -o "$at/out" -- \
        "${subject[@]}" </dev/null) >"$log" 2>&1
    [ -s "$at/out/trace" ] || {
        complain "of $name no run was recorded; see $log"
        return 1
    }
    "$darn" analyze --engine=hb,syncp --json="$at/predicted" "$at/out/trace" >"$log.predicted" 2>&1
    grep '"certainty":"confirmed"' "$at/out/index.jsonl" >"$at/confirmed"
    while read -r id one line other other_line; do
        verdict=open
        ! keeps_apart "$source" "$line" "$other_line" || verdict=apart
        ! grep -q "^{\"id\":\"$id\"" "$at/confirmed" || verdict=confirmed
        echo "$name $verdict $one $line and $other $other_line"
    done < <(races_in "$at/predicted") >"$at/rows"
}

print_witness() {
    awk '
        {
            all++
            count[$2]++
        }
        $2 == "open" { name = $1; $1 = $2 = ""; open_ = open_ (open_ ? "; " : "") name ":" substr($0, 2) }
        END {
            can = all - count["apart"]
            print "| Races | |\n|---|---:|"
            print "| predicted by `hb` or `syncp` | " all " |"
            print "| kept apart in each schedule, by an order that no tool sees | " count["apart"] + 0 " |"
            print "| confirmed by one trial | " count["confirmed"] + 0 " |"
            print "| not confirmed | " (open_ ? open_ : "none") " |"
            print "\n| Goal | wanted | measured | met |\n|---|---|---|---|"
            part = can ? 100 * count["confirmed"] / can : 0
            printf "| confirmed by one trial, of those that nothing keeps apart | ≥ 95 %% | %.1f %% | %s |\n\n", part,
                (part >= 95 ? "yes" : "**no**")
        }' "$1"
}

# Each hunt has one job: two at a time.
# shellcheck disable=SC2046 # names have no blanks
part_witness() {
    local failed=0
    mkdir -p "$work"/{recall,witness} || return 1
    recalled=$(cd "$work/recall" && pwd) witnessed=$(cd "$work/witness" && pwd)
    rm -rf "${witnessed:?}"/*
    two_at_a_time measure_witness $(chosen $(recall_names)) || failed=1
    cat "$witnessed"/*/rows >"$work/witness.rows"
    print_witness "$work/witness.rows"
    return $failed
}

about_witness() {
    cat <<END
What \`hb\` and \`syncp\` predict of one run of each program of \`tests/programs/racy\`, built by the last of its \`build:\` lines, and what a hunt with
one trial for each prediction confirms (\`darn hunt --trials=1 --no-explore\`). The trial plays the reordering that the race is predicted with.
END
}
