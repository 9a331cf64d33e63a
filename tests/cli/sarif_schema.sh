#!/bin/bash
# needs: compiler
# SARIF is valid by the schema of SARIF 2.1.0, whatever a finding is and is called. The schema and what checks it come from the
# npm registry, into the build directory; nothing of them is in this tree.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn
theirs=$bin/../tests/npm

skip() {
    echo "skipped: $1"
    exit 77
}

install_schema() {
    local package=@microsoft/jest-sarif@1.0.0-beta.0
    [ -e "$theirs/installed" ] && return
    mkdir -p "$theirs" && echo '{}' >"$theirs/package.json" &&
        npm_config_cache=$theirs/cache timeout 100 npm install --prefix "$theirs" --no-audit --no-fund --ignore-scripts \
            --fetch-retries=1 --fetch-timeout=20000 --loglevel=error "$package" >.npm 2>&1 && touch "$theirs/installed"
}

command -v node npm >/dev/null || skip "there is no node, or no npm"
install_schema || skip "the schema of SARIF cannot be had from the npm registry: $(head -1 .npm)"

# expect_valid FILE...
expect_valid() {
    try "$(dirname "$0")/../tools/valid-sarif" "$theirs" "$@"
    expect_status 0
    expect_same "$out" ""
}

claim "the check refuses what the schema refuses"
echo '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"darn"}},"results":[{"level":"bad","message":{"text":"x"}}]}]}' >wrong
try "$(dirname "$0")/../tools/valid-sarif" "$theirs" wrong
expect_status 1
expect_has "$out" "level should be equal to one of the allowed values"
printf '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"\xff"}},"results":[]}]}' >wrong
try "$(dirname "$0")/../tools/valid-sarif" "$theirs" wrong
expect_status 1

# finding ID KIND CERTAINTY ACCESSES
finding() {
    printf '{"id":"%s","kind":"%s","certainty":"%s","variable":"[x](1) \\"<b>","count":3,"schedule":"out/1/schedule","threads":[' "$1" "$2" "$3"
    printf '{"name":"T1","stack":[{"function":"main","file":"a.c","line":9,"module":"prog"}]}],"accesses":[%s]}\n' "$4"
}

frame='{"function":"f<int>","file":"a b%23/[c]#?.c","line":3,"column":5,"module":"prog"},{"module":"libc.so.6"}'
lock='{"kind":"mutex","name":"guard","taken":{"file":"a.c","line":2}}'
# An access that knows everything, one of an absolute path without a column, and one that knows nothing.
full='{"op":"write","size":8,"thread":"T1","file":"a b%23/[c]#?.c","line":3,"column":5,"function":"f<int>","stack":['$frame'],"locks":['$lock','$lock']}'
far='{"op":"read","thread":"T2","file":"/usr/include/x.h","line":7,"stack":[],"locks":[]}'
bare='{"op":"read"}'

claim "each kind of finding, of each certainty, with much and with little known"
try "$darn" report --sarif=none.sarif /dev/null
expect_valid none.sarif
kinds=$(grep -o '"id":"[a-z-]*"' none.sarif | cut -d'"' -f4)
[ "$(wc -w <<<"$kinds")" -ge 8 ] || fault "there are rules for these alone: $kinds"
for kind in $kinds of-tomorrow; do
    for certainty in observed predicted confirmed; do
        for accesses in "$full,$far,$full" "$full,$full" "$far" "$bare" "$bare,$bare,$full"; do
            finding "$kind.$certainty.${#accesses}" "$kind" "$certainty" "$accesses"
        done
    done
done >all.jsonl
try "$darn" report --sarif=all.sarif all.jsonl
expect_status 66
expect_same "$(grep -c '"ruleId"' all.sarif)" "$(wc -l <all.jsonl)"
head -20 all.jsonl >old.jsonl
try "$darn" report --sarif=news.sarif --baseline=old.jsonl all.jsonl
expect_has "$(cat news.sarif)" '"baselineState":"unchanged"'
expect_valid all.sarif news.sarif

claim "what runs and hunts write, of a file whose name is no text"
name=$'a "<\xff>.c'
cat >"$name" <<'END'
#include <pthread.h>
static int shared;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p)
{
    shared++;
    pthread_mutex_lock(p ? &a : &b);
    pthread_mutex_lock(p ? &b : &a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return p;
}
int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    work(&shared);
    return pthread_join(other, 0);
}
END
try "$darn" cc -O1 -g "$name" -o prog -pthread
expect_status 0
try "$darn" run --sarif=run.sarif -- ./prog
try "$darn" hunt --no-explore --no-shrink -o out --sarif=hunt.sarif -- ./prog
expect_status 66
expect_has "$(cat hunt.sarif)" '"ruleId":"data-race"'
expect_has "$(cat hunt.sarif)" '"ruleId":"deadlock"'
expect_valid run.sarif hunt.sarif

finish
