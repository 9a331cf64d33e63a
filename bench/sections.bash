# Sections: what it costs to look for them when compiling, how many there are, and what it costs to watch them.
# shellcheck shell=bash disable=SC2154 # the variables are those of bench/run and lib.bash

# Packages of 10,000 lines and more.
compiled=(zstd leveldb memcached)

# every_nth MOST NOTE...: of the notes of a package at most so many, in equal steps from the largest source to the smallest.
every_nth() {
    local most=$1 note source
    shift
    for note; do
        source=$(sed -n '1s/^# //p' "$note")
        [ ! -e "$source" ] || echo "$(stat -c %s "$source") $note"
    done | sort -k1,1nr -k2,2 | awk -v most="$most" '
        { note[NR] = $2 }
        END { for (i = 1; i <= NR; i += NR > most ? NR / most : 1) print note[int(i)] }'
}

# Leaves a file that does compilations of a package again, one after the other: at most $compile_most of them. The package
# is built once for that, and its lines are counted.
note_compilations() {
    local name=$1 list=$work/compile/$1.list notes=$work/compile/$1.notes compilers=$work/compile/compilers
    rm -rf "$notes" "$list" && mkdir -p "$notes" "$compilers" &&
        ln -sf "$here/real/note" "$compilers/cc" && ln -sf "$here/real/note" "$compilers/c++" || return 1
    echo "building $name (compilations are noted)" >&2
    NOTES=$notes NOTED_CC=${cc[plain]} NOTED_CXX=${cxx[plain]} "$here/real/build" "$name" "$work/sources" \
        "$work/compile" "$compilers/cc" "$compilers/c++" "$flags" >"$work/logs/compile.$name" 2>&1 || return 1
    every_nth "$compile_most" "$notes"/* | xargs -d '\n' cat >"$list"
    [ -s "$list" ]
}

plan_compilations() {
    cat <<END
tables user
variant plain plain $compile_rounds 900 clang
variant bare plain $compile_rounds 900 darn cc, \`--darn-no-sections\`
variant darn plain $compile_rounds 900 darn cc
again inference darn bare inference alone
goal darn user worst 2.0 compiling with inference of sections: user time to that of clang, worst
goal inference user worst 2.0 compiling with inference of sections: user time to that without, worst
END
}

plan_compilation() {
    local name=$1 list=$work/compile/$1.list variant
    for variant in plain bare darn; do
        echo "run $name $variant CC=${cc[$variant]} CXX=${cxx[$variant]}" \
            "DARN_SECTIONS=$([ $variant = bare ] && echo 0 || echo 1) bash -e $list"
    done
}

compile_packages() {
    local name failed=0
    [ -n "$(chosen "${compiled[@]}")" ] || return 0
    plan_compilations >"$work/plan"
    for name in $(chosen "${compiled[@]}"); do
        fetch "$name" && note_compilations "$name" || {
            echo "bench/run: $name could not be built; see $work/logs/compile.$name" >&2
            failed=1
            continue
        }
        plan_compilation "$name" >>"$work/plan"
    done
    "$work/compare" "$work/plan" "$work/logs" || failed=1
    return $failed
}

# Lines of the sources that are compiled, without headers; nothing where the compilations are not known.
lines_of() {
    if [ -e "$work/compile/$1.list" ]; then
        sed -n 's/^# //p' "$work/compile/$1.notes"/* | sort -u | xargs -d '\n' cat 2>/dev/null | wc -l
    elif ! is_real "$1"; then
        cat "$here/programs/$1".c* | wc -l
    fi
}

# infer NAME SUFFIX OPTION...: a repository; and in NAME.SUFFIX.count, how many there are of each kind.
infer() {
    local name=$1 repository=$work/repositories/$1.$2 log=$work/logs/sections.$1
    shift 2
    "$build/bin/darn" sections infer "$@" -o "$repository" "$work/darn/$name" >"$repository.count" 2>"$log" || {
        echo "bench/run: sections of $name could not be inferred; see $log" >&2
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
        make_ready "$name" darn && infer "$name" default && infer "$name" all --all && section_row "$name" || failed=1
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
    command="$name $(arguments "$name" "$size")"
    cat <<END
run $name plain $work/plain/$command
run $name darn DARN_OPTIONS=budget=10% $work/darn/$command
run $name sections DARN_OPTIONS=budget=10%:sections=$repository.default $work/darn/$command
run $name all DARN_OPTIONS=budget=10%:sections=$repository.all $work/darn/$command
END
}

watch_sections() {
    local name failed=0
    [ -n "$(chosen "${own[@]}" "${real[@]}")" ] || return 0
    plan_sections >"$work/plan"
    for name in $(chosen "${own[@]}" "${real[@]}"); do
        make_ready "$name" plain darn && [ -s "$work/repositories/$name.all" ] || { failed=1 && continue; }
        plan_section_program "$name" >>"$work/plan"
    done
    "$work/compare" "$work/plan" "$work/logs" || failed=1
    return $failed
}

# instructions_with OPTIONS PROGRAM ARGUMENTS...: how many, by callgrind. It cannot read the debug information, and need not.
instructions_with() {
    local options=$1 program=$2 copy=$work/counted count log=$work/logs/callgrind
    shift 2
    objcopy -g "$program" "$copy" || return 1
    DARN_OPTIONS=$options valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$copy" "$@" >"$log.out" 2>"$log" || return 1
    # The runtime has a process of its own for traces: that of the program is the larger one.
    count=$(sed -n 's/.*Collected : \([0-9]*\)$/\1/p' "$log" | sort -n | tail -1)
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
    [ "$name" != zstd ] || words=(--single-thread -q -3 -c "$work/input.$valgrind_size")
    for variant in plain bare darn; do
        make_ready "$name" $variant && count=$(instructions "$work/$variant/$name" "${words[@]}") || return 1
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

count_instructions() {
    local name failed=0
    for name in $(chosen "${own[@]}" zstd); do
        count_program "$name" || {
            echo "bench/run: callgrind fails on $name; see $work/logs/callgrind" >&2
            failed=1
        }
    done >"$work/instructions"
    print_instructions "$work/instructions"
    return $failed
}

part_sections() {
    local failed=0
    mkdir -p "$work"/{compile,repositories} || return 1
    compile_packages || failed=1
    section_table || failed=1
    watch_sections || failed=1
    count_instructions || failed=1
    return $failed
}

about_sections() {
    cat <<END
First, what it costs to look for atomic sections when compiling: up to $compile_most compilations of a package, in equal
steps from its largest file to its smallest, one after the other, with the flags of its own build system and \`$flags\`, by
clang, by \`darn cc --darn-no-sections\` and by \`darn cc\`, which take turns; each $(times $compile_rounds). \`inference alone\` is the ratio of the last two.

Second, what \`darn sections infer\` finds: sections by kind; pairs are those of \`--all\`. \`lines\` are those of the
sources that are compiled, without headers. \`in the file\` is the size of the ELF section \`darn_sections\`.

Third, what \`darn run --sections\` costs, at the default budget, next to \`darn run\`: the same programs, with what
is inferred, not refined; \`with pairs\` is the repository of \`--all\`. The median of $section_rounds runs counts. Most of these
sections were never meant to be atomic: what is reported of them is part of the cost.

Fourth, what inference costs a program of which nothing is watched: instructions by callgrind, with $count_size % of the work
(\`zstd\`: one thread, $valgrind_megabytes MB), while attention is never raised.
END
}
