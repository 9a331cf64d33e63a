#!/bin/bash
# usage: includes.sh SRC TESTS — every include between the rooms of SRC points the way the design says:
# base <- site <- trace <- engine <- report <- cli, with section, plugin, runtime, schedule and search aside. A wrong one is
# shown as file:line, and so is a folder of too many files, in SRC or in TESTS. The check is tried on small trees
# with planted faults first.
set -u

# A folder of more files than this hides a second subsystem.
most=45

# room: the rooms that its files may include. room/part: the parts of that room that its files may include; what lies in the
# room itself may include them all.
rules="
base: base
site: base site
section: base site section
trace: base site trace
engine: base site trace engine
schedule: base site schedule
search: base site schedule search
report: base site section trace engine schedule report
driver: base site section trace engine schedule search report driver
cli: base site section trace engine schedule search report driver cli
plugin: base site section trace plugin
runtime: base site section trace schedule runtime
engine/common: engine/common
engine/race: engine/common engine/race
engine/atomicity: engine/common engine/race engine/atomicity
engine/deadlock: engine/common engine/deadlock
engine/order: engine/common engine/race engine/order
cli/report: cli/report
cli/shell: cli/shell
cli/campaign: cli/campaign
cli/mend: cli/mend
cli/cc: cli/cc
driver/process: driver/process
driver/play: driver/process driver/play
driver/analysis: driver/process driver/analysis
driver/section: driver/process driver/play driver/analysis driver/section
driver/explore: driver/process driver/play driver/explore
driver/hunt: driver/process driver/play driver/analysis driver/section driver/explore driver/hunt
driver/campaign: driver/process driver/campaign
driver/heal: driver/process driver/play driver/section driver/explore driver/heal
driver/fix: driver/process driver/play driver/section driver/heal driver/fix
plugin/call: plugin/call
plugin/table: plugin/table
plugin/core: plugin/call plugin/table plugin/core plugin/name plugin/spin
plugin/name: plugin/call plugin/core plugin/name
plugin/spin: plugin/core plugin/name plugin/spin
plugin/section: plugin/call plugin/core plugin/name plugin/spin plugin/section
plugin/heal: plugin/call plugin/core plugin/name plugin/section plugin/heal
report/symbol: report/symbol
report/text: report/text report/symbol
report/export: report/export report/text
report/explain: report/explain report/text report/symbol
report/story: report/story report/text report/symbol
report/fix: report/fix report/text
report/heal: report/heal report/text
report/html: report/html report/story report/text
report/perfetto: report/perfetto report/story
runtime/os: runtime/os
runtime/report: runtime/order runtime/os runtime/report runtime/thread runtime/watch runtime/spin
runtime/thread: runtime/coverage runtime/order runtime/os runtime/report runtime/thread runtime/watch runtime/spin runtime/section runtime/record runtime/control runtime/heal
runtime/watch: runtime/coverage runtime/order runtime/os runtime/report runtime/thread runtime/watch runtime/spin runtime/section runtime/record runtime/control runtime/heal
runtime/spin: runtime/os runtime/report runtime/thread runtime/watch runtime/spin runtime/record
runtime/order: runtime/os runtime/report runtime/thread runtime/watch runtime/record runtime/order
runtime/section: runtime/os runtime/report runtime/thread runtime/watch runtime/section
runtime/record: runtime/order runtime/os runtime/report runtime/thread runtime/watch runtime/record
runtime/control: runtime/os runtime/report runtime/thread runtime/watch runtime/control runtime/heal runtime/interpose
runtime/heal: runtime/os runtime/report runtime/thread runtime/watch runtime/section runtime/control runtime/heal
runtime/interpose: runtime/coverage runtime/order runtime/os runtime/thread runtime/watch runtime/section runtime/record runtime/control runtime/heal runtime/interpose
runtime/coverage: runtime/os runtime/report runtime/thread runtime/watch runtime/coverage
runtime/production: runtime/os runtime/control runtime/heal runtime/interpose runtime/production
"

# Prints one line for each folder of the tree that has too many files.
crowded() {
    find "$1" -type f -name '*.[ch]*' | sed 's|/[^/]*$||' | LC_ALL=C sort | uniq -c |
        while read -r count folder; do
            [ "$count" -le "$most" ] ||
                echo "$folder:1: $count files are too many for one folder"
        done
}

