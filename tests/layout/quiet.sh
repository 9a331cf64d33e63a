#!/bin/bash
# usage: quiet.sh SRC — the driver is a library: it has no command line, and says nothing but to its listener
# (driver/process/listener.h). In its code, comments and strings aside, there is no argv and argc, no stdout and stderr, and
# no function that prints to them. A wrong line is shown as file:line. The check is tried on planted faults first.
set -u

# Prints one line for each wrong line of the tree.
loud_lines() {
    find "$1" -name '*.[ch]' -exec awk '
        function code(line,    out, rest) {
            gsub(/\\./, "", line)
            gsub(/"[^"]*"/, "", line)
            for (out = ""; line != ""; line = rest) {
                if (inside) {
                    if (!(at = index(line, "*/")))
                        return out
                    inside = 0
                    rest = substr(line, at + 2)
                } else {
                    if (!(at = index(line, "/*")))
                        return out line
                    inside = 1
                    out = out substr(line, 1, at - 1) " "
                    rest = substr(line, at + 2)
                }
            }
            return out
        }
        FNR == 1 { inside = 0 }
        {
            line = " " code($0)
            sub(/format\(printf,/, "", line) # the attribute
        }
        line ~ /[^A-Za-z0-9_](argv|argc|stdout|stderr|v?printf|puts|putchar|perror)[^A-Za-z0-9_]/ {
            print FILENAME ":" FNR ":" $0 " <- the driver tells its listener"
        }' {} +
}

faults=0
fault() {
    echo "FAILED: $1" >&2
    faults=$((faults + 1))
}

# try_line EXPECTED LINE...: how many of the lines are shown.
try_line() {
    local expected=$1 shown

    shift
    printf '%s\n' "$@" >"$tree/some.c"
    shown=$(loud_lines "$tree" | wc -l)
    [ "$shown" -eq "$expected" ] || fault "'$*' is shown $shown times instead of $expected"
}

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
try_line 1 '    printf("%zu\n", count);'
try_line 1 '    fputs("darn: out of memory\n", stderr);'
try_line 1 '    fprintf(options->quiet ? stderr : out, "\"");'
try_line 1 '    puts(text); /* for people */'
try_line 1 '    vprintf(format, arguments);'
try_line 1 'int darn_read(struct darn_line *line, int count, char **argv);'
try_line 1 '/* What is said' ' * on stderr. */ fflush(stdout);'
try_line 0 '/* Goes to stderr, as printf() does. */' '    fprintf(file, "stderr");'
try_line 0 '/* What is said' ' * on stderr, by' ' * printf(). */' '    snprintf(text, sizeof(text), "%s", argument);'
try_line 0 '__attribute__((format(printf, 2, 3))) void darn_tell(void *to, const char *format, ...);'

[ $# -eq 1 ] && [ -d "$1/driver" ] || {
    echo "usage: quiet.sh SRC" >&2
    exit 2
}
while read -r line; do
    fault "$line"
done < <(loud_lines "$1/driver")
[ "$faults" -eq 0 ]
