#!/usr/bin/env bash
# Bundles of whole experiments: made twice, unpacked in an empty folder, drawn again and checked there.
#
#     tests/bundles.sh                          # 01, 05 and 09: minutes
#     tests/bundles.sh 01-chain-rates
#     DELASSUS=path/to/delassus tests/bundles.sh 01-chain-rates     # a program that is built already
#
# Exit code 1 where an archive, a figure, a table or a page differs by a byte, or `verify` finds anything.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${DELASSUS:-}" ]; then
    cargo build --release --locked --bin delassus --manifest-path "$root/Cargo.toml"
    DELASSUS=$root/target/release/delassus
fi
[ $# -gt 0 ] || set -- 01-chain-rates 05-drift 09-stacking
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

unpack() { # ARCHIVE FOLDER
    if command -v unzip >/dev/null; then
        unzip -q "$1" -d "$2"
    elif command -v python3 >/dev/null; then
        python3 -m zipfile -e "$1" "$2"
    else
        echo "neither unzip nor python3 is here to unpack $1" >&2
        exit 1
    fi
}

drawn() { # in a results folder: the hashes of what a report draws
    { find figures tables -type f; find . -maxdepth 1 -name '*.html'; } | LC_ALL=C sort | xargs sha256sum
}

for experiment in "$@"; do
    results=$work/results/$experiment
    (cd "$root" && "$DELASSUS" run "experiments/$experiment" --out "$results" --quiet >/dev/null)
    "$DELASSUS" bundle "$results" --out "$work/one.zip" 2>/dev/null >/dev/null
    "$DELASSUS" bundle "$results" --out "$work/two.zip" 2>/dev/null >/dev/null
    cmp "$work/one.zip" "$work/two.zip"
    mkdir "$work/empty"
    unpack "$work/one.zip" "$work/empty"
    cd "$work/empty/$experiment"
    drawn >"$work/before"
    rm -rf figures tables ./*.html
    "$DELASSUS" report . 2>/dev/null >/dev/null
    drawn >"$work/after"
    cmp "$work/before" "$work/after"
    checked=$("$DELASSUS" verify . 2>/dev/null)
    bytes=$(wc -c <"$work/one.zip")
    echo "$experiment: $bytes bytes, twice the same; $(wc -l <"$work/after") files drawn again, bit for bit; $checked"
    cd "$root"
    rm -rf "$work/empty" "$work/results"
done
