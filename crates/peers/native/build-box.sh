#!/bin/sh
# Makes the library of an engine whose sources a crate contains: build-box.sh ENGINE CRATE
# Needs cc and cargo, which downloads the sources.
set -eu
cd "$(dirname "$0")/../$1"
mkdir -p build
crate=$(cargo metadata --locked --format-version 1 --manifest-path Cargo.toml | tr ',' '\n' |
    sed -n "s|.*\"manifest_path\":\"\(.*/$2-[0-9.]*\)/Cargo.toml\"|\1|p" | head -n 1)
engine=$crate/third-party/$1
# shellcheck disable=SC2046
${CC:-cc} -std=c17 -O2 -DNDEBUG -ffp-contract=off -D_POSIX_C_SOURCE=199309L -pthread -shared -fPIC \
    -I"$engine/include" -I"$engine/src" engine.c $(find "$engine/src" -name '*.c' | sort) \
    -o build/libengine.so -lm
