#!/bin/bash
# darn report --html, in a browser: what the page shows, what the keys do, and that nothing of a finding becomes markup. The
# findings and their stories are made up here; tests/cli/hunt.sh has real ones.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn
. "$(dirname "$0")/browser.bash"

# finding ID KIND CERTAINTY VARIABLE FILE FUNCTION MORE
finding() {
    printf '{"id":"%s","kind":"%s","certainty":"%s","variable":"%s","count":2,%s"accesses":[
        {"op":"write","thread":"T1","file":"%s","line":3,"function":"%s","stack":[],"locks":[{"kind":"mutex","name":"guard"}]},
        {"op":"read","thread":"T2","file":"%s","line":5,"function":"%s","stack":[],"locks":[]}]}' \
        "$1" "$2" "$3" "$4" "$7" "$5" "$6" "$5" "$6" | tr -d '\n'
    echo
}

# A story of two threads: T1 takes a lock and writes, T2 comes in between.
story() {
    tr -d '\n' <<'END'
{"version":1,"threads":[{"title":"T0 main"},{"title":"T1 one"},{"title":"T2 two"},{"title":"T3 three","aside":true}],
"deeds":[{"op":"create","text":"create T1","place":0},{"op":"lock","text":"lock guard","place":1},
{"op":"write","text":"write x","place":2},{"op":"unlock","text":"unlock guard","place":3},{"op":"read","text":"read x","place":4}],
"steps":[0,0,2, 1,1,0, 2,4,1, 1,2,1, 1,3,0, 3,0,2],
"switches":[1,"T0 waits for T1",2,"T1 is interrupted before: write x",3,"T2 has ended"],
"holds":[1,0,1,4],"locks":["guard"],
"met":[{"step":2,"kind":"data-race","about":[{"thread":2,"text":"read x","place":4},{"thread":1,"text":"write x","place":2}],"marks":[2,3]}],
"ending":[{"text":"the program ends with status 1"},{"text":"why: T1 is interrupted"}],
"places":[{"file":"a.c","line":1,"function":"main"},{"file":"a.c","line":2},{"file":"a.c","line":3},{"file":"a.c","line":4},{"file":"a.c","line":5}],
"made":9}
END
}

printf 'int first;\nint second;\nint third;\nint fourth;\nint fifth;\n' >a.c
touch -d '1 hour ago' a.c
mkdir -p hunt/1
echo '{}' >hunt/state.json
story >hunt/1/story.json
finding one data-race confirmed x a.c work '"directory":"1","schedule":"hunt/1/schedule","trials":20,"hits":20,"outcomes":["abort"],' >hunt/index.jsonl
cp hunt/index.jsonl hunt/1/finding.json
finding two deadlock predicted y b.c other '' >>hunt/index.jsonl
finding three data-race observed z a.c work '' >seen.jsonl

claim "the page opens without errors and lists the findings of all files"
try "$darn" report --html=page.html hunt seen.jsonl
expect_status 66
expect_same "$out$err" ""
browse <<END
size 1300 800
open page.html
errors
$mark
get [...document.querySelectorAll('#list b')].map(b => b.textContent).join('; ')
$mark
get document.getElementById('count').textContent
$mark
get document.querySelector('main').innerText
$mark
get performance.getEntriesByType('resource').length
$mark
get document.querySelectorAll('.row').length + ' ' + document.querySelectorAll('.rows rect').length + ' ' + document.querySelectorAll('.rows path.arrow').length
$mark
get document.querySelector('.heads').textContent
$mark
errors
END
expect_same "$(answer 1)" ""
expect_has "$(answer 2)" "data race on 'x'; "
expect_has "$(answer 2)" "; data race on 'z'"
expect_same "$(answer 3)" "3 findings"
expect_has "$(answer 4)" "It happened in 20 of 20 controlled runs. It leads to an abort."
expect_has "$(answer 4)" "darn replay hunt/1"
expect_has "$(answer 4)" "6 steps, and 3 more that follow"
expect_has "$(answer 4)" "holds guard"
expect_has "$(answer 4)" "holds no lock"
expect_has "$(answer 4)" "int third;"
expect_has "$(answer 4)" "Why: T1 is interrupted"
expect_lacks "$(answer 4)" "has changed since"
expect_same "$(answer 5)" 0
# Six steps, one of them of a thread that takes no part; three switches, one race, the end.
expect_same "$(answer 6)" "11 1 3"
expect_same "$(answer 7)" "T0mainT1oneT2two"
expect_same "$(answer 8)" ""

