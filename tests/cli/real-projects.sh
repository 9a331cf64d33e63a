#!/bin/bash
# needs: compiler
# more: zstd
# Real projects build unchanged, each by its own build system, with darn as the compiler, and work:
#   pbzip2 and its bzip2 library   plain make, C and C++
#   memcached                      autotools
#   lz4                            CMake
#   zstd                           CMake; it is large, and proves besides that nothing is said of a program without a race
# Their sources come from Debian (scripts/debsrc). Exit status 77, for a skipped test, without network.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/lib.bash"
jobs=-j$(nproc)

# Findings in other people's programs are not what this test is about: the results are.
export DARN_OPTIONS=exitcode=0

fetch() {
    "$root/scripts/debsrc" "$1" "$PWD/$1" && return
    [ $? -eq 3 ] && exit 77
    exit 1
}

# build WHAT COMMAND...: silent when it works; the end of the log and no further checks when not.
build() {
    local what=$1
    shift
    "$@" >build.log 2>&1 && return
    tail -20 build.log >&2
    claim "$what builds unchanged"
    fault "$*"
    return 1
}

# The program has sites, and so has an object of its inner part: nothing was left to another compiler.
expect_sites() {
    local file
    for file; do
        readelf -SW "$file" | grep -q " darn_sites " || fault "$file has no sites"
    done
}

# round_trip "PACK..." "UNPACK...": unpacking what was packed gives the input again.
round_trip() {
    $1 <input >packed || fault "exit status $? of: $1"
    $2 <packed >unpacked || fault "exit status $? of: $2"
    [ "$(stat -c %s packed)" -lt "$(stat -c %s input)" ] || fault "the input has not become smaller"
    cmp -s input unpacked || fault "the input does not come back"
}

make_input() {
    clang-19 -O1 "$root/bench/real/input.c" -o make-input && ./make-input 3 >input
}

check_pbzip2() {
    fetch bzip2
    fetch pbzip2
    build "bzip2's library" make -C bzip2 $jobs CC="$bin/darn-cc" libbz2.a || return
    # The program is older than C++11: no clang takes its literals with that warning on.
    CXXFLAGS="-O2 -Wno-reserved-user-defined-literal -I../bzip2" LDFLAGS="-L../bzip2" \
        build pbzip2 make -C pbzip2 $jobs CXX="$bin/darn-c++" || return
    claim "pbzip2, built with make, compresses and decompresses"
    expect_sites pbzip2/pbzip2 bzip2/blocksort.o
    cp input in.txt
    ./pbzip2/pbzip2 -k -p2 -b1 in.txt || fault "exit status $?"
    mv in.txt.bz2 packed && ./pbzip2/pbzip2 -d -p2 -c <packed >unpacked || fault "exit status $?"
    cmp -s input unpacked || fault "the input does not come back"
    claim "pbzip2 does so when every access is considered"
    DARN_OPTIONS=exitcode=0:budget=max round_trip "./pbzip2/pbzip2 -p2 -c" "./pbzip2/pbzip2 -d -p2 -c"
}

check_lz4() {
    fetch lz4
    build "lz4's configuration" cmake -S lz4/build/cmake -B lz4.build -DCMAKE_C_COMPILER="$bin/darn-cc" \
        -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF || return
    build lz4 make -C lz4.build $jobs lz4cli || return
    claim "lz4, built with CMake, compresses and decompresses"
    expect_sites lz4.build/lz4 "$(find lz4.build -name lz4hc.c.o)"
    round_trip "lz4.build/lz4 -q" "lz4.build/lz4 -q -d"
}

check_zstd() {
    fetch libzstd
    build "zstd's configuration" cmake -S libzstd/build/cmake -B zstd -DCMAKE_C_COMPILER="$bin/darn-cc" \
        -DCMAKE_CXX_COMPILER="$bin/darn-c++" -DCMAKE_BUILD_TYPE=Release -DZSTD_LEGACY_SUPPORT=OFF \
        -DZSTD_BUILD_SHARED=OFF -DZSTD_BUILD_TESTS=OFF -DZSTD_PROGRAMS_LINK_SHARED=OFF || return
    build zstd make -C zstd $jobs zstd || return
    claim "zstd, built with CMake, compresses and decompresses, and has no race"
    expect_sites zstd/programs/zstd "$(find zstd -name "zstdmt_compress.c.o" | head -1)"
    unset DARN_OPTIONS
    round_trip "zstd/programs/zstd -q -T2 -B1MiB -6" "zstd/programs/zstd -q -d"
    DARN_OPTIONS=budget=max round_trip "zstd/programs/zstd -q -T2 -B1MiB -3" "zstd/programs/zstd -q -d"
    export DARN_OPTIONS=exitcode=0
}

# talk PORT NAME: one client; stores 200 values and wants each back.
talk() {
    local i key value reply
    exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
    for ((i = 0; i < 200; i++)); do
        key=$2-$i value="value $i of $2"
        printf 'set %s 0 0 %d\r\n%s\r\nget %s\r\n' "$key" ${#value} "$value" "$key" >&3
        for reply in STORED "VALUE $key 0 ${#value}" "$value" END; do
            IFS= read -r -t 20 line <&3 && [ "${line%$'\r'}" = "$reply" ] || return 1
        done
    done
    printf 'quit\r\n' >&3
}

# Waits until the server that listens on the port answers; at most 10 s.
wait_for_server() {
    local i
    for ((i = 0; i < 100; i++)); do
        (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
        kill -0 "$2" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}

# Starts memcached on a free port: the port is only known to be free when the server has it.
start_memcached() {
    local try
    for try in 1 2 3 4 5; do
        port=$((20000 + RANDOM % 20000))
        memcached/memcached -u "$(id -un)" -l 127.0.0.1 -p $port -U 0 -t 4 -m 32 >server.log 2>&1 &
        server=$!
        wait_for_server $port $server && sleep 0.2 && kill -0 $server && return # it may be the port of another
        kill -KILL $server 2>/dev/null
        wait $server
    done 2>/dev/null
    return 1
}

check_memcached() {
    local client clients=()
    fetch memcached
    (cd memcached && CC="$bin/darn-cc" ./configure --disable-docs) >build.log 2>&1 ||
        { tail -20 build.log >&2 && claim "memcached" && fault "configure fails" && return; }
    build memcached make -C memcached $jobs memcached || return
    claim "memcached, built with autotools, serves four clients at once and ends when told to"
    expect_sites memcached/memcached memcached/memcached-items.o
    start_memcached || { fault "it does not start: $(tail -3 server.log)" && return; }
    for client in a b c d; do
        talk $port $client &
        clients+=($!)
    done
    for client in "${clients[@]}"; do
        wait "$client" || fault "a client did not get its values back"
    done
    kill -TERM $server
    wait $server
    status=$? server=
    expect_status 0
}

trap "[ -z \"\$server\" ] || kill -KILL \"\$server\" 2>/dev/null" EXIT
server=
make_input || exit 1
check_pbzip2
check_lz4
! does_all || check_zstd
check_memcached
finish
