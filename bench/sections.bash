# Sections: how many there are, and what it costs to watch them.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

# Lines of the sources that are compiled, without headers; nothing where the compilations are not known.
lines_of() {
    if is_real "$1"; then
        sed -n 's/^# //p' "$work/plain/$1.notes"/* | sort -u | xargs -d '\n' cat 2>/dev/null | wc -l
    else
        cat "$here/programs/$1".c* | wc -l
    fi
}

# infer NAME SUFFIX OPTION...: a repository; and in NAME.SUFFIX.count, how many there are of each kind.
infer() {
    local name=$1 repository=$work/repositories/$1.$2 log=$work/logs/sections.$1
    shift 2
    "$build/bin/darn" sections infer "$@" -o "$repository" "$work/darn/$name" >"$repository.count" 2>"$log" || {
        complain "sections of $name could not be inferred; see $log"
        return 1
    }
}

# count_of KIND REPOSITORY
count_of() {
    local count
    count=$(sed -n "s/.* \([0-9]*\) $1\b.*/\1/p" "$2.count")
    echo "${count:-0}"
}

section_row() {
    local name=$1 all=$work/repositories/$1.all each
    each="$(count_of load-and-store "$all") | $(count_of test-and-use "$all") | $(count_of pair "$all")"
    size -A -d "$work/darn/$name" | awk -v name="$name" -v lines="$(lines_of "$name")" -v each="$each" '
        $1 == "darn_sections" { bytes = $2 }
        $1 ~ /^\.(text|data|rodata)$/ { program += $2 }
        END { printf "| %s | %s | %s | %.1f KB | %.1f KB |\n", name, lines, each, bytes / 1e3, program / 1e3 }'
}

section_table() {
    local name failed=0
    echo "| Sections | lines | load-and-store | test-and-use | pairs | in the file | code and data |"
    echo "|---|---:|---:|---:|---:|---:|---:|"
    for name in $(chosen "${own[@]}" "${real[@]}" memcached); do
        make_ready "$name" plain darn && infer "$name" default && infer "$name" all --all && section_row "$name" || failed=1
    done
    echo
    return $failed
}

plan_sections() {
    cat <<END
tables cpu wall
variant plain plain $section_rounds $limit plain
variant darn plain $section_rounds $limit darn
variant sections plain $section_rounds $limit with sections
variant all plain $section_rounds $limit with pairs
again cost sections darn sections / darn
again cost-all all darn pairs / darn
goal cost cpu mean 1.1 \`darn run --sections\` to \`darn run\`: user and system time, geometric mean
goal cost cpu worst 1.1 \`darn run --sections\` to \`darn run\`: user and system time, worst
goal cost-all cpu mean 1.1 the same with all pairs: user and system time, geometric mean
goal cost-all cpu worst 1.1 the same with all pairs: user and system time, worst
END
}

plan_section_program() {
    local name=$1 command repository=$work/repositories/$1
    command=$(command_of darn "$name" "$size")
    cat <<END
run $name plain $(command_of plain "$name" "$size")
run $name darn $command
run $name sections DARN_OPTIONS=sections=$repository.default $command
run $name all DARN_OPTIONS=sections=$repository.all $command
END
}

watch_sections() {
    local name failed=0
    [ -n "$(chosen "${own[@]}" "${real[@]}")" ] || return 0
    plan_sections >"$work/plan"
    for name in $(chosen "${own[@]}" "${real[@]}"); do
        plan_section_program "$name" >>"$work/plan"
    done
    "$work/compare" "$work/plan" "$work/logs" || failed=1
    return $failed
}

# instructions_with OPTIONS PROGRAM ARGUMENTS...: how many, by callgrind. It cannot read the debug information, and need not.
instructions_with() {
    local options=$1 program=$2 copy=$work/counted.$BASHPID count log=$work/logs/callgrind.$BASHPID
    shift 2
    objcopy -g "$program" "$copy" || return 1
    DARN_OPTIONS=$options valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$copy" "$@" >"$log.out" 2>"$log" || return 1
    # The runtime has a process of its own for traces: that of the program is the larger one.
    count=$(sed -n 's/.*Collected : \([0-9]*\)$/\1/p' "$log" | sort -n | tail -1)
    rm -f "$copy" "$log" "$log.out"
    [ -n "$count" ] && echo "$count"
}

# In a trace of synchronization alone no access is looked at: each passes its check, and that is all.
instructions() {
    instructions_with trace=/dev/null:trace_what=sync "$@"
}

# One line: NAME, and the instructions of the plain build, the one without inference, and the one with it.
count_program() {
    local name=$1 variant words row=$1 count
    read -ra words <<<"$(arguments "$name" "$count_size")"
    [ "$name" != zstd ] || words=(--single-thread -q -3 -c "$(input 32 "$valgrind_size")")
    for variant in plain bare darn; do
        make_ready "$name" $variant && count=$(instructions "$work/$variant/$name" "${words[@]}") || {
            complain "callgrind fails on $name ($variant)"
            return 1
        }
        row+=" $count"
    done
    echo "$row"
    echo "$row" >&2
}

print_instructions() {
    awk '
        {
            line = sprintf("| %s | %.1f M |", $1, $2 / 1e6)
            for (i = 1; i <= 3; i++) {
                ratio[i] = i == 1 ? $3 / $2 : i == 2 ? $4 / $2 : $4 / $3
                sum[i] += log(ratio[i])
                worst[i] = ratio[i] > worst[i] ? ratio[i] : worst[i]
                line = line sprintf(i < 3 ? " %.2f |" : " %.3f |", ratio[i])
            }
            lines = lines line "\n"
        }
        function summary(name, one, two, three) {
            printf "| **%s** | | %.2f | %.2f | %.3f |\n", name, one, two, three
        }
        END {
            if (!NR)
                exit
            print "| Instructions | plain | darn, without inference | darn | inference alone |"
            print "|---|---:|---:|---:|---:|"
            printf "%s", lines
            summary("geometric mean", exp(sum[1] / NR), exp(sum[2] / NR), exp(sum[3] / NR))
            summary("worst", worst[1], worst[2], worst[3])
            print ""
        }' "$1"
}

# Two at a time: what is counted does not depend on what else runs.
# shellcheck disable=SC2046 # names have no blanks
count_instructions() {
    local failed=0
    two_at_a_time count_program $(chosen "${own[@]}" zstd) >"$work/instructions" || failed=1
    print_instructions "$work/instructions"
    return $failed
}

part_sections() {
    local failed=0
    mkdir -p "$work/repositories" || return 1
    section_table || failed=1
    watch_sections || failed=1
    count_instructions || failed=1
    return $failed
}

about_sections() {
    cat <<END
First, what \`darn sections infer\` finds: sections by kind; pairs are those of \`--all\`. \`lines\` are those of the
sources that are compiled, without headers. \`in the file\` is the size of the ELF section \`darn_sections\`.

Second, what \`darn run --sections\` costs, at the default budget, next to \`darn run\`: the same programs, with what
is inferred, not refined; \`with pairs\` is the repository of \`--all\`. The median of $section_rounds runs counts. Most of these
sections were never meant to be atomic: what is reported of them is part of the cost.

Third, what inference costs a program of which nothing is watched: instructions by callgrind, with $count_size % of the work
(\`zstd\`: one thread, $((32 * valgrind_size / 100)) MB), while attention is never raised.
END
}