claim "keys step through the schedule, and the text beside it follows"
now="get document.querySelector('.row[aria-selected=true]').innerText.replace(/\\\\s+/g, ' ') + ' | ' + document.querySelector('.now header').innerText.replace(/\\\\s+/g, ' ') + ' | ' + (document.querySelector('.now .here') || {innerText: ''}).innerText.replace(/\\\\s+/g, ' ')"
now=${now//\\\\/\\}
browse <<END
open page.html
$now
$mark
key j
$now
$mark
key ArrowDown
key j
$now
$mark
key k
key ArrowUp
$now
$mark
key Home
$now
$mark
key End
$now
$mark
key Home
key s
$now
$mark
key m
$now
$mark
get document.querySelector('.now .holds').innerText
$mark
key n
key n
get document.querySelector('[aria-current] b').textContent + ' ' + location.hash + ' ' + document.querySelector('main h2').textContent
$mark
key p
key p
key p
get document.querySelector('main h2').textContent
$mark
key ?
get document.getElementById('help').open
$mark
errors
END
expect_has "$(answer 1)" "data race: T2 and T1 at the same time | Before step 2"
expect_has "$(answer 2)" "2 read x a.c:5 | Step 2 of 5 · a.c:5"
expect_has "$(answer 2)" "| T2 5 int fifth;"
expect_has "$(answer 3)" "3 write x a.c:3 | Step 3 of 5"
expect_has "$(answer 3)" "| T1 3 int third;"
expect_has "$(answer 4)" "2 read x"
expect_has "$(answer 5)" "0 create T1 a.c:1 | Step 0 of 5"
expect_has "$(answer 6)" "the program ends with status 1 | The end"
expect_has "$(answer 7)" "T0 waits for T1"
expect_has "$(answer 8)" "data race: T2 and T1 at the same time"
expect_has "$(answer 9)" "T1 holds guard"
expect_same "$(answer 10)" "data race on 'z' #three data race on 'z'"
expect_same "$(answer 11)" "data race on 'x'"
expect_same "$(answer 12)" true
expect_same "$(answer 13)" ""

claim "filters leave what they say"
titles="get [...document.querySelectorAll('#list b')].map(b => b.textContent).join('; ') + ' ' + document.getElementById('count').textContent"
set_filter() { echo "get (() => { const e = document.getElementById('filter-$1'); e.value = '$2'; e.dispatchEvent(new Event('change')); return 0; })()"; }
browse <<END
open page.html
key /
type z
$mark
$titles
$mark
key Escape
get (() => { const e = document.getElementById('filter-text'); e.value = ''; e.dispatchEvent(new Event('input')); return 0; })()
$(set_filter kind deadlock)
$mark
$titles
$mark
$(set_filter kind '')
$(set_filter certainty observed)
$mark
$titles
$mark
$(set_filter certainty '')
$(set_filter file b.c)
$mark
$titles
$mark
$(set_filter certainty observed)
$mark
get document.querySelector('main').innerText
$mark
errors
END
expect_same "$(answer 2)" "data race on 'z' 1 of 3 findings"
expect_has "$(answer 4)" "1 of 3 findings"
expect_has "$(answer 4)" "deadlock"
expect_same "$(answer 6)" "data race on 'z' 1 of 3 findings"
expect_has "$(answer 8)" "deadlock"
expect_same "$(answer 10)" "No finding passes the filters."
expect_same "$(answer 11)" ""

claim "a finding of several runs is there once, as it was seen best, with its variants behind it"
finding v1 data-race predicted w a.c work '"engine":"hb",' >first.jsonl
finding v2 data-race predicted w a.c work '"engine":"hb",' >>first.jsonl
finding v3 data-race predicted q b.c other '"engine":"hb",' >>first.jsonl
finding v1 data-race observed w a.c work '"engine":"atomrace",' >second.jsonl
try "$darn" report --html=variants.html first.jsonl second.jsonl
expect_status 66
browse <<END
open variants.html
get document.getElementById('count').textContent
$mark
get document.querySelectorAll('#list li').length + ' ' + document.querySelector('.variants').innerText
$mark
get document.querySelector('main').innerText
$mark
key n
get document.querySelector('main').innerText
$mark
get document.querySelector('.variants').click() || document.querySelectorAll('#list li').length + ' ' + document.querySelector('#list .variant').innerText.replace(/\s+/g, ' ')
$mark
get (() => { const e = document.getElementById('filter-certainty'); e.value = 'predicted'; e.dispatchEvent(new Event('change')); return document.getElementById('count').textContent; })()
$mark
errors
END
expect_same "$(answer 1)" "2 findings, 1 variant"
expect_same "$(answer 2)" "2 ▸ 1 variant"
expect_has "$(answer 3)" "in an ordinary run"
expect_has "$(answer 3)" "What to do: "
expect_lacks "$(answer 3)" "did not happen"
expect_has "$(answer 4)" "Both accesses were made, one after the other, and nothing in the run ordered them."
expect_same "$(answer 5)" "3 a.c:3 work a.c:5 work"
expect_same "$(answer 6)" "2 of 2 findings"
expect_same "$(answer 7)" ""

claim "hostile names, values and lines of source stay text"
evil=$(
    cat <<'END'
</script><script>hacked=1</script><img src=x onerror=hacked=1><!-- \\ \" ' \u0001 \u001b[31m \u202e \u2028 &lt;b>
END
)
mkdir '<' # the name of the file has a slash in it
printf '%s\n' 'one' 'two' $'</script><script>hacked=1</script><img src=x onerror=hacked=1> \xff\xfe \x01 "' 'four' 'five' >"</script><b>.c"
finding "<i>'\\\"" data-race observed "$evil" "</script><b>.c" "$evil" '"suppression":"<img src=x onerror=hacked=1>","pattern":"<b>",' >evil.jsonl
mkdir -p evil/1
echo '{}' >evil/state.json
story | sed 's|T1 one|T1 <img src=x onerror=hacked=1></script><script>hacked=1</script>|; s|write x|</script><script>hacked=1</script>|g; s|"guard"|"<img src=x onerror=hacked=1>"|; s|the program ends|<b onclick=hacked=1>|; s|a\.c|</script><b>.c|g' >evil/1/story.json
finding four data-race confirmed "$evil" "</script><b>.c" "$evil" '"directory":"1",' >evil/index.jsonl
try "$darn" report --html=evil.html evil evil.jsonl
expect_status 66
expect_same "$(grep -ao '<script' evil.html | wc -l)" 3
browse <<END
open evil.html
get String(window.hacked) + document.images.length + document.querySelectorAll('main b, main i, main script, #list script').length
$mark
get document.querySelector('main').innerText.includes('</script><script>hacked=1</script>')
$mark
get document.querySelector('.rows').innerText.includes('</script><script>hacked=1</script>')
$mark
get ['⟨01⟩', '⟨1b⟩[31m', '⟨202e⟩', '⟨2028⟩'].every(text => document.querySelector('.card').textContent.includes(text))
$mark
get /[\\u0000-\\u0008\\u000b-\\u001f\\u202a-\\u202e]/.test(document.body.textContent.replace(document.getElementById('findings').textContent, ''))
$mark
key n
get String(window.hacked) + document.images.length
$mark
errors
$mark
get (() => { const s = document.createElement('script'); s.textContent = 'hacked=1'; document.body.append(s); const i = document.createElement('img'); i.src = 'https://127.0.0.1/x.png'; document.body.append(i); return String(window.hacked); })()
$mark
get new Promise(done => setTimeout(() => done(String(window.hacked)), 100))
errors
END
expect_same "$(answer 1)" undefined00
expect_same "$(answer 2)" true
expect_same "$(answer 3)" true
expect_same "$(answer 4)" true
expect_same "$(answer 5)" false
expect_same "$(answer 6)" undefined0
expect_same "$(answer 7)" ""
expect_same "$(answer 8)" undefined
expect_has "$(answer 9)" "Content Security Policy"

claim "nothing is wider than the window, whatever its width, and everything can be read, light and dark"
fits="get document.documentElement.scrollWidth <= innerWidth"
contrast="get (() => { const c = document.createElement('canvas').getContext('2d', {willReadFrequently: true}), s = getComputedStyle(document.documentElement);
 const light = name => { c.fillStyle = s.getPropertyValue(name); c.fillRect(0, 0, 1, 1); const [r, g, b] = [...c.getImageData(0, 0, 1, 1).data].map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
 const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
 const bad = []; for (const back of ['--back', '--panel', '--code', '--select']) for (const front of ['--text', '--soft', '--alarm', '--accent', '--t0', '--t1', '--t2', '--t3', '--t4', '--t5', '--t6', '--t7']) if (ratio(front, back) < 4.5) bad.push(front + ' on ' + back + ' ' + ratio(front, back).toFixed(2)); return bad.join(', '); })()"
