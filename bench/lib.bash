# What the parts of bench/run share: which programs there are, and how they are built.
# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with bench/run and its parts

die() {
    echo "bench/run: $*" >&2
    exit 2
}

own=(jacobi matmul hashtable pipeline steal chase triad alloc words)
real=(pbzip2 zstd leveldb)
handmade=(ocean tasks stages fmm)
declare -A packages=([pbzip2]="pbzip2 bzip2" [zstd]=libzstd [leveldb]=leveldb [memcached]=memcached)

# What the compilers of the builds are called with. Valgrind 3.19 does not read clang's
# default, DWARF 5, and the version of the debug information changes nothing else.
flags="-O2 -g -pthread"
declare -A cc=([plain]=clang-19 [tsan]=clang-19)
declare -A cxx=([plain]=clang++-19 [tsan]=clang++-19)
declare -A extra=([plain]=-gdwarf-4 [tsan]=-fsanitize=thread [darn]="" [bare]=--darn-no-sections)

is_one_of() {
    local name=$1
    shift
    [[ " $* " == *" $name "* ]]
}

is_real() {
    [ -n "${packages[$1]:-}" ]
}

# Of a list of programs, those that --only has left.
chosen() {
    local name
    for name in "$@"; do
        if [ ${#only[@]} -eq 0 ] || is_one_of "$name" "${only[@]}"; then
            echo "$name"
        fi
    done
}

# What a build depends on besides the compiler: the tool itself for darn, else nothing.
key_of() {
    local variant=$1 name=$2
    clang-19 --version | head -1
    echo "$flags ${extra[$variant]}"
    cat "$here"/programs/*.h "$here"/programs/"$name".* "$here"/real/build "$here"/real/"$name".* 2>/dev/null
    [ "$variant" != trained ] || cat "$work/trained/$name.profile"
    case $variant in darn | bare | trained) cat "$build/bin/darn" "$build"/lib/darn/* ;; esac
}

fetch() {
    local package
    for package in ${packages[$1]}; do
        "$root/scripts/debsrc" "$package" "$work/sources/$package" || return 1
    done
}

build_own() {
    local variant=$1 name=$2 source compiler=${cc[$1]}
    source=$(echo "$here/programs/$name".c*)
    [ "${source##*.}" = c ] || compiler=${cxx[$variant]}
    # shellcheck disable=SC2086 # the flags are several words
    $compiler $flags ${extra[$variant]} "$source" -o "$work/$variant/$name"
}

# Builds a program in one variant, unless it is there already and nothing has changed since.
build_one() {
    local variant=$1 name=$2 stamp=$work/$1/$2.key log=$work/logs/build.$2.$1 key
    key=$(key_of "$variant" "$name" | sha256sum)
    [ -x "$work/$variant/$name" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$key" ] && return 0
    echo "building $name ($variant)" >&2
    rm -f "$stamp"
    if is_real "$name"; then
        "$here/real/build" "$name" "$work/sources" "$work/$variant" "${cc[$variant]}" \
            "${cxx[$variant]}" "$flags ${extra[$variant]}"
    else
        build_own "$variant" "$name"
    fi >"$log" 2>&1 || {
        tail -5 "$log" >&2
        echo "bench/run: $name does not build ($variant); see $log" >&2
        return 1
    }
    echo "$key" >"$stamp"
}

# make_ready NAME VARIANT...: fetched and built.
make_ready() {
    local name=$1 variant
    shift
    if is_real "$name"; then
        fetch "$name" || return 1
    fi
    for variant in "$@"; do
        build_one "$variant" "$name" || return 1
    done
}

build_tools() {
    local compiler=(clang-19 -std=gnu11 -O2 -g -Wall -Wextra -I"$here" -I"$root/src")
    "${compiler[@]}" "$here"/{compare,measure,plan,result,table}.c -o "$work/compare" -lm &&
        "${compiler[@]}" "$here"/{cost,measure}.c -o "$work/cost" &&
        "${compiler[@]}" "$here/often.c" -o "$work/often" &&
        "${compiler[@]}" -I"$root/tests/unit/trace" "$here/trace_make.c" "$root/tests/unit/trace/trace_writer.c" \
            "$build"/src/trace/libdarn_trace.a \
            "$build"/src/base/libdarn_base.a -lzstd -o "$work/trace_make" &&
        "${compiler[@]}" "$here/real/input.c" -o "$work/make-input" &&
        "$work/make-input" "$megabytes" >"$work/input.$size" &&
        "$work/make-input" "$peer_megabytes" >"$work/input.$peer_size" &&
        "$work/make-input" "$valgrind_megabytes" >"$work/input.$valgrind_size"
}

# times COUNT, as one says it.
times() {
    [ "$1" -eq 1 ] && echo once || echo "$1 times"
}

# The command line of a program at a size. The compressors write to stdout: it is compared.
arguments() {
    case $1 in
    pbzip2) echo "-p2 -k -c $work/input.$2" ;;
    zstd) echo "-q -T2 -9 -B4MiB -c $work/input.$2" ;;
    *) echo "$2" ;;
    esac
}

# A number of the JSON object on stdin.
json_number() {
    sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"
}
