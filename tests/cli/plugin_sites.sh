#!/bin/bash
# needs: compiler
# more: all levels of optimization
# The programs in plugin/sites say which sites they have, in comments that begin a line:
#
#     site: FUNCTION KIND FLAGS SIZE VARIABLE     there is such a site
#     twice: FUNCTION ...                         there are two of them, or more
#     may: FUNCTION ...                           there may be some
#     none: FUNCTION                              the function has no site at all
#     not yet: FUNCTION ...                       there should be such a site, and there is not
#
# A field "_" fits everything; "site at -O0 -O1: ..." speaks of these levels of optimization only. A
# function with such comments has no other sites, unless one of them is "not yet". A "not yet" that
# comes true is a fault, too: it is time to make it a "site".
. "$(dirname "$0")/plugin.bash"

# Prints what is wrong with the sites on the standard input, given the source and the level.
judge() {
    awk -v level="$2" '
        function fits(pattern, line,    p, l, i) {
            split(pattern, p, " ")
            split(line, l, " ")
            for (i = 1; i <= 5; i++)
                if (p[i] != "_" && p[i] != l[i])
                    return 0
            return 1
        }
        FILENAME != "-" && match($0, /^ *\/[*\/] (site|twice|may|none|not yet)( at [^:]*)?: /) {
            directive = substr($0, RSTART + 3, RLENGTH - 3)
            sub(/^ */, "", directive)
            line = substr($0, RSTART + RLENGTH)
            sub(/ *\*\/ *$/, "", line)
            if (directive ~ / at / && index(directive " ", level) == 0)
                next
            sub(/( at .*)?: $/, "", directive)
            kind[++expected] = directive
            pattern[expected] = line
            next
        }
        FILENAME == "-" { site[++count] = $0 }
        END {
            for (i = 1; i <= expected; i++) {
                split(pattern[i], words, " ")
                judged[words[1]] = 1
                if (kind[i] == "not yet")
                    open[words[1]] = 1
                seen = 0
                for (j = 1; j <= count; j++)
                    if (kind[i] != "none" && fits(pattern[i], site[j])) {
                        seen++
                        known[j] = 1
                    }
                if ((kind[i] == "site" && !seen) || (kind[i] == "twice" && seen < 2))
                    print "missing: " pattern[i]
                if (kind[i] == "not yet" && seen)
                    print "came true, make it a site: " pattern[i]
            }
            for (j = 1; j <= count; j++) {
                split(site[j], words, " ")
                if (!known[j] && words[1] in judged && !(words[1] in open))
                    print "unexpected: " site[j]
            }
            if (!expected)
                print "the source expects nothing"
        }' "$1" -
}

# The judge itself: what it must find in a source that expects these two sites.
claim "the judge finds what is missing, unexpected or overdue"
cat >judged.c <<'END'
/* site: f write - 4 *p */
/* site at -O1: f read - 4 q */
/* none: g */
/* not yet: h write - 4 x */
/* twice: i read _ 4 _ */
END
verdict() { printf '%s\n' "$@" | judge judged.c -O0; }
i="i read - 4 a"
expect_same "$(verdict 'f write - 4 *p' "$i" "$i" 'other write - 8 y')" ""
expect_same "$(verdict 'f write - 8 *p' "$i" "$i")" "missing: f write - 4 *p
unexpected: f write - 8 *p"
expect_same "$(verdict 'f write - 4 *p' 'f read - 4 q' "$i" "$i")" "unexpected: f read - 4 q"
expect_same "$(verdict 'f write - 4 *p' 'g read - 4 q' "$i" "$i")" "unexpected: g read - 4 q"
expect_same "$(verdict 'f write - 4 *p' 'h write - 4 x' "$i" "$i")" \
    "came true, make it a site: h write - 4 x"
expect_same "$(verdict 'f write - 4 *p' 'h write - 4 *z' "$i" "$i")" ""
expect_same "$(verdict 'f write - 4 *p' "$i")" "missing: i read _ 4 _"

for source in "$sources"/sites/*; do
    name=$(basename "$source")
    claim "the sites of $name"
    wanted=$(sed -n 's/^\/\* levels: \(.*\) \*\/$/\1/p' "$source")
    for level in ${wanted:-$levels}; do
        build $(compiler_of "$source") -Wall -Wextra -Werror $level -c "$source" -o object.o
        sites object.o >listed
        verdict=$(judge "$source" $level <listed)
        [ -z "$verdict" ] || fault "at $level
$verdict"
    done
done

finish
