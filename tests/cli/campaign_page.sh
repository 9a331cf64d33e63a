#!/bin/bash
# darn report --html of a campaign's database: what has come over time, which parameters mattered, the best setting of a
# test as it can be used, tests that show nothing. The rounds are written down here, so that the answers are known.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn
command -v sqlite3 >/dev/null || { echo "sqlite3 is not here"; exit 77; }
. "$(dirname "$0")/browser.bash"

printf '#!/bin/sh\nexit 0\n' >first && chmod +x first
"$darn" campaign init --test=./first --no-try -o night.json >/dev/null
"$darn" campaign run night.json --rounds=1 --jobs=1 >/dev/null

# round NUMBER TEST MODE SETTING OUTCOME COVERAGE FINDINGS: of one second each.
round() {
    echo "INSERT INTO rounds VALUES('s', $1, '$2', '$3', '$4', 'fixed', 1, $1, 1.0, '$5', 0, NULL, $6, $7);"
}
setting() { echo "{\"noise\":\"$1\",\"kind\":\"yield\",\"frequency\":\"$2\",\"strength\":\"50\",\"budget\":\"30\",\"size\":\"$3\"}"; }
{
    echo "DELETE FROM rounds;"
    round 1 busy plain '{}' passed 0 0
    round 2 busy run "$(setting random 10 7)" passed 90 0
    round 3 busy run "$(setting random 500 9)" passed 4 1
    round 4 busy run "$(setting random 500 9)" passed 2 0
    round 5 busy run "$(setting random 500 9)" passed 0 0
    round 6 busy run "$(setting variable 1000 7)" passed 8 1
    round 7 busy run "$(setting random 10 7)" passed 0 0
    round 8 busy run "$(setting random 10 7)" passed 0 0
    round 9 'quiet<b>' plain '{}' passed 0 0
    round 10 'quiet<b>' run "$(setting random 10 7)" passed 0 0
    for ((i = 0; i < 104; i++)); do
        echo "INSERT INTO coverage VALUES(0, $i, 1, 's', 2, $((i < 90 ? 2 : i < 94 ? 3 : i < 96 ? 4 : 6)), 3);"
    done
    for id in aa bb; do
        echo "INSERT INTO findings VALUES('$id', 'failure', 'observed', 't', '{\"id\":\"$id\",\"kind\":\"failure\",\"certainty\":\"observed\",\"variable\":\"\",\"count\":1,\"accesses\":[],\"engine\":\"campaign\",\"reason\":\"exit status 3\",\"test\":\"busy\"}', NULL);"
    done
    echo "INSERT INTO sightings VALUES('aa', 's', 'busy', 3, 3, 2); INSERT INTO sightings VALUES('bb', 's', 'busy', 6, 6, 1);"
} | sqlite3 night.db

claim "the page begins with the campaign: its curves, parameters, best settings, and tests that show nothing"
try "$darn" report --html=page.html night.db
expect_status 66
expect_same "$out$err" ""
browse <<END
size 1300 900
open page.html
errors
$mark
get document.querySelector('main').innerText.replace(/\\s+/g, ' ')
$mark
get [...document.querySelectorAll('.plot svg')].map(svg => svg.getAttribute('aria-label')).join('; ')
$mark
get [...document.querySelectorAll('.bars svg')].map(svg => svg.getAttribute('aria-label')).join('; ')
$mark
get document.querySelectorAll('b').length + ' ' + document.querySelectorAll('.bars rect').length
$mark
get document.querySelector('.plot .line').getAttribute('d').split('H').length
$mark
get document.getElementById('about').textContent
END
expect_same "$(answer 1)" ""
expect_has "$(answer 2)" "10 rounds, 10 s of tests; 2 findings, 0 of them confirmed."
expect_has "$(answer 2)" "each was seen more than once"
expect_has "$(answer 2)" "busy DARN_OPTIONS=\"budget='30%':noise='random:500/50':noise_kind='yield'\" with size=9 3 6 1"
expect_has "$(answer 2)" "TESTS THAT SHOW NOTHING No coverage and no finding came from them first: they may be left out. quiet<b>"
expect_same "$(answer 3)" "Coverage: facts seen: 104 after 10 rounds; Findings: 2 after 10 rounds"
expect_has "$(answer 4)" "run noise: "
expect_has "$(answer 4)" "run frequency: 10 0, 500 8.7, 1000 28"
expect_lacks "$(answer 4)" "run budget"
expect_same "$(answer 5)" "2 7"
expect_same "$(answer 6)" 11
expect_same "$(answer 7)" "night.db"

claim "a finding is shown with its test, and the button leads back to the campaign"
browse <<END
open page.html
get document.querySelector('#list button').click() || ''
get document.querySelector('main h2').textContent + ' | ' + document.querySelector('main > header').innerText.replace(/\\s+/g, ' ') + document.getElementById('campaign-button').hasAttribute('aria-current')
$mark
get document.getElementById('campaign-button').click() || ''
get document.querySelector('main h2').textContent + document.getElementById('campaign-button').hasAttribute('aria-current')
$mark
errors
shot page.png
END
expect_has "$(answer 1)" "the test busy fails: exit status 3 | "
expect_has "$(answer 1)" "In the test busyfalse"
expect_has "$(answer 2)" "The campaigntrue"
expect_same "$(answer 3)" ""

claim "other pages have no such button, and as text a database is refused"
"$darn" campaign status night.json --json=night.jsonl >/dev/null
try "$darn" report --html=other.html night.jsonl
browse <<END
open other.html
get document.getElementById('campaign-button').hidden
END
expect_same "$(answer 1)" true
try "$darn" report night.db
expect_refused "darn report: night.db is the database of a campaign; --html=FILE makes a page of it, darn campaign status --json=FILE has its findings"

finish
