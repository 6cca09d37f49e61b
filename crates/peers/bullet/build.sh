#!/bin/sh
# Builds the program that captures frames of Bullet: build.sh OUTPUT
# Needs a C++ compiler and Bullet with its headers (Debian and Ubuntu: libbullet-dev, pkg-config).
set -eu
out=${1:?usage: build.sh OUTPUT}
here=$(cd "$(dirname "$0")" && pwd)
if ! flags=$(pkg-config --cflags --libs bullet); then
    echo "build.sh: Bullet is not installed; on Debian: apt-get install libbullet-dev pkg-config" >&2
    exit 1
fi
# the headers of Bullet give warnings of their own: -isystem keeps them out
flags=$(printf '%s' "$flags" | sed 's/-I/-isystem /g')
# shellcheck disable=SC2086
${CXX:-c++} -std=c++11 -O2 -Wall -Wextra -I"$here/../../capture/include" "$here/capture.cpp" -o "$out" $flags
