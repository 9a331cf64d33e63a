#!/bin/bash
# usage: words.sh SRC — words that threads of the program share are stored as such. What a thread tells others about itself
# (struct darn_own) is stored by DARN_OWN_STORE and DARN_OWN_INCREASE, and the armed byte of a site is touched by the
# functions of site/armed.h alone. What glibc keeps in its locks, in a jmp_buf and behind %fs is read by runtime/os/glibc.h
# alone. And what was freed is not returned, not even as a truth value: the pointer is worth nothing by then. A wrong line is
# shown as file:line. The check is tried on planted faults first.
set -u

# Prints one line for each wrong touch of the tree.
wrong_touches() {
    local src=$1
    # What others read (runtime/own.c); `held`, `left` and `tid` are the thread's own.
    local shared='(limit|sections|count|beyond|given|now|all|outside)'
    local own="darn_own(_here)?\.$shared" changes='(=[^=]|[-+|&^]=|<<=|>>=|\+\+|--)'

    grep -rnE --include='*.[ch]' "$own *$changes|(\+\+|--) *$own" "$src" |
        sed 's/$/ <- a plain store to what other threads load/'
    grep -rnE --include='*.[ch]' '(\*|__atomic_[a-z_]+\() *darn_site_armed\(' "$src" |
        grep -v '/site/[a-z]*\.h:' | sed 's/$/ <- the armed byte is touched by site\/armed.h alone/'
    grep -rnE --include='*.[ch]' '\b(__data|__jmpbuf)\b|%fs:' "$src" |
        grep -v '/os/glibc\.h:' | sed 's/$/ <- the words of glibc are in runtime\/os\/glibc.h/'
}

# Prints one line for each pointer of the tree that is returned after it was freed: on another line than the end of its
# function, and with no way out of the block in between.
freed_returns() {
    find "$1" -name '*.[ch]' -exec awk '
        FNR == 1 || /^}/ { freed = "" }
        match($0, /^ *[a-z_]*(free|close|decref)\([a-z_]+\);$/) {
            freed = $0
            sub(/^.*\(/, "", freed)
            sub(/\);$/, "", freed)
            depth = match($0, /[^ ]/)
            next
        }
        freed == "" { next }
        $0 ~ "^ *return !?!?" freed "( [!=]= NULL)?;" {
            print FILENAME ":" FNR ":" $0 " <- was freed before"
            freed = ""
        }
        $0 ~ "[^a-z_>.]" freed " = " { freed = "" }
        /^ *(return|continue|break|goto)[ ;]/ && match($0, /[^ ]/) <= depth { freed = "" }' {} +
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
    shown=$({ wrong_touches "$tree" && freed_returns "$tree"; } | wc -l)
    [ "$shown" -eq "$expected" ] || fault "'$*' is shown $shown times instead of $expected"
}

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
try_line 1 '    darn_own_here.all += LOCKED;'
try_line 1 '    darn_own_here.given++;'
try_line 1 '    darn_own_here.outside = before;'
try_line 1 '        darn_own.sections |= 1;'
try_line 1 '    *darn_site_armed(site) |= DARN_ARMED_STEP;'
try_line 1 '    __atomic_fetch_or(darn_site_armed(site), bit, __ATOMIC_RELAXED);'
try_line 1 '    return mutex->__data.__owner;'
try_line 1 '    return env->__jmpbuf[6];'
try_line 1 '    __asm__("mov %%fs:0x10, %0" : "=r"(self));'
try_line 0 '    DARN_OWN_STORE(outside, before);'
try_line 0 '    if (darn_own_here.now == DARN_OWN_NONE || darn_own_here.count >= 1)'
try_line 0 '    darn_own_here.held[darn_own_here.count] = 1;'
try_line 0 '    if (darn_os_is_mapped((uintptr_t)darn_site_armed(site)))'
try_line 1 '    darn_finding_free(finding);' '    return finding != NULL;' '}'
try_line 1 '    if (told) {' '        darn_finding_free(finding);' '    }' '    return finding;' '}'
try_line 0 '    darn_finding_free(finding);' '    return again;' '}'
try_line 0 '    if (bad) {' '        free(text);' '        return NULL;' '    }' '    return text;' '}'
try_line 0 '    free(text);' '    text = other;' '    return text;' '}'

while read -r line; do
    fault "$line"
done < <(wrong_touches "$1" && freed_returns "$1")
[ "$faults" -eq 0 ]
