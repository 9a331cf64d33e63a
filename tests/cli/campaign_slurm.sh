#!/bin/bash
# needs: slurm-wlm munge, and root
# darn campaign run --on=slurm, with a real Slurm: three virtual nodes on this machine, started here and
# stopped in the end.
. "$(dirname "$0")/lib.bash"
darn=$bin/darn
for program in slurmctld slurmd sbatch munged sqlite3; do
    command -v $program >/dev/null || { echo "skipped: $program is not here (apt-get install slurm-wlm munge sqlite3)"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: slurmd needs root"; exit 77; }
ask() { sqlite3 -cmd '.timeout 20000' "$1" "$2" 2>&1; }

here=$PWD
host=$(hostname -s)
chmod 755 "$here"
mkdir -p spool state log
dd if=/dev/urandom of=munge.key bs=1024 count=1 2>/dev/null
chmod 400 munge.key
started=()
stop() {
    local pid

    for pid in "${started[@]}" $(cat munged.pid 2>/dev/null); do
        kill -9 "$pid" 2>/dev/null
    done
    for pid in $(pgrep -f "slurmstepd: \[|$here/slurm.conf"); do
        kill -9 "$pid" 2>/dev/null
    done
}
trap stop EXIT
# Ports by our number, so that two of these tests do not meet.
base=$((20000 + $$ % 20000))
cat >slurm.conf <<END
ClusterName=darn
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$here/munge.socket
CredType=cred/munge
SlurmctldPort=$base
SlurmctldPidFile=$here/slurmctld.pid
SlurmctldLogFile=$here/log/slurmctld
SlurmdPidFile=$here/slurmd-%n.pid
SlurmdLogFile=$here/log/slurmd-%n
SlurmdSpoolDir=$here/spool/%n
StateSaveLocation=$here/state
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmctldParameters=enable_configless
NodeName=n[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((base + 1))-$((base + 3))] CPUs=1 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$here/slurm.conf
munged --force --key-file="$here/munge.key" --socket="$here/munge.socket" --pid-file="$here/munged.pid" \
    --log-file="$here/log/munged" --seed-file="$here/munged.seed" >/dev/null 2>&1
await test -S munge.socket
slurmctld -D -f "$SLURM_CONF" >/dev/null 2>&1 &
started+=($!)
for node in n1 n2 n3; do
    mkdir -p "spool/$node"
    slurmd -D -N $node -f "$SLURM_CONF" >/dev/null 2>&1 &
    started+=($!)
done
up() { [ "$(sinfo -h -N -o '%t' 2>/dev/null | grep -c idle)" -eq 3 ]; }
await up || { fault "Slurm does not start: $(tail -3 log/* 2>&1)"; finish; }

printf '#!/bin/sh\necho "$SLURMD_NODENAME" >>"$NODES"\ntest "$1" -ne 3\n' >picky && chmod +x picky
export NODES=$here/nodes
"$darn" campaign init --test='./picky {n}' --param=n='1|2|3|4' --no-try -o night.json >/dev/null
sed -i 's/"search": "portfolio"/"search": "random"/' night.json
rows() { ask "$1" "SELECT test, mode, setting, seed, outcome FROM rounds ORDER BY 1, 2, 3, 4, 5"; }

claim "three Slurm nodes give what one machine gives with the same seeds"
try timeout 100 "$darn" campaign run night.json --db=slurm.db --on=slurm --slurm-options='-p debug' --jobs=3 --rounds=12 --seed=7
expect_status 66
expect_has "$out" "36 rounds"
expect_same "$(sort -u nodes | tr '\n' ' ')" "n1 n2 n3 "
for shard in 1 2 3; do
    "$darn" campaign work night.json --rounds=12 --jobs=1 --seed=$((7 + shard)) --shard=s$shard -o s$shard.db 2>/dev/null
done
"$darn" campaign merge one.db s1.db s2.db s3.db >/dev/null
expect_same "$(rows slurm.db)" "$(rows one.db)"

finish
