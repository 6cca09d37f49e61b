#!/bin/sh
# Makes the library of engine.py. Needs Debian's libbullet-dev (zlib licence), pkg-config and c++.
set -eu
cd "$(dirname "$0")"
mkdir -p build
# the headers of Bullet give warnings of their own: -isystem keeps them out
flags=$(pkg-config --cflags --libs bullet | sed 's/-I/-isystem /g')
# shellcheck disable=SC2086
${CXX:-c++} -std=c++11 -O2 -Wall -Wextra -Werror -shared -fPIC engine.cpp -o build/libengine.so $flags
