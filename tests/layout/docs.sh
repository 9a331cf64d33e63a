#!/bin/bash
# usage: docs.sh ROOT — the pages say what is there: every relative link leads to a file, and to a heading of it; every page of
# docs/ can be reached from README.md, and those right in it are listed by docs/README.md; every folder of src/ has a page in docs/internals/, or a line on the page of the folder that
# it is in; every source file that a page for contributors names exists, and so does every page that a source names. A fault is
# shown as file:line. The check is tried on small trees with planted faults first.
set -u

# Prints one line for each fault of the tree.
faults_of() {
    (
        cd "$1" || exit
        find . \( -path ./.git -o -path './build*' -o -path ./bench/work \) -prune -o -type d -printf '%P/\n' -o -printf '%P\n' | LC_ALL=C sort >"$list"
        awk '
            # What a path means that stands on the page `from`.
            function resolve(from, path,    parts, count, kept, n, i, out) {
                if (path == "")
                    return from
                sub(/[^\/]*$/, "", from)
                count = split(from path, parts, "/")
                n = 0
                for (i = 1; i <= count; i++) {
                    if (parts[i] == "" || parts[i] == ".")
                        continue
                    if (parts[i] == "..")
                        n--
                    else
                        kept[++n] = parts[i]
                }
                out = ""
                for (i = 1; i <= n; i++)
                    out = out (i > 1 ? "/" : "") kept[i]
                return out
            }

            # The anchor that a heading has.
            function anchor_of(heading) {
                gsub(/\[|\]\([^)]*\)/, "", heading)
                heading = tolower(heading)
                gsub(/[^a-z0-9 _-]/, "", heading)
                gsub(/ /, "-", heading)
                return heading
            }

            function is_for_contributors(page) {
                return page ~ /^docs\/(internals|howto-)/
            }

            # A file of the folders src/A and src/A/B, of tests/, or of include/, which is for all.
            function note_source(path,    parts, count, name) {
                count = split(path, parts, "/")
                name = parts[count]
                if (parts[1] == "include")
                    public[name] = 1
                if (parts[1] == "tests")
                    inside["tests", name] = 1
                if (parts[1] != "src")
                    return
                inside[parts[2], name] = 1
                if (count > 3)
                    inside[parts[2] "/" parts[3], name] = 1
                else
                    beside[parts[2], name] = 1
            }

            # The page of a folder names files of this folder, and those right above it, without a path.
            function is_source(page, name,    room, above) {
                if (name ~ /\// || page !~ /^docs\/internals\//)
                    return name in source
                room = page
                gsub(/^docs\/internals\/|\.md$/, "", room)
                above = room
                sub(/\/.*/, "", above)
                return (room, name) in inside || (above, name) in beside || name in public
            }

            # Files that the line names in backticks: `hold.c`, `heal/hold.c`, `src/runtime/heal/hold.c`. Not NAME.c.
            function note_files(line,    rest, name) {
                rest = line
                while (match(rest, /`[a-z0-9_\/.-]+\.(c|h|cpp|sh|pl|bash)`/)) {
                    name = substr(rest, RSTART + 1, RLENGTH - 2)
                    rest = substr(rest, RSTART + RLENGTH)
                    named[++named_count] = FILENAME ":" FNR "\t" name
                }
            }

            function note_links(line,    rest, target) {
                gsub(/`[^`]*`/, "", line)
                rest = line
                while (match(rest, /\]\([^) ]*\)/)) {
                    target = substr(rest, RSTART + 2, RLENGTH - 3)
                    rest = substr(rest, RSTART + RLENGTH)
                    if (target !~ /^[a-z]+:/)
                        links[++link_count] = FILENAME "\t" FNR "\t" target
                }
            }

            FILENAME == list {
                if (sub(/\/$/, ""))
                    folders[$0] = 1
                there[$0] = 1
                if (/\.(c|h|cpp|sh|pl|bash)$/) {
                    tail = $0
                    do
                        source[tail] = 1
                    while (sub(/^[^\/]*\//, "", tail))
                    note_source($0)
                }
                next
            }
            FNR == 1 { fenced = 0 }
            /^ *```/ { fenced = !fenced; next }
            fenced { next }
            /^#+ / {
                heading = $0
                sub(/^#+ /, "", heading)
                anchors[FILENAME, anchor_of(heading)] = 1
            }
            {
                note_links($0)
                if (is_for_contributors(FILENAME))
                    note_files($0)
                if (FILENAME ~ /^docs\/internals\//)
                    text[FILENAME] = text[FILENAME] $0 "\n"
            }
            END {
                for (i = 1; i <= link_count; i++) {
                    split(links[i], link, "\t")
                    path = fragment = link[3]
                    sub(/#.*/, "", path)
                    if (!sub(/^[^#]*#/, "", fragment))
                        fragment = ""
                    to = resolve(link[1], path)
                    if (!(to in there))
                        print link[1] ":" link[2] ": nothing is at \"" link[3] "\""
                    else if (fragment != "" && !((to, fragment) in anchors))
                        print link[1] ":" link[2] ": no heading is \"" link[3] "\""
                    from[i] = link[1]
                    leads[i] = to
                }
                reached["README.md"] = 1
                do {
                    more = 0
                    for (i = 1; i <= link_count; i++)
                        if ((from[i] in reached) && !(leads[i] in reached))
                            more = reached[leads[i]] = 1
                } while (more)
                for (i = 1; i <= link_count; i++)
                    if (from[i] == "docs/README.md")
                        listed[leads[i]] = 1
                for (path in there) {
                    if (path ~ /^docs\/.*\.md$/ && !(path in reached))
                        print path ":1: no page leads here"
                    else if (path ~ /^docs\/[^\/]*\.md$/ && path != "docs/README.md" && ("docs/README.md" in there) && !(path in listed))
                        print path ":1: docs/README.md does not list it"
                }
                for (path in folders) {
                    if (path !~ /^src\/[^\/]+(\/[^\/]+)?$/)
                        continue
                    page = "docs/internals/" substr(path, 5) ".md"
                    above = page
                    sub(/\/[^\/]*\.md$/, ".md", above)
                    name = path
                    sub(/.*\//, "", name)
                    if (!(page in there) && !(split(path, parts, "/") == 3 && index(text[above], "`" name "/`")))
                        print path ":1: the folder has no page"
                }
                for (i = 1; i <= named_count; i++) {
                    split(named[i], link, "\t")
                    page = link[1]
                    sub(/:.*/, "", page)
                    if (!is_source(page, link[2]))
                        print link[1] ": there is no file `" link[2] "`"
                }
            }' list="$list" "$list" $(grep '\.md$' "$list") | LC_ALL=C sort
        grep -rnoE --include='*.[ch]' --include='*.cpp' 'docs/[a-z0-9/-]+\.md' src include 2>/dev/null | LC_ALL=C sort |
            while IFS=: read -r file line page; do
                [ -f "$page" ] || echo "$file:$line: there is no page $page"
            done
    )
}

faults=0
fault() {
    echo "FAILED: $1" >&2
    faults=$((faults + 1))
}

# try_page EXPECTED LINE...: a tree in which docs/internals/base.md has these lines; EXPECTED is what must be shown.
try_page() {
    local expected=$1 shown

    shift
    rm -rf "$tree"
    mkdir -p "$tree/docs/internals" "$tree/src/base"
    touch "$tree/src/base/map.c"
    printf '# Read\n[inside](docs/internals/base.md)\n' >"$tree/README.md"
    printf '%s\n' "$@" >"$tree/docs/internals/base.md"
    [ -z "$planted" ] || { mkdir -p "$tree/$(dirname "$planted")" && echo '/* docs/internals/base.md */' >"$tree/$planted"; }
    [ -z "$also" ] || echo '# page' >"$tree/$also"
    [ -z "$named" ] || echo "/* $named */" >>"$tree/src/base/map.c"
    shown=$(faults_of "$tree")
    [ "$shown" = "$expected" ] || fault "planted '$*' $planted: '$shown' instead of '$expected'"
}

[ $# -eq 1 ] && [ -d "$1/docs" ] || {
    echo "usage: docs.sh ROOT" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
list=$work/list
tree=$work/tree
planted= named= also=
try_page "" '# base' '[top](../../README.md#read), [here](#what-it-is), `map.c`, [out](https://example.org)' '## What it *is*'
try_page "" '# base' '`[no](link.md)`' '```' '[nor](this.md) `none.c`' '```' '`NAME.c`, `.c`'
try_page 'docs/internals/base.md:2: nothing is at "gone.md"' '# base' '[a](gone.md)'
try_page 'docs/internals/base.md:2: nothing is at "../base.md"' '# base' '[a](../base.md)'
try_page 'docs/internals/base.md:1: no heading is "#limits"' '# base, [a](#limits)'
try_page 'docs/internals/base.md:2: no heading is "../../README.md#write"' '# base' '[a](../../README.md#write)'
try_page 'docs/internals/base.md:1: there is no file `hash.c`' '`hash.c`, `map.c`, `base/map.c`, `src/base/map.c`'
try_page 'docs/internals/base.md:1: there is no file `site/map.c`' '`site/map.c`'
planted=tests/unit/hash.c try_page 'docs/internals/base.md:1: there is no file `hash.c`' '`unit/hash.c`, `hash.c`'
planted=include/darn.h try_page '' '`darn.h`'
planted=docs/lost.md try_page 'docs/lost.md:1: no page leads here' '# base'
planted=docs/README.md try_page '' '# base, [the index](../README.md)'
planted=docs/README.md also=docs/run.md try_page 'docs/run.md:1: docs/README.md does not list it' '# base, [the index](../README.md), [run](../run.md)'
planted=src/site/a.h try_page 'src/site:1: the folder has no page' '# base'
planted=src/base/deep/a.h try_page 'src/base/deep:1: the folder has no page' '# base'
planted=src/base/deep/a.h try_page '' '# base' '| `deep/` | more |'
named=docs/internals/gone.md try_page 'src/base/map.c:1: there is no page docs/internals/gone.md' '# base'

shown=$(faults_of "${1%/}")
[ -z "$shown" ] || fault "pages that are wrong:
$shown"
[ "$faults" -eq 0 ]