contrast=${contrast//$'\n'/}
{
    for page in page evil; do
        for scheme in light dark; do
            for size in "320 700" "390 844" "800 600" "1300 800"; do
                printf '%s\n' "scheme $scheme" "size $size" "open $page.html" "$fits"
            done
        done
    done
} >widths
browse <widths
expect_same "$(sort -u <<<"$out")" true
browse <<END
scheme light
size 1300 800
open page.html
$contrast
get getComputedStyle(document.body).backgroundColor
$mark
scheme dark
$contrast
get getComputedStyle(document.body).backgroundColor
END
expect_same "$(answer 1)" "
rgb(255, 255, 255)"
expect_lacks "$(answer 2)" " on "
expect_lacks "$(answer 2)" "rgb(255, 255, 255)"

claim "100 findings with 10,000 steps each open in less than two seconds"
mkdir big
echo '{}' >big/state.json
awk 'BEGIN {
    printf "{\"version\":1,\"threads\":[{\"title\":\"T0 main\"},{\"title\":\"T1 work\"},{\"title\":\"T2 work\"}],\"deeds\":["
    for (i = 0; i < 400; i++)
        printf "%s{\"op\":\"%s\",\"text\":\"%s item[%d]\",\"place\":%d}", (i ? "," : ""), (i % 4 ? "write" : "lock"), (i % 4 ? "write" : "lock"), i, i % 40
    printf "],\"steps\":["
    for (i = 0; i < 10000; i++)
        printf "%s%d,%d,%d", (i ? "," : ""), int(i / 3) % 3, (i * 7) % 400, (i % 3 ? 0 : 1)
    printf "],\"switches\":["
    for (i = 3; i < 10000; i += 3)
        printf "%s%d,\"T%d is interrupted before: write item[%d]\"", (i == 3 ? "" : ","), i, int(i / 3 - 1) % 3, i % 400
    printf "],\"holds\":["
    for (i = 0; i < 2000; i++)
        printf "%s%d,%d,%d,%d", (i ? "," : ""), i % 3, i % 8, i * 5, i * 5 + 4
    printf "],\"locks\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\"],\"met\":[],\"ending\":[{\"text\":\"it ends\"}],\"places\":["
    for (i = 0; i < 40; i++)
        printf "%s{\"file\":\"a.c\",\"line\":%d}", (i ? "," : ""), i % 5 + 1
    print "],\"made\":10000}"
}' >big/story
for i in $(seq 100); do
    mkdir "big/$i"
    ln big/story "big/$i/story.json"
    finding "f$i" data-race confirmed "item[$i]" a.c work "\"directory\":\"$i\","
