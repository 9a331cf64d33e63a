#!/bin/bash
# more: a disk on which no room comes, for half a minute
# darn campaign on a disk that a test fills: a small one of our own, that nobody else sees.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn
command -v sqlite3 >/dev/null || { echo "skipped: sqlite3 is not here"; exit 77; }
if [ -z "${DARN_SMALL_DISK-}" ]; then
    unshare -m true 2>/dev/null || { echo "skipped: there are no mount namespaces here, or this is not root"; exit 77; }
    DARN_SMALL_DISK=1 exec unshare -m bash "$0" "$@"
fi
ask() { sqlite3 -cmd '.timeout 20000' "$1" "$2" 2>&1; }
mkdir small && mount -t tmpfs -o size=4m none small && cd small || exit 1

script() {
    printf '#!/bin/sh\n%s\n' "$2" >"$1"
    chmod +x "$1"
}

# campaign NAME TEST...
campaign() {
    local name=$1
    shift
    "$darn" campaign init "${@/#/--test=./}" --no-try -o "$name.json" >/dev/null
    # Scripts cannot be hunted: to try takes time.
    sed -i '/^  "hunt",$/d; /^  "explore"$/d; s/^  "run",$/  "run"/' "$name.json"
}

claim "a test that fills the disk gets a line; what it has left is removed, and no round is lost"
script fills 'i=0; while head -c 100000 /dev/zero >"$TMPDIR/$i" 2>/dev/null; do i=$((i + 1)); done; echo "no room"; exit 1'
script fine 'true'
campaign night fills fine
try timeout 60 "$darn" campaign run night.json --rounds=8 --jobs=1
expect_status 0
expect_has "$out" "8 rounds"
expect_has "$err" "fills (plain): failed: exit status 1"
expect_has "$err" "the disk was full in the end"
expect_lacks "$(ask night.db "SELECT detail FROM rounds WHERE test='fine'")" full
expect_same "$(ask night.db "SELECT DISTINCT outcome FROM rounds WHERE test='fine'")" passed
expect_same "$(ls night.db.d)" ""
expect_same "$(ask night.db 'PRAGMA integrity_check')" ok

claim "a campaign on a full disk waits for room, says so, and goes on"
script stays '[ -e filled ] && exit 0; touch filled; head -c 9000000 /dev/zero >full 2>/dev/null; exit 1'
campaign stays stays
"$darn" campaign run stays.json --rounds=4 --jobs=1 >../stays.out 2>../stays.err </dev/null &
campaign=$!
waits() { grep -q "the disk is full; waiting for room" ../stays.err; }
await waits || fault "it does not wait: $(cat ../stays.err)"
rm full
wait $campaign || fault "exit status $?: $(cat ../stays.err)"
expect_has "$(cat ../stays.out)" "4 rounds"
expect_same "$(ask stays.db 'SELECT count(*) FROM rounds')" 4

if does_all; then
    claim "a campaign for which no room comes ends with a clear line"
    rm filled
    cd .. || exit 1 # what it says is kept where there is room
    try timeout 120 "$darn" campaign run small/stays.json --rounds=4 --jobs=1
    cd small || exit 1
    expect_status 1
    expect_has "$err" "stays.db: the round cannot be kept: No space left on device"
    rm full
    expect_same "$(ask stays.db 'PRAGMA integrity_check')" ok
    expect_same "$(ask stays.db 'SELECT count(*) FROM rounds')" 4
fi

finish
