# A browser without a window, driven by lines: page.sh and campaign_page.sh source it behind lib.bash.
# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with them
drive=$bin/../tests/tools/browser

command -v chromium >/dev/null || {
    echo "skipped: there is no chromium (scripts/deps check installs it)"
    exit 77
}

# One browser for all: to start one takes longer than the rest.
coproc "$drive" chromium 2>.browser

# browse < COMMANDS: the answers are in $out.
browse() {
    local line

    out=
    cat >&"${COPROC[1]}"
    echo 'get "=="' >&"${COPROC[1]}"
    while IFS= read -r -t 120 line <&"${COPROC[0]}" && [ "$line" != "==" ]; do
        out+=$line$'\n'
    done
    [ "$line" = "==" ] || {
        fault "the browser gave up: $(cat .browser)"
        finish
    }
    out=${out%$'\n'}
}

# The answer number N, from 1: the commands `get '"--"'` between them say where one ends.
answer() { awk -v wanted="$1" '$0 == "--" { n++; next } n + 1 == wanted' <<<"$out"; }
mark='get "--"'
