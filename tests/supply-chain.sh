#!/usr/bin/env bash
# Advisories, licences, sources and duplicate versions of every crate that the lock files name, by cargo-deny and deny.toml.
# Where cargo-deny is not installed it says so and ends well: the test `supply_chain` looks at licences, sources, versions and
# build scripts without it. Advisories need the database once: `cargo deny fetch`; then this works offline.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! cargo deny --version >/dev/null 2>&1; then
    echo "skipped: cargo-deny is not installed (cargo install cargo-deny --locked)"
    exit 0
fi
if [ -d "${CARGO_HOME:-$HOME/.cargo}/advisory-dbs" ]; then
    exec cargo deny --locked --offline check
fi
echo "no database of advisories here (cargo deny fetch): they are left out"
exec cargo deny --locked --offline check licenses bans sources
