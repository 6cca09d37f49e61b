#!/usr/bin/env bash
# Installs the solvers of crates/peers into a virtual environment, runs each on problems of the scenes and prints what it claims
# beside the natural map of its impulses. Then builds the engines of crates/peers and checks each. What cannot be installed is named
# with its reason; a solver that solves nothing and an engine that fails a check are errors.
#
# tests/peers.sh [FOLDER]    the environment; without it target/peers
# ONLY=engines leaves the solvers out.
# DELASSUS names a program; without it, one is built. PYTHON names the interpreter that makes the environment (3.11 or later).
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-target/peers}
python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "skipped: no $python with venv, 3.11 or later"
    exit 0
fi
if [ -z "${DELASSUS:-}" ]; then
    cargo build --locked --release --bin delassus
    DELASSUS=target/release/delassus
fi

log=$(mktemp)
work=$(mktemp -d)
trap 'rm -rf "$log" "$work"' EXIT
# runs a command in silence; without success it prints the last words
quietly() {
    local name=$1
    shift
    "$@" >"$log" 2>&1 || { echo "$name: skipped: $(tail -n 1 "$log")"; return 1; }
}
[ -x "$folder/bin/python" ] || quietly "the environment" "$python" -m venv "$folder" || exit 0
quietly NumPy "$folder/bin/pip" install --quiet numpy || exit 0
# true if Debian has installed all these packages; words with a dash in front are options
has_packages() {
    local package
    for package in "$@"; do
        [[ $package == -* ]] || dpkg -s "$package" >/dev/null 2>&1 || return 1
    done
}
# follows the install line of a file, step by step; says why it cannot
install_from() {
    local name=$1 rest step
    rest=$(sed -n 's/^install = "\(.*\)"$/\1/p' "$2")
    rest=${rest//\{folder\}/$(dirname "$2")}
    while [ -n "$rest" ]; do
        step=${rest%% && *}
        case $rest in
        *" && "*) rest=${rest#* && } ;;
        *) rest= ;;
        esac
        # shellcheck disable=SC2086 # words of a list
        case $step in
        "python3 -m venv "*) ;;
        *"pip install "*) quietly "$name" "$folder/bin/pip" install --quiet ${step##*pip install } || return 1 ;;
        "apt-get install "*)
            if has_packages ${step#apt-get install }; then
                continue
            elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
                DEBIAN_FRONTEND=noninteractive quietly "$name" apt-get install --yes ${step#apt-get install } || return 1
            else
                echo "$name: skipped: it needs $step"
                return 1
            fi
            ;;
        *) quietly "$name" $step || return 1 ;;
        esac
    done
}
export DELASSUS_PEERS_VENV=$(realpath "$folder")
export PYTHONDONTWRITEBYTECODE=1

# builds the engines, and prints the program's own report on each that starts
check_engines() {
    local about name engines=0 failed=0 code
    for about in crates/peers/*/engine.toml; do
        name=$(basename "$(dirname "$about")")
        install_from "engine $name" "$about" || continue
        code=0
        "$DELASSUS" check-engine "engine:$name" </dev/null || code=$?
        [ "$code" = 2 ] || engines=$((engines + 1))
        [ "$code" != 1 ] || failed=1
    done
    echo "$engines engines ran"
    return "$failed"
}
test_python() {
    "$folder/bin/python" -m unittest discover -s crates/peers/python/tests
}
test_engines() {
    local failed=0
    check_engines || failed=1
    test_python || failed=1
    exit "$failed"
}
[ "${ONLY:-}" != engines ] || test_engines
for about in crates/peers/*/peer.toml; do
    install_from "$(basename "$(dirname "$about")")" "$about" || true
done

export_frame() {
    "$DELASSUS" export "$2" --frame "$3" --out "$work/$1.dls" "${@:4}" >/dev/null
}
for law in coulomb convex-cone; do
    export_frame "incline-$law" box-on-incline 3 --set law=$law
    export_frame "stack-$law" stack 5 --set n=5 --set law=$law
    export_frame "wall-$law" wall 5 --set base=4 --set law=$law
done
export_frame incline-stick box-on-incline 3 --set law=coulomb --set slope=0.2 --set friction=0.4
export_frame chain chain 10
export_frame heavy-tip-chain heavy-tip-chain 10 --set mass_ratio=1000
export_frame door door 20
export_frame ragdoll ragdoll 30
cp data/ring.dls "$work/ring.dls"
run() {
    "$folder/bin/python" crates/peers/python/run_peers.py "$@"
}
peers=$(basename -a $(dirname crates/peers/*/peer.toml) | grep -v mujoco | paste -sd,)
run --peers "$peers" "$work"/*.dls | tee "$work/table"
# MuJoCo has a law for soft rows only, and a tolerance that is no residual
mkdir "$work/soft"
"$folder/bin/python" crates/peers/python/soften.py "$work/soft" "$work"/{incline,stack,wall}-convex-cone.dls "$work"/{chain,door,ragdoll}.dls
run --peers mujoco --tolerance 0 "$work"/soft/*.dls | tee -a "$work/table"

# the smallest residual of every solver: one that solves nothing has its rows, signs or bounds wrong
awk -F ' *\\| *' '/^\| [a-z0-9]+\// {
        if (!($2 in best) || ($6 != "" && $6 + 0 < best[$2])) best[$2] = $6 == "" ? 1 : $6 + 0
    }
    END {
        for (name in best) { count++; if (best[name] > 1e-8) { print "error: " name " solves nothing"; wrong = 1 } }
        print count + 0 " solvers ran"
        exit wrong
    }' "$work/table"
# the program's own report on every peer, with the failures that are known of some
if "$DELASSUS" check-peer --help >"$log" 2>&1; then
    sed -n 's/^| \([a-z0-9-]*\/[a-z0-9-]*\) .*/peer:\1/p' "$work/table" | sort -u | while read -r solver; do
        "$DELASSUS" check-peer "$solver" </dev/null || echo "$solver: not all checks hold"
    done
fi
test_engines
