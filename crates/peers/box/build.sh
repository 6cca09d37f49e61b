#!/bin/sh
# Builds the programs that capture frames of Box2D and Box3D: build.sh FOLDER
# Needs a C compiler and cargo, which downloads the sources of the engines.
set -eu
out=${1:?usage: build.sh FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"

# source CRATE ENGINE: the folder of the engine's sources inside the crate
source_of() {
    cargo metadata --locked --format-version 1 --manifest-path "$here/Cargo.toml" |
        tr ',' '\n' | sed -n "s|.*\"manifest_path\":\"\(.*\)/Cargo.toml\"|\1|p" |
        grep -- "/$1-[0-9.]*\$" | head -n 1 | sed "s|\$|/third-party/$2|"
}

# compile CRATE ENGINE: joint.c and contact_solver.c are part of our own file
compile() {
    engine=$(source_of "$1" "$2")
    if [ ! -d "$engine/src" ]; then
        echo "build.sh: there are no sources of $2 in $1" >&2
        exit 1
    fi
    files=$(find "$engine/src" -name '*.c' ! -name joint.c ! -name contact_solver.c | sort)
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c17 -O2 -ffp-contract=off -D_POSIX_C_SOURCE=199309L -pthread \
        -I"$engine/include" -I"$engine/src" -I"$here/../../capture/include" \
        "$here/$2.c" $files -o "$out/$2" -lm
}

compile boxdd-sys box2d
compile boxddd-sys box3d
