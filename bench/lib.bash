# What the parts of bench/run share: which programs there are, and how they are built.
# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with bench/run and its parts

die() {
    echo "bench/run: $*" >&2
    exit 2
}

# complain TEXT: on stderr, and in the page, below the tables of the part. It fails, as what it tells of has.
complain() {
    echo "bench/run: $*" >&2
    echo "- **failed**: ${*//$work\//bench\/work/}" >>"$work/complaints"
    return 1
}

own=(jacobi matmul hashtable pipeline steal chase triad alloc words)
real=(pbzip2 zstd leveldb)
# These take long to build, and are left out where each program is built in many ways.
large=(xz x264 sqlite3 memcached)
handmade=(ocean tasks stages fmm)
declare -A packages=([pbzip2]="pbzip2 bzip2" [zstd]=libzstd [leveldb]=leveldb [xz]=xz-utils [x264]=x264 [sqlite3]=sqlite3
    [memcached]=memcached [redis]=redis)

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
    echo "$work $flags ${extra[$variant]}"
    cat "$here"/programs/*.h "$here"/programs/"$name".* "$here"/real/build "$here"/real/note "$here"/real/"$name".* 2>/dev/null
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

# Builds a program in one variant, unless it is there already and nothing has changed since. The compilations of a plain build
# are noted in NAME.notes, to be done again.
build_one() {
    local variant=$1 name=$2 stamp=$work/$1/$2.key log=$work/logs/build.$2.$1 key compilers=("${cc[$1]}" "${cxx[$1]}")
    key=$(key_of "$variant" "$name" | sha256sum)
    [ -x "$work/$variant/$name" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$key" ] && return 0
    echo "building $name ($variant)" >&2
    rm -rf "$stamp" "$work/$variant/$name" "$work/$variant/$name.notes"
    if [ "$variant" = plain ] && is_real "$name"; then
        mkdir -p "$work/plain/$name.notes"
        compilers=("$work/noted/cc" "$work/noted/c++")
    fi
    if is_real "$name"; then
        NOTES=$work/plain/$name.notes NOTED_CC=${cc[plain]} NOTED_CXX=${cxx[plain]} timeout 900 \
            "$here/real/build" "$name" "$work/sources" "$work/$variant" "${compilers[@]}" "$flags ${extra[$variant]}"
    else
        build_own "$variant" "$name"
    fi >"$log" 2>&1 || {
        tail -5 "$log" >&2
        complain "$name does not build ($variant); see $log"
        return 1
    }
    echo "$key" >"$stamp"
}

# make_ready NAME VARIANT...: fetched and built.
make_ready() {
    local name=$1 variant
    shift
    if is_real "$name"; then
        fetch "$name" || complain "the sources of $name cannot be fetched" || return 1
    fi
    for variant in "$@"; do
        build_one "$variant" "$name" || return 1
    done
}

# two_at_a_time COMMAND NAME...: it is called with each name, in a shell of its own. Fails if one of them has.
two_at_a_time() {
    local command=$1 name missed=$work/missed
    shift
    rm -f "$missed"
    for name; do
        [ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
        { "$command" "$name" || : >"$missed"; } &
    done
    wait
    [ ! -e "$missed" ]
}

build_tools() {
    local compiler=(clang-19 -std=gnu11 -O2 -g -Wall -Wextra -I"$here" -I"$root/src")
    mkdir -p "$work/noted" && ln -sf "$here/real/note" "$work/noted/cc" && ln -sf "$here/real/note" "$work/noted/c++" &&
        "${compiler[@]}" "$here"/{compare,measure,plan,result,table}.c -o "$work/compare" -lm &&
        "${compiler[@]}" "$here"/{cost,measure}.c -o "$work/cost" &&
        "${compiler[@]}" "$here/often.c" -o "$work/often" &&
        "${compiler[@]}" -I"$root/tests/unit/trace" "$here/trace_make.c" "$root/tests/unit/trace/trace_writer.c" \
            "$build"/src/trace/libdarn_trace.a \
            "$build"/src/base/libdarn_base.a -lzstd -o "$work/trace_make" &&
        "${compiler[@]}" -pthread "$here/real/visit.c" -o "$work/visit" &&
        "${compiler[@]}" "$here/real/input.c" -o "$work/make-input" && rm -f "$work"/input.*
}

# times COUNT, as one says it.
times() {
    [ "$1" -eq 1 ] && echo once || echo "$1 times"
}

# input AMOUNT SIZE [.yuv]: the file that a program reads: AMOUNT megabytes, or frames of a film, at 100 %.
input() {
    local amount=$(($1 * $2 / 100)) name part
    [ $amount -gt 0 ] || amount=1
    name=$work/input.$amount${3-} part=$work/input.part.$BASHPID
    # shellcheck disable=SC2086 # one argument or two
    [ -s "$name" ] || { "$work/make-input" $amount ${3-} >"$part" && mv "$part" "$name"; }
    echo "$name"
}

# The arguments of a program at a size; 100 is about half a second of processor time. What is compressed goes to stdout, to be
# compared.
arguments() {
    case $1 in
    pbzip2) echo "-p2 -k -c $(input 12 "$2")" ;;
    zstd) echo "-q -T2 -9 -B4MiB -c $(input 32 "$2")" ;;
    xz) echo "-T2 -3 --block-size=1MiB -k -c $(input 5 "$2")" ;;
    x264) echo "--quiet --no-progress --threads 2 --input-res 352x288 --fps 25 --muxer raw -o - $(input 40 "$2" .yuv)" ;;
    # Their own 100 % are more than half a second.
    steal) echo $(($2 * 55 / 100)) ;;
    hashtable | matmul) echo $(($2 * 7 / 10)) ;;
    *) echo "$2" ;;
    esac
}

# command_of BUILD NAME SIZE [WRAPPER...]: the whole command line.
command_of() {
    local program=$work/$1/$2 name=$2 size=$3
    shift 3
    if [ "$name" = memcached ]; then
        echo "$here/real/serve $work/visit $size $* $program"
    else
        echo "$* $program $(arguments "$name" "$size")"
    fi
}

# A number of the JSON object on stdin.
json_number() {
    sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"
}
