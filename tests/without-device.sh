#!/usr/bin/env bash
# Runs the tests that meet a device as a machine without a Vulkan driver runs them: they must pass,
# and each crate that has such tests must say what it skipped.
#
#   tests/without-device.sh     # after `cargo test --workspace`: nothing to build, 15 seconds
set -euo pipefail
cd "$(dirname "$0")/.."
unset DELASSUS_REQUIRE_GPU
# with these the Vulkan loader finds no driver, installed or not
export VK_DRIVER_FILES=$PWD/tests/no-driver.json VK_ICD_FILENAMES=$PWD/tests/no-driver.json

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# folder and program of all tests: those that `cargo test --workspace` has built
cargo test --quiet --locked --workspace --no-run --message-format=json >"$work/json"
sed -n 's/.*"manifest_path":"\([^"]*\)\/Cargo.toml".*"overflow_checks":[a-z]*,"test":true},.*"executable":"\([^"]*\)".*/\1 \2/p' \
    "$work/json" >"$work/programs"

run() { # FOLDER, LEAST NUMBER OF SKIPS, FILTERS...
    local folder=$PWD/$1 least=$2 in program skips
    shift 2
    : >"$work/log"
    while read -r in program; do
        [ "$in" = "$folder" ] || continue
        (cd "$folder" && "$program" "$@") >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    done <"$work/programs"
    # a test thread may write into the line of another test
    skips=$(grep -c 'skipped: ' "$work/log" || true)
    awk -v folder="${folder#"$PWD/"}" -v skips="$skips" '/^test result:/ { passed += $4 }
        END { printf "without a device: %s: %d passed, %d skips\n", folder, passed, skips }' "$work/log"
    if [ "$skips" -lt "$least" ]; then
        echo "$folder: fewer than $least tests say that they did not run" >&2
        exit 1
    fi
}

run crates/solver-gpu 1
run crates/collide-gpu 1
run crates/scheme-gpu 1
run crates/runner 1 device::
# these hide the drivers themselves, so that they run with and without a device
run crates/lab 0 gpu::
run tests 1 law_8 law_9 planar:: scheme_laws::bad_steps scheme_laws::isolated scheme_laws::rest
