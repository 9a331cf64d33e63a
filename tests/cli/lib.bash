# Shared by the scripts here. A script sources it, calls `claim "what must hold"` before each group
# of checks, and ends with `finish`: all faults are shown, not only the first.
bin=$1
faults=0
claimed=
# Whoever runs the script looks whether this is there: a script without `finish`, or a fault in a subshell, fails, too.
faulty=$PWD/.faulty

# `make check-all` does everything; a script that leaves something out otherwise says so in a line `# more:`.
does_all() { [ "${DARN_TESTS-}" = all ]; }

claim() { claimed=$1; }

fault() {
    echo "FAILED: $claimed: $1" >&2
    : >"$faulty"
    faults=$((faults + 1))
}

# Runs a command; its status, stdout and stderr are in $status, $out and $err.
try() {
    status=0
    "$@" >.out 2>.err </dev/null || status=$?
    out=$(cat .out)
    err=$(cat .err)
}

expect_status() { [ "$status" -eq "$1" ] || fault "exit status $status instead of $1: $err"; }

# expect_has WHERE TEXT, expect_lacks WHERE TEXT: WHERE is the text to search in.
expect_has() { [[ $1 == *"$2"* ]] || fault "'$2' is not in: $1"; }
expect_lacks() { [[ $1 != *"$2"* ]] || fault "'$2' is in: $1"; }
expect_same() { [ "$1" = "$2" ] || fault "'$1' instead of '$2'"; }

# A refusal: nothing on stdout, exactly this one line on stderr, status 2.
expect_refused() {
    expect_status 2
    expect_same "$out" ""
    expect_same "$err" "$1"
}

# await COMMAND: until it succeeds, 30 seconds at most.
await() {
    local i

    for ((i = 0; i < 600; i++)); do
        "$@" && return
        sleep 0.05
    done
    return 1
}

finish() { [ "$faults" -eq 0 ] || exit 1; }

# A tree of darn around the real command, whose other parts are empty files, in ./tree; and a clang
# that prints its arguments, one in a line, instead of compiling.
make_stub_tree() {
    tree=$PWD/tree
    mkdir -p "$tree/bin" "$tree/lib/darn" "$tree/include"
    cp "$bin/darn" "$tree/bin/darn"
    ln -s darn "$tree/bin/darn-cc"
    ln -s darn "$tree/bin/darn-c++"
    touch "$tree/lib/darn/darn_plugin.so" "$tree/lib/darn/libdarn_rt.a" "$tree/lib/darn/darn_rt.syms"
    printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >stub-clang
    printf '#!/bin/sh\necho "c++"; printf "%%s\\n" "$@"\n' >stub-clang++
    chmod +x stub-clang stub-clang++
    export DARN_CLANG=$PWD/stub-clang DARN_CLANGXX=$PWD/stub-clang++
}
