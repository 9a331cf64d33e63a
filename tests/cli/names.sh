#!/bin/bash
# needs: compiler
# more: all levels of optimization
# The programs in names/ write variables in as many ways as we know. A line that ends in a comment "name: NAME" writes one
# variable, and NAME is what the source calls it. All sites of the line that write have that name.
. "$(dirname "$0")/plugin.bash"
ways=$(cd "$(dirname "$0")/names" && pwd)

# Prints what is wrong with the sites on the standard input, given the source: FILE:LINE:COLUMN FUNCTION KIND FLAGS SIZE NAME.
judge() {
    awk '
        FILENAME != "-" && match($0, /\/\* name: .* \*\/$/) {
            wanted[FNR] = substr($0, RSTART + 9, RLENGTH - 12)
            next
        }
        FILENAME != "-" { next }
        match($0, / (write|update) [^ ]+ [^ ]+ /) {
            name = substr($0, RSTART + RLENGTH)
            split($1, place, ":")
            line = place[2] + 0
            if (place[1] !~ /ways\.cc?$/ || !(line in wanted))
                next
            seen[line] = 1
            if (name != wanted[line])
                print "line " line " is " wanted[line] ", named " name
        }
        END {
            for (line in wanted) {
                count++
                if (!seen[line])
                    print "line " line " has no site: " wanted[line]
            }
            if (count < 40)
                print "only " count + 0 " names"
        }' "$1" -
}

claim "the judge finds wrong names, and lines without a site"
{
    for i in $(seq 40); do
        echo "x$i = 1; /* name: x$i */"
    done
} >ways.c
listed() { seq 40 | sed 's/.*/ways.c:&:1 f write - 4 x&/'; }
expect_same "$(listed | judge ways.c)" ""
expect_same "$(listed | sed 's/x7$/x8/' | judge ways.c)" "line 7 is x7, named x8"
expect_same "$(listed | sed '$d' | judge ways.c)" "line 40 has no site: x40"

for source in "$ways"/ways.*; do
    claim "40 ways to name a variable, each as the source says: $(basename "$source")"
    for level in $levels; do
        build $(compiler_of "$source") $level -c "$source" -o object.o
        verdict=$("$bin/../tests/tools/sites" object.o | judge "$source")
        [ -z "$verdict" ] || fault "at $level
$verdict"
    done
done

cat >settings.h <<'EOF'
struct settings {
    long port;
    char fast, crawler;
};
extern struct settings settings;
EOF
cat >user.c <<'EOF'
#include "settings.h"
void use(void)
{
    settings.crawler = 1;
}
EOF
cat >owner.c <<'EOF'
#include <pthread.h>
#include "settings.h"
struct settings settings;
void use(void);
static void *work(void *arg)
{
    settings.crawler++;
    return arg;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    use();
    pthread_join(thread, NULL);
}
EOF

claim "a member of a struct that another file defines is named in the report"
for level in $levels; do
    build "$bin/darn-cc" $level -g -pthread owner.c user.c -o settings
    try "$bin/darn" predict --runs=1 -- ./settings
    expect_has "$err" "possible data race on 'settings.crawler' ["
    expect_lacks "$err" "data race on 'settings' ["
done

finish
