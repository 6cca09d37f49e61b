#!/bin/sh
# Makes the library of engine.py. Needs cc and cargo, which downloads the sources of Box3D 0.1 (MIT).
set -eu
cd "$(dirname "$0")"
mkdir -p build
crate=$(cargo metadata --locked --format-version 1 --manifest-path Cargo.toml | tr ',' '\n' |
    sed -n 's|.*"manifest_path":"\(.*/boxddd-sys-[0-9.]*\)/Cargo.toml"|\1|p' | head -n 1)
engine=$crate/third-party/box3d
# shellcheck disable=SC2046
${CC:-cc} -std=c17 -O2 -DNDEBUG -ffp-contract=off -D_POSIX_C_SOURCE=199309L -pthread -shared -fPIC \
    -I"$engine/include" -I"$engine/src" engine.c $(find "$engine/src" -name '*.c' | sort) \
    -o build/libengine.so -lm
