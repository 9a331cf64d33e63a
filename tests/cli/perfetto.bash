# What a trace viewer needs of a file of trace events, one of which is in each line: times never go back, what is opened on a
# track is closed there, every track has a name, and an arrow has one start and then one end.
check_tracks() {
    local wrong

    wrong=$(awk '
        function field(name,    at, rest) {
            at = index($0, "\"" name "\":")
            if (!at)
                return ""
            rest = substr($0, at + length(name) + 3)
            sub(/^"/, "", rest)
            match(rest, /^[^",}]*/)
            return substr(rest, 1, RLENGTH)
        }
        NR == 1 { next }
        {
            phase = field("ph"); track = field("tid"); time = field("ts") + 0
            if (phase == "M") {
                if (field("name") == "thread_name")
                    named[track] = 1
                next
            }
            events++
            if (!named[track])
                print NR ": the track has no name"
            if (time < last)
                print NR ": time goes back"
            last = time
            if (phase == "B")
                open[track]++
            if (phase == "E" && --open[track] < 0)
                print NR ": nothing is open"
            if (phase == "s" && begun[field("id")]++)
                print NR ": begun twice"
            if (phase == "f" && (!begun[field("id")] || ended[field("id")]++))
                print NR ": ended twice, or never begun"
            if (phase !~ /^[BEXisf]$/)
                print NR ": what is " phase "?"
            if ((phase == "i" || phase == "X" || phase == "s" || phase == "f") && open[track] < 1)
                print NR ": outside of the slice of its thread"
        }
        END {
            for (track in open)
                if (open[track])
                    print "track " track ": not closed"
            for (id in begun)
                if (!ended[id])
                    print "arrow " id ": no end"
            if (!events)
                print "there are no events"
        }' "$1")
    [ -z "$wrong" ] || fault "$1: $wrong"
    if command -v python3 >/dev/null; then
        python3 -c 'import json,sys; json.load(open(sys.argv[1]))' "$1" || fault "$1: not valid"
    fi
}
