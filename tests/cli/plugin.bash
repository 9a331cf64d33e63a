# Shared by plugin_*.sh: compiling with the real darn, and looking at the sites that come out.
. "$(dirname "$0")/lib.bash"
sources=$(cd "$(dirname "$0")/plugin" && pwd)
# What the plugin is given differs most between these two.
levels="-O0 -O2"
does_all && levels="-O0 -O1 -O2 -O3"

# A success of the compiler is silent.
build() {
    try "$@"
    [ "$status" -eq 0 ] && [ -z "$out$err" ] || fault "$* ends with $status: $out$err"
}

compiler_of() {
    case $1 in
    *.cc) echo "$bin/darn-c++" ;;
    *) echo "$bin/darn-cc" ;;
    esac
}

# The sites of an ELF file, one in a line: FUNCTION KIND FLAGS SIZE VARIABLE. Whether the hook gets
# to know the value that is written is a matter of cost, not of what is watched: it is left out. So
# is what only sections need (plugin_sections.sh).
sites() {
    "$bin/../tests/tools/sites" "$1" | cut -d ' ' -f 2- |
        awk '$2 == "leave" || $2 == "call" || $3 ~ /extra/ { next }
             { sub(/,value/, "", $3); sub(/^value,?/, "", $3)
               sub(/,covers/, "", $3); sub(/^covers,?/, "", $3); $3 = $3 ? $3 : "-"; print }'
}

# A repository for --only that speaks of every access of an ELF file: each one races.
everything() {
    "$bin/../tests/tools/sites" "$1" | awk '
        BEGIN { print "{\"darn-sections\": 1, \"sections\": [" }
        ($3 == "read" || $3 == "write" || $3 == "update") && NF == 6 && !seen[$1 $2 $3]++ {
            match($1, /:[0-9]+:[0-9]+$/)
            place = substr($1, RSTART + 1)
            if (place ~ /^0:/)
                next
            printf "%s{\"variable\": \"%s\", \"function\": \"%s\", \"file\": \"%s\", \"kind\": \"race\", \"entry\": \"%s %s\"}\n",
                   separator, $6, $2, substr($1, 1, RSTART - 1), place, $3
            separator = ","
        }
        END { print "]}" }'
}
