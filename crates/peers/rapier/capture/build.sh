#!/bin/sh
# Builds the program that captures frames of Rapier: build.sh FOLDER
# Needs Rust and patch(1). FOLDER gets a copy of Rapier with a hook of 20 lines, and the program.
set -eu
out=${1:?usage: build.sh FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)

# the sources, from the neighbouring package that has the same version
rapier=$(cargo metadata --locked --format-version 1 --manifest-path "$here/../Cargo.toml" |
    tr ',' '\n' | sed -n 's|.*"manifest_path":"\(.*/rapier3d-0\.36\.1\)/Cargo.toml"|\1|p' | head -n 1)
if [ -z "$rapier" ]; then
    echo "build.sh: rapier3d 0.36.1 is not in crates/peers/rapier/Cargo.lock" >&2
    exit 1
fi
if [ ! -d "$out/rapier3d" ]; then
    cp -r "$rapier" "$out/rapier3d.part"
    cp "$here/hook.rs" "$out/rapier3d.part/src/dynamics/solver/staged_island_solver/capture.rs"
    patch --quiet -d "$out/rapier3d.part" -p1 <"$here/hook.patch"
    mv "$out/rapier3d.part" "$out/rapier3d"
fi
cargo build --release --manifest-path "$here/Cargo.toml" --target-dir "$out/target" \
    --config "patch.crates-io.rapier3d.path='$out/rapier3d'"
cp "$out/target/release/delassus-rapier-capture" "$out/rapier"
