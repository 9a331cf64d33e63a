#!/bin/bash
# needs: openssh-server rsync, and root
# darn campaign run --on=parallel:HOSTS --transfer, by ssh, on hosts without a shared file system: an sshd of
# our own, on a port of the loopback, with its own keys, that sees an empty directory where ours is.
. "$(dirname "$0")/lib.bash"
for program in /usr/sbin/sshd ssh ssh-keygen rsync parallel sqlite3 unshare; do
    command -v $program >/dev/null || { echo "skipped: $program is not here (apt-get install openssh-server rsync parallel sqlite3)"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: sshd needs root"; exit 77; }
unshare -m true 2>/dev/null || { echo "skipped: there are no mount namespaces here"; exit 77; }
ask() { sqlite3 -cmd '.timeout 20000' "$1" "$2" 2>&1; }

mkdir here home
make_stub_tree && mv tree here/
darn=$PWD/here/tree/bin/darn
ssh-keygen -q -t ed25519 -N '' -f host_key && ssh-keygen -q -t ed25519 -N '' -f user_key
cp user_key.pub authorized
port=$((20000 + $$ % 20000)) # by our number, so that two of these tests do not meet
cat >sshd_config <<END
ListenAddress 127.0.0.1:$port
HostKey $PWD/host_key
AuthorizedKeysFile $PWD/authorized
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
PidFile none
MaxStartups 100
END
cat >ssh_config <<END
Host one two
    HostName 127.0.0.1
    HostKeyAlias here
    Port $port
    User root
    IdentityFile $PWD/user_key
    IdentitiesOnly yes
    UserKnownHostsFile $PWD/known
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking no
    LogLevel ERROR
END
# /run/sshd is what it wants to find; ours is made where nobody else sees it.
unshare -m bash -c 'mount -t tmpfs none /run && mkdir /run/sshd && mount -t tmpfs none "$1" && exec /usr/sbin/sshd -D -e -f sshd_config' \
    sshd "$PWD/here" </dev/null 2>sshd.log &
sshd=$!
trap 'kill $sshd 2>/dev/null' EXIT
enters() { ssh -n -F ssh_config one true 2>ssh.log; }
await enters || { fault "nobody is let in: $(cat ssh.log sshd.log)"; finish; }
one="ssh -F $PWD/ssh_config one"
two="ssh -F $PWD/ssh_config two"
export HOME=$PWD/home LOG=$PWD/log

cd here || exit 1
# Which file system it sees is what tells where it has run.
printf '#!/bin/sh\nreadlink /proc/self/ns/mnt >>"%s"\ntest "$1" -ne 3\n' "$LOG" >picky && chmod +x picky
"$darn" campaign init --test='./picky {n}' --param=n='1|2|3|4' --no-try -o night.json >/dev/null
sed -i 's/"search": "portfolio"/"search": "random"/; /^  "hunt",$/d; /^  "explore"$/d; s/^  "run",$/  "run"/' night.json
rows() { ask "$1" "SELECT test, mode, setting, seed, outcome FROM rounds ORDER BY 1, 2, 3, 4, 5"; }

claim "hosts that are given nothing have nothing: their shards are lost, and it is said"
try "$darn" campaign run night.json --db=nothing.db "--on=parallel:$one" --jobs=1 --rounds=2
expect_has "$err" "shard 1 was lost, twice"
expect_has "$out" "0 rounds"

claim "what is brought to two hosts gives there what one machine gives with the same seeds"
try "$darn" campaign run night.json --db=far.db "--on=parallel:$one,$two" --transfer --jobs=2 --rounds=6 --seed=7
expect_status 66
expect_has "$out" "24 rounds"
expect_lacks "$err" "lost"
expect_lacks "$(cat "$LOG")" "$(readlink /proc/self/ns/mnt)"
for shard in 1 2 3 4; do
    "$darn" campaign work night.json --rounds=6 --jobs=1 --seed=$((7 + shard)) --shard=s$shard -o s$shard.db 2>/dev/null
done
"$darn" campaign merge near.db s1.db s2.db s3.db s4.db >/dev/null
expect_same "$(rows far.db)" "$(rows near.db)"
far_has() { ssh -n -F ../ssh_config one test -e "$PWD/$1"; }
far_has picky || fault "nothing was brought"
far_has nothing.db || fault "the whole directory of the test should be there"
! far_has far.db || fault "the campaign's own database was brought there"

claim "--transfer=PATHS brings more; without it a test misses it"
mkdir ../more && printf 'passes\n' >../more/input
printf '#!/bin/sh\nread -r word <"%s/input" && test "$word" = passes\n' "${PWD%/here}/here/more" >reads && chmod +x reads
mkdir tests && mv reads tests/ && mv ../more more
"$darn" campaign init --test=./reads --no-try -o reads.json >/dev/null
sed -i 's|"directory": "[^"]*"|"directory": "tests"|; /^  "hunt",$/d; /^  "explore"$/d; s/^  "run",$/  "run"/' reads.json
ssh -n -F ../ssh_config one rm -rf "$PWD/*"
try "$darn" campaign run reads.json --db=misses.db "--on=parallel:$one" --transfer --jobs=1 --rounds=2
expect_same "$(ask misses.db 'SELECT DISTINCT outcome FROM rounds')" failed
try "$darn" campaign run reads.json --db=reads.db "--on=parallel:$one" --transfer=more --jobs=1 --rounds=2
expect_same "$(ask reads.db 'SELECT DISTINCT outcome FROM rounds')" passed

claim "only GNU parallel brings files"
try "$darn" campaign run night.json --on=local --transfer --rounds=1
expect_refused "darn campaign run: --transfer: only GNU parallel brings files to other machines (--on=parallel:HOSTS)"

finish
