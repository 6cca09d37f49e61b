#!/bin/sh
# Runs experiments, all that have a finding.csv if none are named, and compares what their READMEs quote with the tables.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- $(cd experiments && ls -d */finding.csv | xargs -n 1 dirname)
cargo build --release --features gpu --bin delassus
for id in "$@"; do
    for spec in experiments/"$id"/*.toml; do
        # a cell that failed is part of the report
        target/release/delassus run "$spec" || [ $? -eq 1 ]
    done
done
UPDATE_FINDINGS=1 cargo test -p delassus-lab --test findings
