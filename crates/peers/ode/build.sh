#!/bin/sh
# Makes the library of engine.py. Needs Debian's libode-dev (BSD-3-Clause or LGPL-2.1+) and cc.
set -e
cd "$(dirname "$0")"
mkdir -p build
${CC:-cc} -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC $(pkg-config --cflags ode) engine.c \
    -o build/libengine.so $(pkg-config --libs ode) -lm