done | awk '{ sub(/"line":5/, "\"line\":" 2 * NR + 9); sub(/"line":3/, "\"line\":" 2 * NR + 8) } 1' >big/index.jsonl
try "$darn" report --html=big.html big
expect_status 66
# Of the processor: what the page's thread has used until it is drawn. Others may be busy here.
browse <<END
size 1300 800
open big.html
get document.querySelectorAll('#list li').length + ' ' + (document.querySelectorAll('.row').length < 100)
$mark
cost
$mark
get Math.round(performance.getEntriesByType('navigation')[0].loadEventEnd)
$mark
key Home
key PageDown
key n
get document.querySelector('main h2').textContent
$mark
key a
key End
get document.querySelector('.row[aria-selected=true]').innerText.trim()
$mark
errors
END
expect_same "$(answer 1)" "100 true"
[ "$(answer 2)" -lt 2000 ] || fault "$(answer 2) ms of the processor, $(answer 3) ms by the clock"
expect_same "$(answer 4)" "data race on 'item[2]'"
expect_same "$(answer 5)" "it ends"
expect_same "$(answer 6)" ""

claim "a story that does not hold together is left out, and the finding stays"
sed 's/"steps":\[0,0,2/"steps":[9,0,2/' hunt/1/story.json >story.new
mv story.new hunt/1/story.json
try "$darn" report --html=page.html hunt
expect_status 66
browse <<END
open page.html
get document.querySelector('main h2').textContent + ' ' + document.querySelectorAll('.rows').length
$mark
errors
END
expect_same "$(answer 1)" "data race on 'x' 0"
expect_same "$(answer 2)" ""
finish
