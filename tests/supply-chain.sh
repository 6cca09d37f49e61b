#!/usr/bin/env bash
# Advisories, licences, sources and duplicate versions of every crate that the lock file names, by cargo-deny and deny.toml, without a
# network. Where cargo-deny is not installed it says so and ends well: the test `supply_chain` looks at licences, sources, versions
# and build scripts without it.
#
# cargo-deny reads the packages of all platforms: `cargo fetch --locked` downloads them.
# Advisories need a clone of the RustSec database: DELASSUS_ADVISORIES=FOLDER, or what `cargo deny fetch` left.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! cargo deny --version >/dev/null 2>&1; then
    echo "skipped: cargo-deny is not installed (cargo install cargo-deny --locked)"
    exit 0
fi

# what cargo-deny calls its clone of the database
name=advisory-db-3157b0e258782691
database=${DELASSUS_ADVISORIES:-${CARGO_HOME:-$HOME/.cargo}/advisory-dbs/$name}
# a database that is older says little of today [days]
oldest=90

if [ ! -d "$database/crates" ]; then
    if [ -n "${DELASSUS_ADVISORIES:-}" ]; then
        echo "error: $database holds no database of advisories: it has no folder crates" >&2
        exit 2
    fi
    echo "no database of advisories here (DELASSUS_ADVISORIES=FOLDER, or cargo deny fetch): they are left out"
    cargo deny --locked --offline check --hide-inclusion-graph licenses bans sources
    exit
fi

made=$(git -C "$database" log -1 --format=%ct)
age=$(( ($(date +%s) - made) / 86400 ))
echo "advisories of $(date -u -d "@$made" +%F), $(find "$database/crates" -name '*.md' | wc -l) of them"
if [ "$age" -gt "$oldest" ]; then
    echo "warning: the database is $age days old; one of the last $oldest days says more" >&2
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/databases"
ln -s "$(realpath "$database")" "$scratch/databases/$name"
sed "s|^\[advisories\]|&\ndb-path = \"$scratch/databases\"|" deny.toml >"$scratch/deny.toml"
cargo deny --locked --offline --config "$scratch/deny.toml" check --hide-inclusion-graph
