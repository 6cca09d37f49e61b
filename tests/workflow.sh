#!/bin/sh
# Runs an experiment in two parts by the workflow, and in one run without it, and compares what does not depend on the clock.
# Without Snakemake it says so and ends well. DELASSUS names a program; without it, one is built.
set -eu
cd "$(dirname "$0")/.."
if ! command -v snakemake >/dev/null; then
    echo "skipped: no snakemake (pip install snakemake)"
    exit 0
fi
if [ -z "${DELASSUS:-}" ]; then
    cargo build --locked --release --bin delassus
    DELASSUS=target/release/delassus
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/spec.toml" <<'END'
title = "Two parts"
[[problem]]
use = "chain"
n = [2, 3, 4, 5]
[[solver]]
use = "pgs"
[[solver]]
use = "dense-direct"
[stop]
max_sweeps = 20
[[table]]
id = "cells"
show = { cells = {} }
END
workflow() {
    snakemake --snakefile workflow/Snakefile --profile workflow/profiles/local --directory . --quiet all --cores 2 \
        --config delassus="$DELASSUS" spec="$work/spec.toml" out="$work/merged" parts="$work/parts" shards=2
}
workflow
"$DELASSUS" run "$work/spec.toml" --out "$work/whole" --quiet
"$DELASSUS" status "$work/merged" --shards 2
"$DELASSUS" fsck "$work/merged"
# the impulses, bit for bit, under the same keys; and the tables without the columns of times
same() {
    cmp "$work/merged/$1" "$work/whole/$1"
}
for file in "$work"/whole/cells/*.impulses; do
    same "cells/$(basename "$file")"
done
same experiment.json
without_times() {
    python3 -c '
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
kept = [i for i, name in enumerate(rows[0]) if "seconds" not in name and not name.endswith("[s]")]
csv.writer(sys.stdout).writerows([row[i] for i in kept] for row in rows)' "$1"
}
for table in records.csv summary.csv tables/cells.csv; do
    without_times "$work/merged/$table" >"$work/a"
    without_times "$work/whole/$table" >"$work/b"
    cmp "$work/a" "$work/b"
done
# a second call has nothing to do, and the parts that are gone come back
workflow
rm -r "$work/merged" "$work/parts/merge.done" "$work/parts/report.done"
workflow
same experiment.json
echo "two parts are one run"
