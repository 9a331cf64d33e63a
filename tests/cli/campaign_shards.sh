#!/bin/bash
# darn campaign on several machines: work, merge, GNU parallel on its host `:`; and what CI asks: a
# baseline, SARIF, the exit status. Slurm is in campaign_slurm.sh.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn
command -v sqlite3 >/dev/null || { echo "sqlite3 is not here"; exit 77; }
ask() { sqlite3 -cmd '.timeout 20000' "$1" "$2" 2>&1; }
rows() { ask "$1" "SELECT test, mode, setting, seed, outcome FROM rounds ORDER BY 1, 2, 3, 4, 5"; }

printf '#!/bin/sh\ntest "$1" -ne 3\n' >picky && chmod +x picky
"$darn" campaign init --test='./picky {n}' --param=n='1|2|3|4' --no-try -o night.json >/dev/null
sed -i 's/"search": "portfolio"/"search": "random"/' night.json
# Scripts cannot be hunted: to try takes time.
sed -i '/^  "hunt",$/d; /^  "explore"$/d; s/^  "run",$/  "run"/' night.json

claim "four shards under GNU parallel give what one machine gives with the same seeds"
command -v parallel >/dev/null || { echo "GNU parallel is not here"; exit 77; }
try "$darn" campaign run night.json --db=parallel.db --on=parallel:: --jobs=4 --rounds=12 --seed=7
expect_status 66
expect_has "$out" "48 rounds"
expect_has "$out" "the test picky fails: exit status 1 [failure, observed], in test picky"
for shard in 1 2 3 4; do
    "$darn" campaign work night.json --rounds=12 --jobs=1 --seed=$((7 + shard)) --shard=s$shard -o s$shard.db
done
try "$darn" campaign merge one.db s1.db s2.db s3.db s4.db
expect_same "$out" "48 more rounds"
expect_same "$(rows parallel.db)" "$(rows one.db)"
expect_same "$(ask parallel.db 'SELECT id, sum(seen) FROM findings JOIN sightings USING(id) GROUP BY id')" \
    "$(ask one.db 'SELECT id, sum(seen) FROM findings JOIN sightings USING(id) GROUP BY id')"

claim "merging the same twice changes nothing, and in another order gives the same"
ask one.db .dump >before
try "$darn" campaign merge one.db s3.db s1.db
expect_same "$out" "0 more rounds"
ask one.db .dump | diff before - >/dev/null || fault "the database has changed"
"$darn" campaign merge other.db s4.db s2.db s1.db s3.db >/dev/null
expect_same "$(rows other.db)" "$(rows one.db)"

claim "a second call has shards of its own, and finds nothing new"
try "$darn" campaign run night.json --db=parallel.db --on=parallel:: --jobs=2 --rounds=5
expect_status 0
expect_same "$(ask parallel.db 'SELECT count(*), count(DISTINCT shard) FROM rounds')" "58|6"

claim "a shard that is lost is run again"
mkdir path && cat >path/parallel <<END
#!/bin/bash
# An engine that runs all shards but the last one, the first time.
if [ ! -e lost ]; then touch lost; set -- "\${@:1:\$#-1}"; fi
exec $(command -v parallel) "\$@"
END
chmod +x path/parallel
try env PATH="$PWD/path:$PATH" "$darn" campaign run night.json --db=lossy.db --on=parallel:: --jobs=3 --rounds=4
[ -e lost ] || fault "the engine was not asked"
expect_same "$(ask lossy.db 'SELECT count(*), count(DISTINCT shard) FROM rounds')" "12|3"

claim "with a baseline only what is new counts; SARIF has it"
try "$darn" campaign run night.json --db=first.db --rounds=30 --jobs=1 --sarif=first.sarif
expect_status 66
try "$darn" campaign run night.json --db=second.db --rounds=30 --jobs=1 --baseline=first.db
expect_status 0
expect_has "$out" "0 new findings"
try "$darn" campaign status second.db --json=second.jsonl
expect_has "$(cat second.jsonl)" '"kind":"failure"'
try "$darn" campaign run night.json --db=third.db --rounds=30 --jobs=1 --baseline=second.jsonl
expect_status 0
try "$darn" campaign run night.json --db=third.db --rounds=1 --baseline=none.db
expect_status 2

claim "an engine that is not there, or that nobody knows, is refused"
try "$darn" campaign run night.json --on=cloud
expect_refused "darn campaign run: --on=cloud: there are local, parallel:HOSTS and slurm"
try env PATH=/nowhere "$darn" campaign run night.json --on=parallel::
expect_status 1
expect_has "$err" "apt-get install parallel"

finish
