# Compile: what compiling by darn costs, in time and memory of the compiler, and how large the binaries become.
# shellcheck shell=bash disable=SC2034,SC2154 # the variables are those of bench/run and lib.bash

# Real programs, from one file of 240,000 lines to a hundred small ones; and those of which the size is told.
compiled=(sqlite3 x264 memcached xz redis)
sized=("${real[@]}" "${large[@]}")

plan_compile() {
    cat <<END
tables user peak
variant plain plain $compile_rounds 900 clang
variant tsan plain $compile_rounds 900 TSan
variant darn plain $compile_rounds 900 darn cc
goal darn user mean 1.4 compiling: user time to that of clang, geometric mean
goal darn user worst 1.6 compiling: user time to that of clang, worst
goal darn peak mean 1.4 compiling: memory of the compiler to that of clang, geometric mean
goal darn peak worst 1.6 compiling: memory of the compiler to that of clang, worst
END
}

# The flags of a list are those of its plain build: TSan's come on top.
plan_compile_program() {
    local name=$1 list=$work/compile/$1.list
    cat <<END
run $name plain CC=${cc[plain]} CXX=${cxx[plain]} bash -e $list
run $name tsan CC=$work/compile/tsan/cc CXX=$work/compile/tsan/c++ bash -e $list
run $name darn CC=${cc[darn]} CXX=${cxx[darn]} bash -e $list
END
}

make_tsan_compilers() {
    local name
    mkdir -p "$work/compile/tsan"
    for name in cc c++; do
        printf '#!/bin/sh\nexec %s -fsanitize=thread "$@"\n' "$([ $name = cc ] && echo "${cc[plain]}" || echo "${cxx[plain]}")" \
            >"$work/compile/tsan/$name"
        chmod +x "$work/compile/tsan/$name"
    done
}

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

# Leaves a file that does compilations of a package again, one after the other: at most $compile_most of them.
list_compilations() {
    local name=$1 list=$work/compile/$1.list
    rm -f "$list"
    make_ready "$name" plain && every_nth "$compile_most" "$work/plain/$name.notes"/* | xargs -d '\n' cat >"$list"
    [ -s "$list" ]
}

compile_packages() {
    local name failed=0
    make_tsan_compilers
    plan_compile >"$work/plan"
    for name in "$@"; do
        list_compilations "$name" || failed=1
        plan_compile_program "$name" >>"$work/plan"
    done
    "$work/compare" "$work/plan" "$work/logs" || failed=1
    return $failed
}

# size_of VARIANT NAME [STRIP-OPTION]: in bytes; without debug information if an option of strip says so.
size_of() {
    [ $# -eq 2 ] || strip "$3" "$work/$1/$2" -o "$work/compile/stripped" || return 1
    stat -c %s "$([ $# -eq 2 ] && echo "$work/$1/$2" || echo "$work/compile/stripped")"
}

size_row() {
    local name=$1 variant row=$1
    for variant in plain tsan darn; do row+=" $(size_of $variant "$name" -s) $(size_of $variant "$name")"; done
    awk -v row="$row" 'BEGIN { split(row, n, " ")
        printf "| %s | %.2f MB | %.2f | %.2f | %.2f MB | %.2f | %.2f |\n",
               n[1], n[2] / 1e6, n[4] / n[2], n[6] / n[2], n[3] / 1e6, n[5] / n[3], n[7] / n[3] }'
}

# What a library of TSan or the runtime of darn takes is in it.
size_table() {
    local name failed=0
    echo "| Size of the binary | stripped: plain | TSan | darn | with \`-g\`: plain | TSan | darn |"
    echo "|---|---:|---:|---:|---:|---:|---:|"
    for name in "$@"; do
        make_ready "$name" plain tsan darn && size_row "$name" || failed=1
    done
    echo
    return $failed
}

part_compile() {
    local failed=0 names
    mkdir -p "$work/compile" || return 1
    mapfile -t names < <(chosen "${compiled[@]}")
    [ ${#names[@]} -eq 0 ] || compile_packages "${names[@]}" || failed=1
    mapfile -t names < <(chosen "${sized[@]}")
    size_table "${names[@]}" || failed=1
    return $failed
}

about_compile() {
    cat <<END
What compiling costs: up to $compile_most compilations of a package, in equal steps from its largest file to its smallest, one
after the other, with the flags of its own build system and \`$flags\`, by clang, by clang with \`-fsanitize=thread\` and by
\`darn cc\`, which take turns; each $(times $compile_rounds). Peak memory is that of the largest compilation. Then the size of programs,
with the runtime that is linked into them.
END
}
