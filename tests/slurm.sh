#!/bin/sh
# Runs an experiment in three parts as jobs of a Slurm of its own, one node on this machine, and does to them what clusters do: one
# job is cancelled in the middle, one runs into its time limit, and the daemon of the node is killed under one and started again.
# The parts, handed in again, must make one run. Takes about three minutes, most of them the shortest time limit that Slurm has.
#
# Without Slurm and MUNGE (Debian: slurm-wlm, munge) it says so and ends well. The daemons belong to the user who calls it, listen on
# ports of their own and keep everything in a temporary folder: a Slurm of the site is not touched. DELASSUS names a program;
# without it, one is built.
set -eu
cd "$(dirname "$0")/.."
for program in munged slurmctld slurmd sbatch scancel scontrol sinfo; do
    if ! PATH="$PATH:/usr/sbin:/sbin" command -v $program >/dev/null; then
        echo "skipped: no $program (apt-get install slurm-wlm munge)"
        exit 0
    fi
done
PATH="$PATH:/usr/sbin:/sbin"
if [ -z "${DELASSUS:-}" ]; then
    cargo build --locked --release --bin delassus
    DELASSUS=target/release/delassus
fi
DELASSUS=$(realpath "$DELASSUS")
work=$(mktemp -d)
SLURM_CONF="$work/slurm.conf"
export SLURM_CONF

# Daemons: a process id per file in this folder.
mkdir "$work/pids" "$work/state" "$work/spool" "$work/jobs"
stop() {
    for file in "$work"/pids/*; do
        [ -s "$file" ] && kill "$(cat "$file")" 2>/dev/null || true
    done
    sleep 1
    rm -rf "$work"
}
trap stop EXIT
fail() {
    echo "error: $1" >&2
    tail -n 20 "$work"/*.log "$work"/jobs/*.out >&2 || true
    exit 1
}

start_cluster() {
    host=$(hostname -s)
    port=$((20000 + $$ % 20000))
    cat >"$SLURM_CONF" <<END
ClusterName=delassus
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/pids/slurmctld
SlurmdPidFile=$work/pids/slurmd
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
NodeName=node NodeHostname=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP
END
    dd if=/dev/urandom of="$work/munge.key" bs=1024 count=1 2>/dev/null
    chmod 400 "$work/munge.key"
    # a folder that others can write to, as /tmp, is fine for one user
    munged --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/pids/munged" \
        --log-file="$work/munged.log" --seed-file="$work/munge.seed" >"$work/munged.out" 2>&1 || fail "munged does not start"
    slurmctld -c >"$work/slurmctld.out" 2>&1 || fail "slurmctld does not start"
    slurmd -N node >"$work/slurmd.out" 2>&1 || fail "slurmd does not start"
    for _ in $(seq 60); do
        [ "$(sinfo -h -o %t 2>/dev/null)" = idle ] && return
        sleep 0.5
    done
    fail "the node does not come up"
}

# A part as a job: its number. `$2` seconds pass before it begins, `$3` is its time limit in minutes.
submit() {
    # no recovery by Slurm itself: that a part goes on is what is looked at
    sbatch --parsable --no-requeue --job-name="part-$1" --time="${3:-10}" --output="$work/jobs/%j.out" --wrap \
        "sleep ${2:-0}; exec '$DELASSUS' run '$work/spec.toml' --out '$work/parts/$1' --shard $1/3 --isolate --quiet"
}
state() {
    scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'
}
# Waits until a job has ended so.
ended() {
    for _ in $(seq 600); do
        case "$(state "$1")" in
        "$2") return ;;
        PENDING | RUNNING | COMPLETING) sleep 0.5 ;;
        *) fail "job $1 is $(state "$1"), not $2" ;;
        esac
    done
    fail "job $1 is still $(state "$1")"
}
# Waits until a part has finished a cell.
begun() {
    for _ in $(seq 600); do
        ls "$work/parts/$1/cells/"*.json >/dev/null 2>&1 && return
        sleep 0.1
    done
    fail "part $1 finishes no cell"
}
whole() {
    "$DELASSUS" fsck "$work/parts/$1" || fail "part $1 is damaged $2"
}

# Cells of some seconds each, so that a job can be met in the middle.
cat >"$work/spec.toml" <<'END'
title = "Three parts"
[[problem]]
use = "chain"
n = [400, 401, 402, 403, 404, 405, 406, 407, 408, 409]
[[solver]]
use = "pgs"
[[solver]]
use = "block-gs"
[[solver]]
use = "psor"
[stop]
max_sweeps = 5000
tolerance = 1e-300
[measure]
samples = { geometric = 1.5 }
repetitions = 1
END
start_cluster
echo "one job is cancelled in the middle"
job=$(submit 1)
begun 1
scancel "$job"
ended "$job" CANCELLED
whole 1 "after scancel"
echo "the daemon of the node is killed under another, and started again"
job=$(submit 2)
begun 2
kill -KILL "$(cat "$work/pids/slurmd")"
sleep 2
slurmd -N node >"$work/slurmd.out" 2>&1 || fail "slurmd does not start again"
ended "$job" COMPLETED
echo "one runs into its time limit"
job=$(submit 3 50 1)
ended "$job" TIMEOUT
whole 3 "after its time limit"
echo "all are handed in again"
for part in 1 2 3; do
    job=$(submit $part)
    ended "$job" COMPLETED
done

"$DELASSUS" merge "$work/parts/1" "$work/parts/2" "$work/parts/3" --out "$work/merged"
"$DELASSUS" run "$work/spec.toml" --out "$work/merged" --isolate --quiet
"$DELASSUS" run "$work/spec.toml" --out "$work/whole" --isolate --jobs 2 --quiet
for folder in merged whole; do
    "$DELASSUS" fsck "$work/$folder"
    (cd "$work/$folder" && sha256sum cells/*.impulses) >"$work/$folder.impulses"
done
cmp "$work/merged.impulses" "$work/whole.impulses" || fail "the impulses differ"
cmp "$work/merged/experiment.json" "$work/whole/experiment.json" || fail "the experiments differ"
echo "three parts, cut short in three ways, are one run"
