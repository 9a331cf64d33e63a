# Compile: what compiling by darn costs, in time and memory of the compiler, and how large the binaries become.
# shellcheck shell=bash disable=SC2034,SC2154 # the variables are those of bench/run and lib.bash

# Real programs, from one file of 240,000 lines to a hundred small ones.
large=(sqlite3 x264 memcached xz redis)
# The sizes of those that are built for other parts anyway, and of two that are built fast.
sized=(pbzip2 zstd leveldb memcached xz)
packages+=([sqlite3]=sqlite3 [x264]=x264 [xz]=xz-utils [redis]=redis)

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

compile_large() {
    local name failed=0
    make_tsan_compilers
    plan_compile >"$work/plan"
    for name in "$@"; do
        if ! fetch "$name" || ! note_compilations "$name"; then
            echo "bench/run: $name could not be built; see $work/logs/compile.$name" >&2
            failed=1
            continue
        fi
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
    mapfile -t names < <(chosen "${large[@]}")
    [ ${#names[@]} -eq 0 ] || compile_large "${names[@]}" || failed=1
    # Somebody who asks for one program gets its size, however long it takes.
    [ ${#only[@]} -gt 0 ] || names=("${sized[@]}")
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