# Prints one line for each wrong include of the tree. An include whose first part is no room is
# somebody else's header; a way out of the room by ".." would hide which room is meant.
wrong_includes() {
    local src=$1 room

    for room in "$src"/*/; do
        room=$(basename "$room")
        [[ $rules == *$'\n'"$room: "* ]] ||
            echo "$src/$room:1: the room '$room' has no rule in $0"
    done
    for room in "$src"/*/*/; do
        [ -d "$room" ] || continue
        room=${room#"$src"/}
        room=${room%/}
        [[ $rules == *$'\n'"${room%%/*}/"* && $rules != *$'\n'"$room: "* ]] &&
            echo "$src/$room:1: the part '$room' has no rule in $0"
    done
    crowded "$src"
    grep -rnE --include='*.[ch]' --include='*.cpp' --include='*.inc' --include='*.def' \
        '^[[:space:]]*#[[:space:]]*include' "$src" | LC_ALL=C sort |
        awk -v src="$src/" -v rules="$rules" '
            BEGIN {
                count = split(rules, lines, "\n")
                for (i = 1; i <= count; i++) {
                    parts = split(lines[i], words, "[: ]+")
                    if (words[1] != "")
                        rooms[words[1]] = 1
                    for (j = 2; j <= parts; j++)
                        may[words[1], words[j]] = 1
                }
            }
            {
                match($0, /:[0-9]+:/)
                where = substr($0, 1, RSTART + RLENGTH - 2)
                split(substr($0, length(src) + 1), path, "/")
                if (!match($0, /[<"][^>"]*[>"]/)) {
                    print where ": an include that this check cannot read"
                    next
                }
                name = substr($0, RSTART + 1, RLENGTH - 2)
                split(name, target, "/")
                if (name ~ /(^|\/)\.\.(\/|$)/)
                    print where ": \"" name "\" does not name its room"
                else if (name ~ /\// && target[1] in rooms && !((path[1], target[1]) in may))
                    print where ": " path[1] " must not include \"" name "\""
                else if (path[1] == target[1] && ((from = path[1] "/" path[2]) in rooms) &&
                         ((to = target[1] "/" target[2]) in rooms) && !((from, to) in may))
                    print where ": " from " must not include \"" name "\""
            }'
}

faults=0
fault() {
    echo "FAILED: $1" >&2
    faults=$((faults + 1))
}

# try_tree EXPECTED ROOM/FILE LINE...: a tree with that one file; EXPECTED is what must be shown.
try_tree() {
    local expected=$1 file=$2 shown

    shift 2
    rm -rf "$tree"
    mkdir -p "$tree/$(dirname "$file")"
    printf '%s\n' "$@" >"$tree/$file"
    shown=$(wrong_includes "$tree")
    [ "${shown//"$tree/"/}" = "$expected" ] || fault "planted in $file: '$shown' instead of '$expected'"
}

try_trees() {
    try_tree "" cli/main.c '#include "report/text.h"' '#include "base/json.h"' '#include <stdio.h>'
    try_tree "" runtime/a.c '#include "runtime/b.h"' '#include "site/site.h"' '#include "trace/event.h"'
    try_tree "" plugin/shim.cpp '#include "llvm/IR/Module.h"' '#include "base/map.h"' '#include "own.h"'
    try_tree "" base/a.c '/* like #include "cli/main.h" */' 'const char *s = "#include \"cli/main.h\"";'
    try_tree 'base/map.c:2: base must not include "site/site.h"' \
        base/map.c '#include "base/map.h"' '#include "site/site.h"'
    try_tree 'report/a.h:1: report must not include "cli/say.h"' report/a.h '#include "cli/say.h"'
    try_tree 'engine/hb.c:3: engine must not include "report/text.h"' \
        engine/hb.c '' '' '  #  include "report/text.h"'
    try_tree 'runtime/a.c:1: runtime must not include "engine/hb.h"' runtime/a.c '#include <engine/hb.h>'
    try_tree 'runtime/a.c:1: runtime must not include "plugin/x.h"' runtime/a.c '#include "plugin/x.h"'
    try_tree 'plugin/a.c:1: plugin must not include "runtime/os.h"' plugin/a.c '#include "runtime/os.h"'
    try_tree 'search/deep/a.c:1: search must not include "runtime/os.h"' search/deep/a.c '#include "runtime/os.h"'
    try_tree "" engine/race/a.c '#include "engine/common/clock.h"' '#include "base/map.h"'
    try_tree "" plugin/plugin.c '#include "plugin/heal/only.h"' '#include "plugin/core/access.h"'
    try_tree 'engine/common/a.c:1: engine/common must not include "engine/race/past.h"' \
        engine/common/a.c '#include "engine/race/past.h"'
    try_tree 'plugin/section/a.c:2: plugin/section must not include "plugin/heal/only.h"' \
        plugin/section/a.c '' '#include "plugin/heal/only.h"'
    try_tree 'runtime/section/a.c:1: runtime/section must not include "runtime/heal/heal.h"' \
        runtime/section/a.c '#include "runtime/heal/heal.h"'
    try_tree "engine/attic:1: the part 'engine/attic' has no rule in $0" engine/attic/a.c ''
    most=0 try_tree "base:1: 1 files are too many for one folder" base/a.c ''
    try_tree 'cli/a.c:1: "../runtime/os.h" does not name its room' cli/a.c '#include "../runtime/os.h"'
    try_tree 'cli/a.c:1: an include that this check cannot read' cli/a.c '#include HEADER'
    try_tree "attic:1: the room 'attic' has no rule in $0" attic/a.c ''
}

[ $# -eq 2 ] && [ -d "$1" ] && [ -d "$2" ] || {
    echo "usage: includes.sh SRC TESTS" >&2
    exit 2
}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
try_trees

shown=$(wrong_includes "${1%/}")
[ -z "$shown" ] || fault "includes that point the wrong way:
$shown"
shown=$(crowded "${2%/}")
[ -z "$shown" ] || fault "folders that hide a second subsystem:
$shown"
# A tree without includes would pass as well: this is not the right directory then.
grep -rq --include='*.c' '#include "base/' "$1" || fault "$1 is not the source of darn"
[ "$faults" -eq 0 ]
